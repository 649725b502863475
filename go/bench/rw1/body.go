package rw1

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"reflect"

	"github.com/klauspost/compress/snappy"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
	"github.com/hotpb/hotpb/go/bench/rw1/prompb/gogo"
)

// taskBody goes from a compressed body to one table of columns for each metric.
const taskBody = "rw1-body"

// bodies has the contenders of taskBody. Each decodes a request and adds its series to the columns.
var bodies = map[string]struct {
	newRead func() func([]byte, *columns) error
	note    string
}{
	"gogo": {newGogoBody, "snappy of klauspost; Prometheus' own decoder, reset and decoded again, UTF-8 not checked; a hash map of series, " +
		"columns kept. Prometheus then sorts labels and looks for samples out of order, which is not done here"},
	"easyproto": {newEasyprotoBody, "snappy of klauspost; UTF-8 not checked; a hash map of series, columns kept"},
}

func newGogoBody() func([]byte, *columns) error {
	m := new(gogo.WriteRequest)
	var labels []flatLabel
	return func(request []byte, c *columns) error {
		m.Reset()
		if err := m.Unmarshal(request); err != nil {
			return err
		}
		for i := range m.Timeseries {
			ts := &m.Timeseries[i]
			labels = labels[:0]
			for j := range ts.Labels {
				labels = append(labels, flatLabel{ts.Labels[j].Name, ts.Labels[j].Value})
			}
			t, set := c.series(labels)
			for j := range ts.Samples {
				t.add(set, ts.Samples[j].Timestamp, ts.Samples[j].Value)
			}
		}
		return nil
	}
}

func newEasyprotoBody() func([]byte, *columns) error {
	var r flatRequest
	return func(request []byte, c *columns) error {
		if err := r.easyproto(request); err != nil {
			return err
		}
		for _, s := range r.series {
			t, set := c.series(r.labels[s.labels:s.labelsEnd])
			for _, p := range r.samples[s.samples:s.samplesEnd] {
				t.add(set, p.timestamp, p.value)
			}
		}
		return nil
	}
}

// columns has the tables of all metrics. Tables, columns and known series stay from request to request.
type columns struct {
	tables map[string]*table
	// known has each series by its labels, length before name and value.
	known map[string]place
	key   []byte
}

type table struct {
	sets   []map[string]string
	set    []uint32
	times  []int64
	values []float64
}

// place is where a series belongs: its table, and its label set there.
type place struct {
	table *table
	set   uint32
}

func (t *table) add(set uint32, time int64, value float64) {
	t.set = append(t.set, set)
	t.times = append(t.times, time)
	t.values = append(t.values, value)
}

func (c *columns) clear() {
	for _, t := range c.tables {
		t.set, t.times, t.values = t.set[:0], t.times[:0], t.values[:0]
	}
}

// series finds the table and the label set of a series.
func (c *columns) series(labels []flatLabel) (*table, uint32) {
	key := c.key[:0]
	for i := range labels {
		key = binary.AppendUvarint(key, uint64(len(labels[i].name)))
		key = append(key, labels[i].name...)
		key = binary.AppendUvarint(key, uint64(len(labels[i].value)))
		key = append(key, labels[i].value...)
	}
	c.key = key
	p, ok := c.known[string(key)] // does not allocate
	if !ok {
		p = c.newSeries(labels)
		c.known[string(key)] = p
	}
	return p.table, p.set
}

func (c *columns) newSeries(labels []flatLabel) place {
	set := map[string]string{}
	for _, l := range labels {
		set[string([]byte(l.name))] = string([]byte(l.value)) // the input owns the strings
	}
	metric := set["__name__"]
	delete(set, "__name__")
	t := c.tables[metric]
	if t == nil {
		t = new(table)
		c.tables[metric] = t
	}
	t.sets = append(t.sets, set)
	return place{t, uint32(len(t.sets) - 1)}
}

// A row is a sample in a form that can be compared.
type row struct {
	labels map[string]string
	time   int64
	bits   uint64
}

func (c *columns) rows() map[string][]row {
	all := map[string][]row{}
	for metric, t := range c.tables {
		for i, set := range t.set {
			all[metric] = append(all[metric], row{t.sets[set], t.times[i], math.Float64bits(t.values[i])})
		}
	}
	return all
}

// body makes the factory of a contender.
func body(name string) harness.Factory {
	return func(input []byte) (harness.Contender, error) {
		want, err := wantedRows(input)
		if err != nil {
			return harness.Contender{}, err
		}
		c := &columns{tables: map[string]*table{}, known: map[string]place{}}
		packed, read := snappy.Encode(nil, input), bodies[name].newRead()
		var inflated []byte
		op := func() (uint64, error) {
			c.clear()
			var err error
			if inflated, err = snappy.Decode(inflated[:cap(inflated)], packed); err != nil {
				return 0, err
			}
			return 0, read(inflated, c)
		}
		verify := func() error {
			if _, err := op(); err != nil {
				return err
			}
			if got := c.rows(); !maps.EqualFunc(got, want, func(a, b []row) bool { return reflect.DeepEqual(a, b) }) {
				return fmt.Errorf("other rows than protobuf-go's")
			}
			return nil
		}
		return harness.Contender{Op: op, Verify: verify, Note: bodies[name].note}, nil
	}
}

func wantedRows(input []byte) (map[string][]row, error) {
	var m prompb.WriteRequest
	if err := proto.Unmarshal(input, &m); err != nil {
		return nil, err
	}
	all := map[string][]row{}
	for _, ts := range m.Timeseries {
		labels := map[string]string{}
		for _, l := range ts.Labels {
			labels[l.Name] = l.Value
		}
		metric := labels["__name__"]
		delete(labels, "__name__")
		for _, s := range ts.Samples {
			all[metric] = append(all[metric], row{labels, s.Timestamp, math.Float64bits(s.Value)})
		}
	}
	return all, nil
}
