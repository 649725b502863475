package zeropb

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb/lazy"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb/opaque"
)

const stockNote = "used again by decodes, a new one for each encode; encoded into memory that is used again"

// marshalAppend encodes for all settings of the stock runtime.
func marshalAppend(buf *[]byte, m proto.Message) (_ uint64, err error) {
	*buf, err = proto.MarshalOptions{}.MarshalAppend((*buf)[:0], m)
	return uint64(len(*buf)), err
}

// newOpen is the stock runtime with the structs that most users have.
func newOpen(in inputs, v *values) (rival, error) {
	var e raftpb.Entry
	var m raftpb.Message
	var buf []byte
	r := decodes(reading[*raftpb.Entry, *raftpb.Message]{
		entry: &e, decodeEntry: func() error { return proto.Unmarshal(in.entry, &e) }, read: readOpen,
		message: &m, decodeMessage: func() error { return proto.Unmarshal(in.message, &m) },
		to: (*raftpb.Message).GetTo, entries: (*raftpb.Message).GetEntries,
	})
	set := func(repeat int) harness.Op {
		return func() (uint64, error) {
			var w *raftpb.Entry
			for range repeat {
				w = stockEntry(v.term, v.index, v.data)
			}
			return marshalAppend(&buf, w)
		}
	}
	r.ops[setAll], r.ops[setRepeatedly] = set(1), set(times)
	r.ops[encodeComplex] = func() (uint64, error) { return marshalAppend(&buf, stockMessage(v)) }
	r.entry = func() (*raftpb.Entry, error) { return &e, nil }
	r.message = func() (*raftpb.Message, error) { return &m, nil }
	r.encoded = func() []byte { return buf }
	r.note = stockNote
	return r, nil
}

func readOpen(e *raftpb.Entry) uint64 {
	return e.GetTerm() + e.GetIndex() + uint64(e.GetType()) + byteSum(e.GetData())
}

// newOpaque is the stock runtime with its opaque API.
func newOpaque(in inputs, v *values) (rival, error) {
	var e opaque.Entry
	var m opaque.Message
	var buf []byte
	r := decodes(reading[*opaque.Entry, *opaque.Message]{
		entry: &e, decodeEntry: func() error { return proto.Unmarshal(in.entry, &e) },
		read: func(e *opaque.Entry) uint64 {
			return e.GetTerm() + e.GetIndex() + uint64(e.GetType()) + byteSum(e.GetData())
		},
		message: &m, decodeMessage: func() error { return proto.Unmarshal(in.message, &m) },
		to: (*opaque.Message).GetTo, entries: (*opaque.Message).GetEntries,
	})
	set := func(repeat int) harness.Op {
		return func() (uint64, error) {
			w := new(opaque.Entry)
			for range repeat {
				fillOpaqueEntry(w, v.term, v.index, v.data)
			}
			return marshalAppend(&buf, w)
		}
	}
	r.ops[setAll], r.ops[setRepeatedly] = set(1), set(times)
	r.ops[encodeComplex] = func() (uint64, error) { return marshalAppend(&buf, opaqueMessage(v)) }
	r.entry = func() (*raftpb.Entry, error) { return asOpen(&e, new(raftpb.Entry)) }
	r.message = func() (*raftpb.Message, error) { return asOpen(&m, new(raftpb.Message)) }
	r.encoded = func() []byte { return buf }
	r.note = "the opaque API; " + stockNote
	return r, nil
}

func fillOpaqueEntry(e *opaque.Entry, term, index uint64, data []byte) {
	e.SetType(opaque.EntryType_ENTRY_NORMAL)
	e.SetTerm(term)
	e.SetIndex(index)
	e.SetData(data)
}

func opaqueMessage(v *values) *opaque.Message {
	m := new(opaque.Message)
	m.SetType(opaque.MessageType_MESSAGE_HUP)
	m.SetTo(v.to)
	m.SetFrom(v.from)
	m.SetTerm(v.entries[0].term)
	m.SetLogTerm(v.log)
	m.SetIndex(v.entries[0].index)
	m.SetContext(v.context)
	meta := new(opaque.SnapshotMetadata)
	meta.SetConfState(new(opaque.ConfState))
	meta.SetIndex(v.entries[0].index)
	meta.SetTerm(v.entries[0].term)
	snapshot := new(opaque.Snapshot)
	snapshot.SetMetadata(meta)
	m.SetSnapshot(snapshot)
	entries := make([]*opaque.Entry, len(v.entries))
	for i := range v.entries {
		entries[i] = new(opaque.Entry)
		fillOpaqueEntry(entries[i], v.entries[i].term, v.entries[i].index, v.entries[i].data)
	}
	m.SetEntries(entries)
	return m
}

// newLazy is the opaque API with message fields that are decoded when they are read. An entry has none.
func newLazy(in inputs, _ *values) (rival, error) {
	var m lazy.Message
	r := decodes(reading[*lazy.Entry, *lazy.Message]{
		read: func(e *lazy.Entry) uint64 {
			return e.GetTerm() + e.GetIndex() + uint64(e.GetType()) + byteSum(e.GetData())
		},
		message: &m, decodeMessage: func() error { return proto.Unmarshal(in.message, &m) },
		to: (*lazy.Message).GetTo, entries: (*lazy.Message).GetEntries,
	})
	r.message = func() (*raftpb.Message, error) { return asOpen(&m, new(raftpb.Message)) }
	r.note = "the opaque API, message fields decoded when they are read; used again"
	return r, nil
}

// asOpen moves a message to the structs of the open API.
func asOpen[T proto.Message](m proto.Message, out T) (T, error) {
	encoded, err := proto.Marshal(m)
	if err != nil {
		return out, err
	}
	return out, proto.Unmarshal(encoded, out)
}

// reading is the part of the cases that decode for contenders whose messages have getters.
type reading[E, M any] struct {
	entry         E
	decodeEntry   func() error
	read          func(E) uint64
	message       M
	decodeMessage func() error
	to            func(M) uint64
	entries       func(M) []E
}

// decodes makes the cases that decode.
func decodes[E, M any](r reading[E, M]) rival {
	ops := map[string]harness.Op{
		complexOne: func() (uint64, error) {
			if err := r.decodeMessage(); err != nil {
				return 0, err
			}
			return r.to(r.message), nil
		},
		complexRepeated: func() (sum uint64, _ error) {
			if err := r.decodeMessage(); err != nil {
				return 0, err
			}
			for _, e := range r.entries(r.message) {
				sum += r.read(e)
			}
			return sum, nil
		},
	}
	if r.decodeEntry != nil {
		ops[none] = func() (uint64, error) { return 0, r.decodeEntry() }
		ops[all] = func() (uint64, error) {
			if err := r.decodeEntry(); err != nil {
				return 0, err
			}
			return r.read(r.entry), nil
		}
		ops[repeatedly] = func() (sum uint64, _ error) {
			if err := r.decodeEntry(); err != nil {
				return 0, err
			}
			for range times {
				sum += r.read(r.entry)
			}
			return sum, nil
		}
	}
	return rival{ops: ops}
}
