package zeropb

import (
	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
)

// newVTProtobuf is the stock structs with vtprotobuf's methods, new ones each time.
func newVTProtobuf(in inputs, v *values) (rival, error) {
	e, m := new(raftpb.Entry), new(raftpb.Message)
	buf := make([]byte, 1024)
	r := decodes(reading[*raftpb.Entry, *raftpb.Message]{
		entry: e, decodeEntry: func() error { *e = raftpb.Entry{}; return e.UnmarshalVT(in.entry) }, read: readOpen,
		message: m, decodeMessage: func() error { *m = raftpb.Message{}; return m.UnmarshalVT(in.message) },
		to: (*raftpb.Message).GetTo, entries: (*raftpb.Message).GetEntries,
	})
	var size int
	set := func(repeat int) harness.Op {
		return func() (_ uint64, err error) {
			var w *raftpb.Entry
			for range repeat {
				w = stockEntry(v.term, v.index, v.data)
			}
			size, err = w.MarshalToSizedBufferVT(buf)
			return uint64(size), err
		}
	}
	r.ops[setAll], r.ops[setRepeatedly] = set(1), set(times)
	r.ops[encodeComplex] = func() (_ uint64, err error) {
		size, err = stockMessage(v).MarshalToSizedBufferVT(buf)
		return uint64(size), err
	}
	r.entry = func() (*raftpb.Entry, error) { return e, nil }
	r.message = func() (*raftpb.Message, error) { return m, nil }
	r.encoded = func() []byte { return buf[len(buf)-size:] }
	r.note = "cleared and decoded again, a new one for each encode; encoded backwards, without a size pass"
	return r, nil
}

// newVTPool is vtprotobuf at its fastest: pooled messages, and bytes that alias the input.
func newVTPool(in inputs, v *values) (rival, error) {
	e, m := raftpb.EntryFromVTPool(), raftpb.MessageFromVTPool()
	buf := make([]byte, 1024)
	decodeEntry := func() error {
		e.ReturnToVTPool()
		e = raftpb.EntryFromVTPool()
		return e.UnmarshalVTUnsafe(in.entry)
	}
	decodeMessage := func() error {
		m.ReturnToVTPool()
		m = raftpb.MessageFromVTPool()
		return m.UnmarshalVTUnsafe(in.message)
	}
	var size int
	set := func(repeat int) harness.Op {
		return func() (_ uint64, err error) {
			w := raftpb.EntryFromVTPool()
			for range repeat {
				w.Type, w.Term, w.Index, w.Data = raftpb.EntryType_ENTRY_NORMAL.Enum(), &v.term, &v.index, v.data
			}
			size, err = w.MarshalToSizedBufferVT(buf)
			w.Data = nil // it is not the pool's to keep
			w.ReturnToVTPool()
			return uint64(size), err
		}
	}
	return rival{
		ops: map[string]harness.Op{
			none: func() (uint64, error) { return 0, decodeEntry() },
			all: func() (uint64, error) {
				if err := decodeEntry(); err != nil {
					return 0, err
				}
				return readOpen(e), nil
			},
			repeatedly: func() (sum uint64, _ error) {
				if err := decodeEntry(); err != nil {
					return 0, err
				}
				for range times {
					sum += readOpen(e)
				}
				return sum, nil
			},
			complexOne: func() (uint64, error) {
				if err := decodeMessage(); err != nil {
					return 0, err
				}
				return m.GetTo(), nil
			},
			complexRepeated: func() (sum uint64, _ error) {
				if err := decodeMessage(); err != nil {
					return 0, err
				}
				for _, e := range m.Entries {
					sum += readOpen(e)
				}
				return sum, nil
			},
			setAll:        set(1),
			setRepeatedly: set(times),
			encodeComplex: func() (_ uint64, err error) {
				w := raftpb.MessageFromVTPool()
				fillVTPool(w, v)
				size, err = w.MarshalToSizedBufferVT(buf)
				w.Context = nil
				for _, e := range w.Entries {
					e.Data = nil
				}
				w.ReturnToVTPool()
				return uint64(size), err
			},
		},
		entry:   func() (*raftpb.Entry, error) { return e, nil },
		message: func() (*raftpb.Message, error) { return m, nil },
		encoded: func() []byte { return buf[len(buf)-size:] },
		note:    "pooled; bytes alias the input, numbers to encode the caller's; encoded backwards, without a size pass",
	}, nil
}

func fillVTPool(w *raftpb.Message, v *values) {
	w.Type, w.To, w.From, w.Term = raftpb.MessageType_MESSAGE_HUP.Enum(), &v.to, &v.from, &v.entries[0].term
	w.LogTerm, w.Index, w.Context = &v.log, &v.entries[0].index, v.context
	w.Snapshot = &raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{
		ConfState: &raftpb.ConfState{}, Index: &v.entries[0].index, Term: &v.entries[0].term,
	}}
	for i := range v.entries {
		e := raftpb.EntryFromVTPool()
		e.Type, e.Term, e.Index, e.Data = raftpb.EntryType_ENTRY_NORMAL.Enum(), &v.entries[i].term, &v.entries[i].index, v.entries[i].data
		w.Entries = append(w.Entries, e)
	}
}
