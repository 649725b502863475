// Package dynamic holds the task dynamic-decode: messages of a type that is known only at run time are decoded, and every
// value in them is read by handles or descriptors that were looked up before.
package dynamic

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/bench/flow"
	"github.com/hotpb/hotpb/go/bench/flow/flowpb"
	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
)

// workload is what is decoded: several messages in turn, so that no branch predictor learns them, or a large one.
type workload struct {
	message proto.Message
	inputs  func(input []byte) ([][]byte, error)
}

// The case of a remote-write request has the name of its input in the other tasks.
var workloads = map[string]workload{
	"flow":       {(*flowpb.Flow)(nil), func([]byte) ([][]byte, error) { return flow.Inputs(33) }},
	"raft":       {(*raftpb.Message)(nil), func([]byte) ([][]byte, error) { return raftMessages() }},
	"seeded-10k": {(*prompb.WriteRequest)(nil), func(input []byte) ([][]byte, error) { return [][]byte{input}, nil }},
}

// A rival decodes messages of one type.
type rival struct {
	// decode decodes a message and keeps the outcome until the next call.
	decode func(b []byte) error
	// read sums over every value of the outcome.
	read func() uint64
	// encoded is the outcome, encoded.
	encoded func() ([]byte, error)
	note    string
}

var rivals = map[string]func(w workload, inputs [][]byte) (rival, error){
	"hotpb-schema":       newRow(false, "rows; one copy of the input"),
	"hotpb-schema:alias": newRow(true, "rows; strings and bytes alias the input"),
	"hyperpb":            newHyperpb(false),
	"hyperpb:pgo":        newHyperpb(true),
	"dynamicpb":          newDynamicpb,
	"protobuf-go":        newGenerated,
}

// Tasks gives the grid of this package.
func Tasks() harness.Tasks {
	tasks := harness.Tasks{}
	for workload, w := range workloads {
		contenders := map[string]harness.Factory{}
		for name, make := range rivals {
			contenders[name] = func(input []byte) (harness.Contender, error) {
				inputs, err := w.inputs(input)
				if err != nil {
					return harness.Contender{}, err
				}
				r, err := make(w, inputs)
				if err != nil {
					return harness.Contender{}, err
				}
				return r.contender(w, inputs), nil
			}
		}
		tasks["dynamic-decode/"+workload] = contenders
	}
	return tasks
}

func (r rival) contender(w workload, inputs [][]byte) harness.Contender {
	next, size := 0, 0
	for _, b := range inputs {
		size += len(b)
	}
	return harness.Contender{
		Op: func() (uint64, error) {
			b := inputs[next]
			if next++; next == len(inputs) {
				next = 0
			}
			if err := r.decode(b); err != nil {
				return 0, err
			}
			return r.read(), nil
		},
		Verify: func() error {
			reader := newReader(w.message.ProtoReflect().Descriptor())
			for i, b := range inputs {
				want := w.message.ProtoReflect().New()
				if err := proto.Unmarshal(b, want.Interface()); err != nil {
					return err
				}
				if err := r.decode(b); err != nil {
					return err
				}
				if got, sum := r.read(), reader.sum(want); got != sum {
					return fmt.Errorf("message %d: checksum %016x, protobuf-go gives %016x", i, got, sum)
				}
				encoded, err := r.encoded()
				if err != nil {
					return err
				}
				got := w.message.ProtoReflect().New().Interface()
				if err := proto.Unmarshal(encoded, got); err != nil {
					return err
				}
				if !proto.Equal(got, want.Interface()) {
					return fmt.Errorf("message %d: the outcome differs from protobuf-go's own", i)
				}
			}
			return nil
		},
		Note: r.note, Size: size / len(inputs),
	}
}

// reader reads every value of a message by reflection. An absent message is left out, an absent number read as what it is then.
type reader struct {
	fields []readerField
}

type readerField struct {
	fd    protoreflect.FieldDescriptor
	list  bool
	kind  protoreflect.Kind
	child *reader
}

func newReader(md protoreflect.MessageDescriptor) *reader {
	return readerOf(md, map[protoreflect.FullName]*reader{})
}

// readerOf makes the reader of each type once, as types contain themselves.
func readerOf(md protoreflect.MessageDescriptor, made map[protoreflect.FullName]*reader) *reader {
	if r := made[md.FullName()]; r != nil {
		return r
	}
	r := &reader{}
	made[md.FullName()] = r
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		f := readerField{fd: fd, list: fd.IsList(), kind: fd.Kind()}
		if fd.Message() != nil {
			f.child = readerOf(fd.Message(), made)
		}
		r.fields = append(r.fields, f)
	}
	return r
}

func (r *reader) sum(m protoreflect.Message) (sum uint64) {
	for i := range r.fields {
		f := &r.fields[i]
		switch {
		case f.list:
			list := m.Get(f.fd).List()
			for i := range list.Len() {
				sum += f.value(list.Get(i))
			}
		case f.child == nil || m.Has(f.fd):
			sum += f.value(m.Get(f.fd))
		}
	}
	return sum
}

func (f *readerField) value(v protoreflect.Value) uint64 {
	switch f.kind {
	case protoreflect.MessageKind:
		return f.child.sum(v.Message())
	case protoreflect.StringKind:
		return sumText(v.String())
	case protoreflect.BytesKind:
		return sumText(v.Bytes())
	case protoreflect.EnumKind:
		return uint64(v.Enum())
	case protoreflect.BoolKind:
		return sumBool(v.Bool())
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		return math.Float64bits(v.Float())
	case protoreflect.Int64Kind, protoreflect.Int32Kind:
		return uint64(v.Int())
	}
	return v.Uint()
}

// sumText touches both ends of a string, not every byte, so that what it costs to come by it stays visible beside it.
func sumText[T string | []byte](s T) uint64 {
	if len(s) == 0 {
		return 0
	}
	return uint64(len(s)) + uint64(s[0])<<8 + uint64(s[len(s)-1])<<16
}

func sumBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// raftMessages are what a leader sends: entries, and now and then a snapshot.
func raftMessages() (all [][]byte, err error) {
	for i := range uint64(100) {
		m := &raftpb.Message{
			Type: raftpb.MessageType_MESSAGE_APPEND.Enum(), To: proto.Uint64(2 + i%4), From: proto.Uint64(1), Term: proto.Uint64(7 + i/10),
			LogTerm: proto.Uint64(7), Index: proto.Uint64(1000 * i), Commit: proto.Uint64(1000*i - i%7), Context: []byte("context"),
		}
		for n := range i % 6 {
			m.Entries = append(m.Entries, &raftpb.Entry{Type: raftpb.EntryType_ENTRY_NORMAL.Enum(), Term: proto.Uint64(7),
				Index: proto.Uint64(1000*i + n), Data: make([]byte, 100)})
		}
		if i%10 == 9 {
			m.Snapshot = &raftpb.Snapshot{Data: make([]byte, 200), Metadata: &raftpb.SnapshotMetadata{
				Index: proto.Uint64(i), Term: proto.Uint64(6), ConfState: &raftpb.ConfState{Voters: []uint64{1, 2, 300 + i}, AutoLeave: proto.Bool(true)}}}
		}
		b, err := proto.Marshal(m)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}
