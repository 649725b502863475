// Package zeropb holds the task that zeropb was measured with in 2019, on a raft schema, and its contenders, one file each:
// decode a small or a larger message and read none, all, one or the repeated ones of its fields; fill a message in and encode it.
package zeropb

import (
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
)

// The cases. An entry is three numbers of one byte and 100 bytes of data; a message has three of them.
const (
	none            = "none"             // decode an entry
	all             = "all"              // decode an entry, read all of it
	repeatedly      = "repeatedly"       // decode an entry, read all of it three times
	complexOne      = "complex-one"      // decode a message, read one number
	complexRepeated = "complex-repeated" // decode a message, read all of its entries
	setAll          = "set-all"          // fill an entry in, encode it
	setRepeatedly   = "set-repeatedly"   // the same, each field set three times
	encodeComplex   = "encode-complex"   // fill a message in, with its entries and snapshot, encode it
)

// times is how often the cases ending in -repeatedly read or set.
const times = 3

// inputs are the bytes to read and the values to fill in; each operation reads both again.
type inputs struct {
	entry, message []byte
}

// values are filled in by the cases that encode.
type values struct {
	term, index   uint64
	data          []byte
	to, from, log uint64
	context       []byte
	entries       [3]struct {
		term, index uint64
		data        []byte
	}
}

// A rival has an operation for each case that it takes part in.
type rival struct {
	ops map[string]harness.Op
	// entry, message and encoded are the results of the last operation.
	entry   func() (*raftpb.Entry, error)
	message func() (*raftpb.Message, error)
	encoded func() []byte
	note    string
}

var (
	decoding  = []string{none, all, repeatedly, complexOne, complexRepeated}
	encoding  = []string{setAll, setRepeatedly, encodeComplex}
	workloads = slices.Concat(decoding, encoding)
)

var rivals = map[string]struct {
	make  func(in inputs, v *values) (rival, error)
	cases []string
}{
	"floor":                  {newFloor, workloads},
	"hotpb-view":             {newView, workloads},
	"hotpb-pool":             {newPool, workloads},
	"hotpb-pool:alias":       {newPoolAlias, decoding},
	"hotpb-writer":           {newWriter, []string{setAll, encodeComplex}},
	"protobuf-go":            {newOpen, workloads},
	"protobuf-go:opaque":     {newOpaque, workloads},
	"protobuf-go:lazy":       {newLazy, []string{complexOne, complexRepeated}},
	"gogo":                   {newGogo, workloads},
	"vtprotobuf":             {newVTProtobuf, workloads},
	"vtprotobuf:pool+unsafe": {newVTPool, workloads},
	"easyproto":              {newEasyproto, workloads},
	"hyperpb":                {newHyperpb, decoding},
	"hyperpb:pgo":            {newHyperpbPGO, decoding},
	"zeropb-port":            {newPort, workloads},
}

// Tasks returns the grid of this package.
func Tasks() harness.Tasks {
	tasks := harness.Tasks{}
	for _, workload := range workloads {
		tasks["zeropb/"+workload] = map[string]harness.Factory{}
	}
	for name, rival := range rivals {
		for _, workload := range rival.cases {
			tasks["zeropb/"+workload][name] = func([]byte) (harness.Contender, error) {
				v := newValues()
				in, err := newInputs()
				if err != nil {
					return harness.Contender{}, err
				}
				r, err := rival.make(in, v)
				return harness.Contender{
					Op:     r.ops[workload],
					Verify: func() error { return r.verify(workload, in, v) },
					Note:   r.note,
					Size:   len(in.input(workload)),
				}, err
			}
		}
	}
	return tasks
}

// input is the input of a case, or the message that it encodes.
func (in inputs) input(workload string) []byte {
	switch workload {
	case complexOne, complexRepeated, encodeComplex:
		return in.message
	}
	return in.entry
}

func newValues() *values {
	v := &values{term: 1, index: 2, data: ramp(100, 100), to: 1, from: 2, log: 4, context: ramp(0, 100)}
	for i := range v.entries {
		v.entries[i].term, v.entries[i].index, v.entries[i].data = 3, 5, ramp(i*100, 100)
	}
	return v
}

func ramp(from, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(from + i)
	}
	return b
}

// newInputs encodes the values with every number present, those that are zero too, as gogo writes them, whose structs cannot tell.
func newInputs() (in inputs, err error) {
	v := newValues()
	if in.entry, err = proto.Marshal(stockEntry(v.term, v.index, v.data)); err != nil {
		return in, err
	}
	m := stockMessage(v)
	m.Commit, m.Reject, m.RejectHint, m.Vote = proto.Uint64(0), proto.Bool(false), proto.Uint64(0), proto.Uint64(0)
	m.Snapshot.Metadata.ConfState.AutoLeave = proto.Bool(false)
	in.message, err = proto.Marshal(m)
	return in, err
}

