package zeropb

import (
	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb/gogo"
)

// newGogo is gogo with generated methods and fields that are values, as raft's users had it.
func newGogo(in inputs, v *values) (rival, error) {
	var e gogo.Entry
	var m gogo.Message
	buf := make([]byte, 1024)
	size := 0
	read := func(e *gogo.Entry) uint64 { return e.Term + e.Index + uint64(e.Type) + byteSum(e.Data) }
	decodeEntry := func() error {
		e.Reset()
		return e.Unmarshal(in.entry)
	}
	set := func(repeat int) harness.Op {
		return func() (_ uint64, err error) {
			var w gogo.Entry
			for range repeat {
				w = gogo.Entry{Type: gogo.EntryType_ENTRY_NORMAL, Term: v.term, Index: v.index, Data: v.data}
			}
			size, err = w.MarshalToSizedBuffer(buf)
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
				return read(&e), nil
			},
			repeatedly: func() (sum uint64, _ error) {
				if err := decodeEntry(); err != nil {
					return 0, err
				}
				for range times {
					sum += read(&e)
				}
				return sum, nil
			},
			complexOne: func() (uint64, error) {
				m.Reset()
				err := m.Unmarshal(in.message)
				return m.To, err
			},
			complexRepeated: func() (sum uint64, _ error) {
				m.Reset()
				if err := m.Unmarshal(in.message); err != nil {
					return 0, err
				}
				for i := range m.Entries {
					sum += read(&m.Entries[i])
				}
				return sum, nil
			},
			setAll:        set(1),
			setRepeatedly: set(times),
			encodeComplex: func() (_ uint64, err error) {
				w := gogoMessage(v)
				size, err = w.MarshalToSizedBuffer(buf)
				return uint64(size), err
			},
		},
		entry: func() (*raftpb.Entry, error) {
			return stockEntry(e.Term, e.Index, e.Data), nil
		},
		message: func() (*raftpb.Message, error) { return reencoded(m.Marshal()) },
		encoded: func() []byte { return buf[len(buf)-size:] },
		note:    "value structs, reset and decoded again, a new one for each encode; encoded backwards, without a size pass",
	}, nil
}

func gogoMessage(v *values) gogo.Message {
	m := gogo.Message{
		Type: gogo.MessageType_MESSAGE_HUP, To: v.to, From: v.from, Term: v.entries[0].term, LogTerm: v.log, Index: v.entries[0].index, Context: v.context,
		Snapshot: gogo.Snapshot{Metadata: gogo.SnapshotMetadata{Index: v.entries[0].index, Term: v.entries[0].term}},
		Entries:  make([]gogo.Entry, len(v.entries)),
	}
	for i := range v.entries {
		m.Entries[i] = gogo.Entry{Type: gogo.EntryType_ENTRY_NORMAL, Term: v.entries[i].term, Index: v.entries[i].index, Data: v.entries[i].data}
	}
	return m
}
