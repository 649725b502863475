package zeropb

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
	"github.com/hotpb/hotpb/go/chunk"
	hot "github.com/hotpb/hotpb/go/internal/testgen/raft/rafthot"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/writer"
)

// newView reads messages where they lie, and edits one in a buffer that is used again.
func newView(in inputs, v *values) (rival, error) {
	var e hot.EntryView
	var m hot.MessageView
	var buf view.Buffer
	var edit edits
	return rival{
		ops: map[string]harness.Op{
			none: func() (uint64, error) { return 0, e.Decode(in.entry) },
			all: func() (uint64, error) {
				if err := e.Decode(in.entry); err != nil {
					return 0, err
				}
				return readView(&e), nil
			},
			repeatedly: func() (sum uint64, _ error) {
				if err := e.Decode(in.entry); err != nil {
					return 0, err
				}
				for range times {
					sum += readView(&e)
				}
				return sum, nil
			},
			complexOne: func() (uint64, error) {
				if err := m.Decode(in.message); err != nil {
					return 0, err
				}
				return m.To(), nil
			},
			complexRepeated: func() (sum uint64, _ error) {
				if err := m.Decode(in.message); err != nil {
					return 0, err
				}
				entry := m.EntriesIter()
				for entry.Next() {
					if err := e.OpenElement(&entry); err != nil {
						return 0, err
					}
					sum += readView(&e)
				}
				return sum, nil
			},
			setAll:        func() (uint64, error) { return edit.setFields(&buf, v, 1) },
			setRepeatedly: func() (uint64, error) { return edit.setFields(&buf, v, times) },
			encodeComplex: func() (uint64, error) { return edit.message(&buf, v) },
		},
		entry:   func() (*raftpb.Entry, error) { return stockOfEntry(e.Type(), e.Term(), e.Index(), e.Data()), nil },
		message: func() (*raftpb.Message, error) { return stockOfView(&m) },
		encoded: buf.Bytes,
		note:    "read where it lies; edited in a buffer that is used again",
	}, nil
}

// The accessors and setters are called in functions of their own: Go does not inline them in a function literal within
// newView or pooled.
func readView(e *hot.EntryView) uint64 {
	return e.Term() + e.Index() + uint64(e.Type()) + byteSum(e.Data())
}

func readPool(e *hot.Entry) uint64 {
	return e.GetTerm() + e.GetIndex() + uint64(e.GetType()) + byteSum(e.GetData())
}

func fillEntry(w *hot.Entry, v *values, repeat int) {
	w.Reset()
	for range repeat {
		w.SetIndex(v.index)
		w.SetTerm(v.term)
		w.SetType(hot.EntryType_ENTRY_NORMAL)
		w.SetData(v.data)
	}
}

// edits are the handles of a message, used again.
type edits struct {
	message_ hot.MessageEdit
	entry    hot.EntryEdit
	snapshot hot.SnapshotEdit
	metadata hot.SnapshotMetadataEdit
	conf     hot.ConfStateEdit
}

func (e *edits) setFields(buf *view.Buffer, v *values, repeat int) (uint64, error) {
	w := &e.entry
	w.Start(buf)
	for range repeat {
		w.SetIndex(v.index)
		w.SetTerm(v.term)
		w.SetType(hot.EntryType_ENTRY_NORMAL)
		w.SetData(v.data)
	}
	return uint64(len(buf.Bytes())), buf.Err()
}

func (e *edits) message(buf *view.Buffer, v *values) (uint64, error) {
	m := &e.message_
	m.Start(buf)
	m.SetType(hot.MessageType_MESSAGE_HUP)
	m.SetTo(v.to)
	m.SetFrom(v.from)
	m.SetTerm(v.entries[0].term)
	m.SetLogTerm(v.log)
	m.SetIndex(v.entries[0].index)
	m.SetContext(v.context)
	m.NewSnapshotInto(&e.snapshot)
	e.snapshot.NewMetadataInto(&e.metadata)
	e.metadata.NewConfStateInto(&e.conf)
	e.metadata.SetIndex(v.entries[0].index)
	e.metadata.SetTerm(v.entries[0].term)
	for i := range v.entries {
		m.AddEntriesInto(&e.entry)
		e.entry.SetType(hot.EntryType_ENTRY_NORMAL)
		e.entry.SetTerm(v.entries[i].term)
		e.entry.SetIndex(v.entries[i].index)
		e.entry.SetData(v.entries[i].data)
	}
	return uint64(len(buf.Bytes())), buf.Err()
}

// newPool decodes into a message that is used again, and fills one in that is used again.
func newPool(in inputs, v *values) (rival, error) { return pooled(in, v, false) }

func newPoolAlias(in inputs, v *values) (rival, error) { return pooled(in, v, true) }

func decodeEntry(e *hot.Entry, b []byte, alias bool) error {
	if alias {
		return e.UnmarshalAlias(b)
	}
	return e.Unmarshal(b)
}

func decodeMessage(m *hot.Message, b []byte, alias bool) error {
	if alias {
		return m.UnmarshalAlias(b)
	}
	return m.Unmarshal(b)
}

