// Package rw1 holds the tasks about a Prometheus remote-write 1.0 request and their contenders, one file each.
package rw1

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
)

// Tasks of this package; bench/README.md describes them.
const (
	taskDecode     = "rw1-decode"
	taskDecodeRead = "rw1-decode-read"
	taskFind       = "rw1-find"
	taskLast       = "rw1-last-label"
	taskEncode     = "rw1-encode"
)

// A rival decodes requests of one input.
type rival struct {
	// decode decodes the whole request and keeps the outcome until the next call.
	decode func() error
	// read sums over every label, value and timestamp of the outcome.
	read func() (uint64, error)
	// decodeRead is decode and then read, unless a rival that opens things on demand does better in one go.
	decodeRead func() (uint64, error)
	// find opens the request and sums over the labels of its middle series, doing as little else as it can.
	find func() (uint64, error)
	// last opens the request and reads the value of the first label of its last series; nil takes no part.
	last func() (uint64, error)
	// stock returns the outcome of the last decode as the stock runtime's message.
	stock func() (*prompb.WriteRequest, error)
	note  string
	// findNote stands instead of note where find does something else than the other tasks.
	findNote string
}

var rivals = map[string]func(input []byte) (rival, error){
	"hotpb-view":             newHotpbView,
	"hotpb-view:validate":    newHotpbValidate,
	"hotpb-pool":             newPool((*hot.WriteRequest).Unmarshal, false, "used again; one copy of the input, which strings alias; UTF-8 checked"),
	"hotpb-pool:alias":       newPool((*hot.WriteRequest).UnmarshalAlias, false, "used again; strings alias the input; UTF-8 checked"),
	"hotpb-pool:owned":       newPool((*hot.WriteRequest).UnmarshalOwned, true, "a fresh message each time, in memory that is its own; UTF-8 checked"),
	"hotpb-codec":            newCodec,
	"protobuf-go":            newProtobufGo,
	"protobuf-go:lazy":       newLazy,
	"gogo":                   newGogo,
	"vtprotobuf:pool+unsafe": newVTProtobuf,
	"hyperpb":                newHyperpb,
	"easyproto":              newEasyproto,
	"easyproto:skip":         newEasyprotoSkip,
	"floor":                  newFloor,
}

// onlyIn has the tasks of rivals that do not take part everywhere.
var onlyIn = map[string][]string{
	"hotpb-view:validate": {taskDecode},                         // a matter of checking, not of reading
	"protobuf-go:lazy":    {taskDecodeRead, taskFind, taskLast}, // it has decoded nothing before it is read
	"easyproto:skip":      {taskLast},
	"floor":               {taskDecode, taskDecodeRead, taskFind},
	"hotpb-pool:owned":    {taskDecode, taskDecodeRead},
	"hotpb-codec":         {taskDecode, taskDecodeRead},
}

// Tasks returns the grid of this package.
func Tasks() harness.Tasks {
	tasks := harness.Tasks{taskDecode: {}, taskDecodeRead: {}, taskFind: {}, taskLast: {}}
	for name, make := range rivals {
		for task, contenders := range tasks {
			if only, ok := onlyIn[name]; ok && !slices.Contains(only, task) {
				continue
			}
			contenders[name] = func(input []byte) (harness.Contender, error) {
				r, err := make(input)
				if err != nil {
					return harness.Contender{}, err
				}
				return r.contender(task, input)
			}
		}
	}
	tasks[taskEncode] = map[string]harness.Factory{}
	for name := range encoders {
		tasks[taskEncode][name] = encoder(name)
	}
	tasks[taskBody] = map[string]harness.Factory{}
	for name := range bodies {
		tasks[taskBody][name] = body(name)
	}
	return tasks
}

func (r rival) contender(task string, input []byte) (harness.Contender, error) {
	want := new(prompb.WriteRequest)
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(input, want); err != nil {
		return harness.Contender{}, err
	}
	c := harness.Contender{Note: r.note}
	switch task {
	case taskDecode:
		c.Op = func() (uint64, error) { return 0, r.decode() }
		c.Verify = func() error { return r.verify(want) }
	case taskDecodeRead:
		if r.decodeRead == nil {
			r.decodeRead = func() (uint64, error) {
				if err := r.decode(); err != nil {
					return 0, err
				}
				return r.read()
			}
		}
		c.Op = r.decodeRead
		c.Verify = func() error {
			if err := r.verify(want); err != nil {
				return err
			}
			return sameSum(r.decodeRead, sumRequest(want))
		}
	case taskFind:
		c.Op = r.find
		c.Note = cmp.Or(r.findNote, r.note)
		if len(want.Timeseries) == 0 {
			return c, errors.New("the request holds no series to find")
		}
		middle := want.Timeseries[len(want.Timeseries)/2]
		c.Verify = func() error { return sameSum(r.find, sumLabels(middle.Labels)) }
	case taskLast:
		c.Op = r.last
		c.Note = cmp.Or(r.findNote, r.note)
		if len(want.Timeseries) == 0 || len(want.Timeseries[len(want.Timeseries)-1].Labels) == 0 {
			return c, errors.New("the request has no last series with a label")
		}
		label := want.Timeseries[len(want.Timeseries)-1].Labels[0]
		c.Verify = func() error { return sameSum(r.last, sumString(label.Value)) }
	}
	return c, nil
}

// verify encodes the outcome of a decode with the stock runtime and compares it with the stock runtime's own.
func (r rival) verify(want *prompb.WriteRequest) error {
	if err := r.decode(); err != nil {
		return err
	}
	got, err := r.stock()
	if err != nil {
		return err
	}
	opts := proto.MarshalOptions{Deterministic: true}
	known, err := withoutUnknown(got)
	if err != nil {
		return err
	}
	gotBytes, err := opts.Marshal(known)
	if err != nil {
		return err
	}
	wantBytes, err := opts.Marshal(want)
	if err != nil {
		return err
	}
	if !bytes.Equal(gotBytes, wantBytes) {
		return errors.New("re-encoded by protobuf-go, the result differs from protobuf-go's own")
	}
	return nil
}

// withoutUnknown drops the unknown fields, which not every library keeps.
func withoutUnknown(m *prompb.WriteRequest) (*prompb.WriteRequest, error) {
	encoded, err := proto.Marshal(m)
	if err != nil {
		return nil, err
	}
	known := new(prompb.WriteRequest)
	return known, (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(encoded, known)
}

func sameSum(read func() (uint64, error), want uint64) error {
	got, err := read()
	if err == nil && got != want {
		err = fmt.Errorf("checksum %016x, protobuf-go gives %016x", got, want)
	}
	return err
}

// sumString is the same in all languages: it touches both ends of a string, not every byte, so that the loop over
// the fields stays visible beside it.
func sumString(s string) uint64 {
	if len(s) == 0 {
		return 0
	}
	return uint64(len(s)) + uint64(s[0])<<8 + uint64(s[len(s)-1])<<16
}

func sumSample(value float64, timestamp int64) uint64 {
	return math.Float64bits(value) + uint64(timestamp)
}

func sumLabels(labels []*prompb.Label) (sum uint64) {
	for _, l := range labels {
		sum += sumString(l.Name) + sumString(l.Value)
	}
	return sum
}

func sumRequest(m *prompb.WriteRequest) (sum uint64) {
	for _, ts := range m.Timeseries {
		sum += sumLabels(ts.Labels)
		for _, s := range ts.Samples {
			sum += sumSample(s.Value, s.Timestamp)
		}
	}
	return sum
}
