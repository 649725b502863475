package zeropb

import (
	"errors"

	"github.com/VictoriaMetrics/easyproto"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
)

// The structs, and the code by hand that easyproto wants, for what the cases use of the schema.
type (
	easyEntry struct {
		kind        int32
		term, index uint64
		data        []byte
	}
	easySnapshot struct{ index, term uint64 }
	easyMessage  struct {
		kind                                       int32
		to, from, term, log, index, commit, reject uint64
		hint, vote                                 uint64
		context                                    []byte
		snapshot                                   easySnapshot
		entries                                    []easyEntry
	}
)

var errEasyproto = errors.New("easyproto: malformed message")

func newEasyproto(in inputs, v *values) (rival, error) {
	var e, w easyEntry
	var m, wm easyMessage
	var marshaler easyproto.Marshaler
	var buf []byte
	read := func(e *easyEntry) uint64 { return e.term + e.index + uint64(e.kind) + byteSum(e.data) }
	set := func(repeat int) harness.Op {
		return func() (uint64, error) {
			for range repeat {
				w = easyEntry{0, v.term, v.index, v.data}
			}
			marshaler.Reset()
			w.marshal(marshaler.MessageMarshaler())
			buf = marshaler.Marshal(buf[:0])
			return uint64(len(buf)), nil
		}
	}
	return rival{
		ops: map[string]harness.Op{
			none: func() (uint64, error) { return 0, e.unmarshal(in.entry) },
			all: func() (uint64, error) {
				if err := e.unmarshal(in.entry); err != nil {
					return 0, err
				}
				return read(&e), nil
			},
			repeatedly: func() (sum uint64, _ error) {
				if err := e.unmarshal(in.entry); err != nil {
					return 0, err
				}
				for range times {
					sum += read(&e)
				}
				return sum, nil
			},
			complexOne: func() (uint64, error) {
				if err := m.unmarshal(in.message); err != nil {
					return 0, err
				}
				return m.to, nil
			},
			complexRepeated: func() (sum uint64, _ error) {
				if err := m.unmarshal(in.message); err != nil {
					return 0, err
				}
				for i := range m.entries {
					sum += read(&m.entries[i])
				}
				return sum, nil
			},
			setAll:        set(1),
			setRepeatedly: set(times),
			encodeComplex: func() (uint64, error) {
				wm.fill(v)
				marshaler.Reset()
				wm.marshal(marshaler.MessageMarshaler())
				buf = marshaler.Marshal(buf[:0])
				return uint64(len(buf)), nil
			},
		},
		entry: func() (*raftpb.Entry, error) { return stockEntry(e.term, e.index, e.data), nil },
		message: func() (*raftpb.Message, error) {
			var encoder easyproto.Marshaler
			m.marshal(encoder.MessageMarshaler())
			return reencoded(encoder.Marshal(nil), nil)
		},
		encoded: func() []byte { return buf },
		note:    "structs that are used again, bytes alias the input; fields of the cases only; one Marshaler, used again",
	}, nil
}

func (e *easyEntry) unmarshal(src []byte) (err error) {
	*e = easyEntry{}
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			e.kind, ok = fc.Int32()
		case 2:
			e.term, ok = fc.Uint64()
		case 3:
			e.index, ok = fc.Uint64()
		case 4:
			e.data, ok = fc.Bytes()
		}
		if !ok {
			return errEasyproto
		}
	}
	return nil
}

func (s *easySnapshot) unmarshal(src []byte) (err error) {
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		if fc.FieldNum == 2 {
			metadata, ok := fc.MessageData()
			if !ok {
				return errEasyproto
			}
			if err := s.unmarshalMetadata(metadata); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *easySnapshot) unmarshalMetadata(src []byte) (err error) {
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 2:
			s.index, ok = fc.Uint64()
		case 3:
			s.term, ok = fc.Uint64()
		}
		if !ok {
			return errEasyproto
		}
	}
	return nil
}

func (m *easyMessage) unmarshal(src []byte) (err error) {
	*m = easyMessage{entries: m.entries[:0]}
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			m.kind, ok = fc.Int32()
		case 2:
			m.to, ok = fc.Uint64()
		case 3:
			m.from, ok = fc.Uint64()
		case 4:
			m.term, ok = fc.Uint64()
		case 5:
			m.log, ok = fc.Uint64()
		case 6:
			m.index, ok = fc.Uint64()
		case 7:
			var entry []byte
			if entry, ok = fc.MessageData(); ok {
				m.entries = append(m.entries, easyEntry{})
				err = m.entries[len(m.entries)-1].unmarshal(entry)
			}
		case 8:
			m.commit, ok = fc.Uint64()
		case 9:
			var snapshot []byte
			if snapshot, ok = fc.MessageData(); ok {
				err = m.snapshot.unmarshal(snapshot)
			}
		case 10:
			m.reject, ok = fc.Uint64()
		case 11:
			m.hint, ok = fc.Uint64()
		case 12:
			m.context, ok = fc.Bytes()
		case 13:
			m.vote, ok = fc.Uint64()
		}
		if !ok || err != nil {
			return errors.Join(errEasyproto, err)
		}
	}
	return nil
}

func (m *easyMessage) fill(v *values) {
	*m = easyMessage{
		to: v.to, from: v.from, term: v.entries[0].term, log: v.log, index: v.entries[0].index, context: v.context,
		snapshot: easySnapshot{v.entries[0].index, v.entries[0].term}, entries: m.entries[:0],
	}
	for i := range v.entries {
		m.entries = append(m.entries, easyEntry{0, v.entries[i].term, v.entries[i].index, v.entries[i].data})
	}
}

func (e *easyEntry) marshal(mm *easyproto.MessageMarshaler) {
	mm.AppendInt32(1, e.kind)
	mm.AppendUint64(2, e.term)
	mm.AppendUint64(3, e.index)
	mm.AppendBytes(4, e.data)
}

func (m *easyMessage) marshal(mm *easyproto.MessageMarshaler) {
	mm.AppendInt32(1, m.kind)
	mm.AppendUint64(2, m.to)
	mm.AppendUint64(3, m.from)
	mm.AppendUint64(4, m.term)
	mm.AppendUint64(5, m.log)
	mm.AppendUint64(6, m.index)
	for i := range m.entries {
		m.entries[i].marshal(mm.AppendMessage(7))
	}
	metadata := mm.AppendMessage(9).AppendMessage(2)
	metadata.AppendMessage(1)
	metadata.AppendUint64(2, m.snapshot.index)
	metadata.AppendUint64(3, m.snapshot.term)
	mm.AppendBytes(12, m.context)
}