func pooled(in inputs, v *values, alias bool) (rival, error) {
	var e, w hot.Entry
	var m, wm hot.Message
	buf := make([]byte, 1024)
	size := 0
	set := func(repeat int) harness.Op {
		return func() (_ uint64, err error) {
			fillEntry(&w, v, repeat)
			size, err = w.MarshalToSizedBuffer(buf)
			return uint64(size), err
		}
	}
	note := "Unmarshal"
	if alias {
		note = "UnmarshalAlias"
	}
	return rival{
		ops: map[string]harness.Op{
			none: func() (uint64, error) { return 0, decodeEntry(&e, in.entry, alias) },
			all: func() (uint64, error) {
				if err := decodeEntry(&e, in.entry, alias); err != nil {
					return 0, err
				}
				return readPool(&e), nil
			},
			repeatedly: func() (sum uint64, _ error) {
				if err := decodeEntry(&e, in.entry, alias); err != nil {
					return 0, err
				}
				for range times {
					sum += readPool(&e)
				}
				return sum, nil
			},
			complexOne: func() (uint64, error) {
				if err := decodeMessage(&m, in.message, alias); err != nil {
					return 0, err
				}
				return m.GetTo(), nil
			},
			complexRepeated: func() (sum uint64, _ error) {
				if err := decodeMessage(&m, in.message, alias); err != nil {
					return 0, err
				}
				for i := range m.Entries {
					sum += readPool(&m.Entries[i])
				}
				return sum, nil
			},
			setAll:        set(1),
			setRepeatedly: set(times),
			encodeComplex: func() (_ uint64, err error) {
				fillPool(&wm, v)
				size, err = wm.MarshalToSizedBuffer(buf)
				return uint64(size), err
			},
		},
		entry: func() (*raftpb.Entry, error) {
			return stockOfEntry(e.GetType(), e.GetTerm(), e.GetIndex(), e.GetData()), nil
		},
		message: func() (*raftpb.Message, error) { return reencoded(m.Marshal()) },
		encoded: func() []byte { return buf[len(buf)-size:] },
		note:    note + " into a message that is used again; filled in again, encoded backwards, without a size pass",
	}, nil
}

func fillPool(m *hot.Message, v *values) {
	entries := m.Entries[:0]
	m.Reset()
	m.SetType(hot.MessageType_MESSAGE_HUP)
	m.SetTo(v.to)
	m.SetFrom(v.from)
	m.SetTerm(v.entries[0].term)
	m.SetLogTerm(v.log)
	m.SetIndex(v.entries[0].index)
	m.SetContext(v.context)
	s := m.MutableSnapshot().MutableMetadata()
	s.MutableConfState()
	s.SetIndex(v.entries[0].index)
	s.SetTerm(v.entries[0].term)
	for i := range v.entries {
		entries = append(entries, hot.Entry{})
		e := &entries[i]
		e.SetType(hot.EntryType_ENTRY_NORMAL)
		e.SetTerm(v.entries[i].term)
		e.SetIndex(v.entries[i].index)
		e.SetData(v.entries[i].data)
	}
	m.Entries = entries
}

// newWriter writes field by field into memory that is used again.
func newWriter(in inputs, v *values) (rival, error) {
	memory := make([]byte, 1024)
	out := writer.NewFixedBuffer(memory, chunk.Compact)
	return rival{
		ops: map[string]harness.Op{
			setAll: func() (uint64, error) {
				out.Reset(memory)
				w := hot.NewEntryWriter(out)
				w.SetIndex(v.index)
				w.SetTerm(v.term)
				w.SetType(hot.EntryType_ENTRY_NORMAL)
				w.SetData(v.data)
				err := w.End()
				return uint64(len(out.Bytes())), err
			},
			encodeComplex: func() (uint64, error) {
				out.Reset(memory)
				err := writeMessage(hot.NewMessageWriter(out), v)
				return uint64(len(out.Bytes())), err
			},
		},
		encoded: out.Bytes,
		note:    "one FixedBuffer, used again",
	}, nil
}

func writeMessage(m hot.MessageWriter, v *values) error {
	m.SetType(hot.MessageType_MESSAGE_HUP)
	m.SetTo(v.to)
	m.SetFrom(v.from)
	m.SetTerm(v.entries[0].term)
	m.SetLogTerm(v.log)
	m.SetIndex(v.entries[0].index)
	m.SetContext(v.context)
	s := m.SetSnapshot()
	meta := s.SetMetadata()
	meta.SetConfState().End()
	meta.SetIndex(v.entries[0].index)
	meta.SetTerm(v.entries[0].term)
	meta.End()
	s.End()
	for i := range v.entries {
		e := m.AddEntries()
		e.SetType(hot.EntryType_ENTRY_NORMAL)
		e.SetTerm(v.entries[i].term)
		e.SetIndex(v.entries[i].index)
		e.SetData(v.entries[i].data)
		e.End()
	}
	return m.End()
}

func stockOfEntry(kind hot.EntryType, term, index uint64, data []byte) *raftpb.Entry {
	return &raftpb.Entry{Type: raftpb.EntryType(kind).Enum(), Term: &term, Index: &index, Data: data}
}

// stockOfView reads the message through the accessors.
func stockOfView(m *hot.MessageView) (*raftpb.Message, error) {
	snapshot, err := m.Snapshot()
	if err != nil {
		return nil, err
	}
	metadata, err := snapshot.Metadata()
	if err != nil {
		return nil, err
	}
	out := &raftpb.Message{
		Type: raftpb.MessageType(m.Type()).Enum(), To: proto.Uint64(m.To()), From: proto.Uint64(m.From()), Term: proto.Uint64(m.Term()),
		LogTerm: proto.Uint64(m.LogTerm()), Index: proto.Uint64(m.Index()), Context: m.Context(),
		Snapshot: &raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{
			ConfState: &raftpb.ConfState{}, Index: proto.Uint64(metadata.Index()), Term: proto.Uint64(metadata.Term()),
		}},
	}
	for e, err := range m.Entries() {
		if err != nil {
			return nil, err
		}
		out.Entries = append(out.Entries, stockOfEntry(e.Type(), e.Term(), e.Index(), e.Data()))
	}
	return out, nil
}

func reencoded(encoded []byte, err error) (*raftpb.Message, error) {
	if err != nil {
		return nil, err
	}
	m := new(raftpb.Message)
	return m, proto.Unmarshal(encoded, m)
}