func stockEntry(term, index uint64, data []byte) *raftpb.Entry {
	return &raftpb.Entry{Type: raftpb.EntryType_ENTRY_NORMAL.Enum(), Term: &term, Index: &index, Data: data}
}

// stockMessage makes a stock message, as the stock runtime's users do.
func stockMessage(v *values) *raftpb.Message {
	m := &raftpb.Message{
		Type: raftpb.MessageType_MESSAGE_HUP.Enum(), To: proto.Uint64(v.to), From: proto.Uint64(v.from), Term: proto.Uint64(v.entries[0].term),
		LogTerm: proto.Uint64(v.log), Index: proto.Uint64(v.entries[0].index), Context: v.context,
		Snapshot: &raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{
			ConfState: &raftpb.ConfState{}, Index: proto.Uint64(v.entries[0].index), Term: proto.Uint64(v.entries[0].term),
		}},
		Entries: make([]*raftpb.Entry, len(v.entries)),
	}
	for i := range v.entries {
		m.Entries[i] = stockEntry(v.entries[i].term, v.entries[i].index, v.entries[i].data)
	}
	return m
}

// byteSum is the same code for all.
//
//go:noinline
func byteSum(b []byte) (sum uint64) {
	for _, c := range b {
		sum += uint64(c)
	}
	return sum
}

// newFloor is the work that all contenders of a case share: the sums over the data.
func newFloor(in inputs, v *values) (rival, error) {
	nothing := func() (uint64, error) { return 0, nil }
	ops := map[string]harness.Op{
		all: func() (uint64, error) { return byteSum(v.data), nil },
		repeatedly: func() (sum uint64, _ error) {
			for range times {
				sum += byteSum(v.data)
			}
			return sum, nil
		},
		complexRepeated: func() (sum uint64, _ error) {
			for i := range v.entries {
				sum += byteSum(v.entries[i].data)
			}
			return sum, nil
		},
	}
	for _, workload := range []string{none, complexOne, setAll, setRepeatedly, encodeComplex} {
		ops[workload] = nothing
	}
	return rival{ops: ops, note: "what all share: the sums over the data, alone"}, nil
}

// sums are over the values that are read: of the floor the data alone, of all others the numbers too.
func (v *values) sums(workload string, numbers bool) (sum uint64) {
	if numbers && workload == complexOne {
		return v.to
	}
	add := func(term, index uint64, data []byte) {
		if sum += byteSum(data); numbers {
			sum += term + index
		}
	}
	switch workload {
	case all:
		add(v.term, v.index, v.data)
	case repeatedly:
		for range times {
			add(v.term, v.index, v.data)
		}
	case complexRepeated:
		for _, e := range v.entries {
			add(e.term, e.index, e.data)
		}
	}
	return sum
}

func (r rival) verify(workload string, in inputs, v *values) error {
	got, err := r.ops[workload]()
	if err != nil {
		return err
	}
	isFloor := r.encoded == nil && r.entry == nil && r.message == nil
	if want := v.sums(workload, !isFloor); got != want && workload != setAll && workload != setRepeatedly && workload != encodeComplex {
		return fmt.Errorf("read a sum of %d, not %d", got, want)
	}
	if isFloor {
		return nil
	}
	var m, want proto.Message = new(raftpb.Entry), new(raftpb.Entry)
	if err := proto.Unmarshal(in.entry, want); err != nil {
		return err
	}
	switch workload {
	case none, all, repeatedly:
		m, err = r.entry()
	case complexOne, complexRepeated:
		want = new(raftpb.Message)
		if err := proto.Unmarshal(in.message, want); err != nil {
			return err
		}
		m, err = r.message()
	case encodeComplex:
		m, want = new(raftpb.Message), stockMessage(v)
		err = proto.Unmarshal(r.encoded(), m)
	default:
		err = proto.Unmarshal(r.encoded(), m)
	}
	if err != nil {
		return err
	}
	for _, x := range []proto.Message{m, want} {
		dropZeros(x.ProtoReflect())
	}
	if !proto.Equal(m, want) {
		return errors.New("the outcome is not protobuf-go's own")
	}
	return nil
}

// dropZeros makes numbers absent that are zero: not every contender can tell the one from the other.
func dropZeros(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				dropZeros(v.List().Get(i).Message())
			}
		case f.IsList():
		case f.Message() != nil:
			dropZeros(v.Message())
		case v.Equal(f.Default()):
			m.Clear(f)
		}
		return true
	})
}
