package zeropb

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
)

// portFields are the offsets of a message whose largest field number is below 15.
type portFields struct {
	near   [15]uint16
	sparse map[int]uint64
}

func (f *portFields) offsets(fields int) offsets { return offsets{f.near[:fields], &f.sparse} }

// The messages, as zeropb's generator wrote them: each accessor a call into the runtime.
type (
	portEntry struct {
		buf []byte
		at  struct {
			near   [5]uint16
			sparse map[int]uint64
		}
	}
	portMessage struct {
		buf []byte
		portFields
	}
)

var (
	noneRepeated    = map[int]struct{}{}
	messageRepeated = map[int]struct{}{7: {}, 14: {}}
)

func (e *portEntry) offsets() offsets { return offsets{e.at.near[:], &e.at.sparse} }

func (e *portEntry) decode(buf []byte) error {
	e.buf = buf
	return portDecode(buf, e.offsets(), noneRepeated)
}

func (e *portEntry) reset(buf []byte) {
	e.buf = buf
	e.offsets().clear()
}

func (e *portEntry) kind() uint32       { return uint32(portUint64(e.buf, e.offsets(), 1)) }
func (e *portEntry) term() uint64       { return portUint64(e.buf, e.offsets(), 2) }
func (e *portEntry) index() uint64      { return portUint64(e.buf, e.offsets(), 3) }
func (e *portEntry) data() []byte       { return portBytes(e.buf, e.offsets(), 4) }
func (e *portEntry) setKind(x uint32)   { portSetUint64(&e.buf, e.offsets(), 1, uint64(x)) }
func (e *portEntry) setTerm(x uint64)   { portSetUint64(&e.buf, e.offsets(), 2, x) }
func (e *portEntry) setIndex(x uint64)  { portSetUint64(&e.buf, e.offsets(), 3, x) }
func (e *portEntry) setData(x []byte)   { portSetBytes(&e.buf, e.offsets(), 4, x) }
func (m *portMessage) all() offsets     { return m.offsets(15) }
func (m *portMessage) get(n int) uint64 { return portUint64(m.buf, m.all(), n) }

func (m *portMessage) decode(buf []byte) error {
	m.buf = buf
	return portDecode(buf, m.all(), messageRepeated)
}

func (m *portMessage) reset(buf []byte) {
	m.buf = buf
	m.all().clear()
}

// entries is an iterator, next opens the element.
type portEntries []byte

func (m *portMessage) entries() portEntries { return portRest(m.buf, m.all(), 7) }

func (i *portEntries) next(e *portEntry) (bool, error) {
	var element []byte
	*i, element = portNext(*i, 7)
	if element == nil {
		return false, nil
	}
	return true, e.decode(element)
}

// newPort is that port.
func newPort(in inputs, v *values) (rival, error) {
	var e portEntry
	var m portMessage
	var encoded []byte
	memory := [5][]byte{}
	for i := range memory {
		memory[i] = make([]byte, 0, 1024)
	}
	read := func() uint64 { return e.term() + e.index() + uint64(e.kind()) + byteSum(e.data()) }
	set := func(repeat int) harness.Op {
		return func() (uint64, error) {
			var w portEntry
			w.reset(memory[0])
			for range repeat {
				w.setIndex(v.index)
				w.setTerm(v.term)
				w.setKind(0)
				w.setData(v.data)
			}
			encoded = w.buf
			return uint64(len(encoded)), nil
		}
	}
	return rival{
		ops: map[string]harness.Op{
			none: func() (uint64, error) { return 0, e.decode(in.entry) },
			all: func() (uint64, error) {
				if err := e.decode(in.entry); err != nil {
					return 0, err
				}
				return read(), nil
			},
			repeatedly: func() (sum uint64, _ error) {
				if err := e.decode(in.entry); err != nil {
					return 0, err
				}
				for range times {
					sum += read()
				}
				return sum, nil
			},
			complexOne: func() (uint64, error) {
				err := m.decode(in.message)
				return m.get(2), err
			},
			complexRepeated: func() (sum uint64, _ error) {
				if err := m.decode(in.message); err != nil {
					return 0, err
				}
				for all := m.entries(); ; {
					if ok, err := all.next(&e); err != nil {
						return 0, err
					} else if !ok {
						return sum, nil
					}
					sum += read()
				}
			},
			setAll:        set(1),
			setRepeatedly: set(times),
			encodeComplex: func() (uint64, error) {
				encoded = portWrite(&memory, v)
				return uint64(len(encoded)), nil
			},
		},
		entry:   func() (*raftpb.Entry, error) { return stockEntry(e.term(), e.index(), e.data()), nil },
		message: func() (*raftpb.Message, error) { return stockOfPort(&m) },
		encoded: func() []byte { return encoded },
		note:    "a port of zeropb's mechanism: a buffer for each level, messages are copied into their parents",
	}, nil
}

// portWrite fills a message in; each message is built in a buffer of its own and copied into the one that holds it.
func portWrite(memory *[5][]byte, v *values) []byte {
	var m, snapshot, metadata portMessage
	var e portEntry
	m.reset(memory[0])
	portSetUint64(&m.buf, m.all(), 1, 0)
	portSetUint64(&m.buf, m.all(), 2, v.to)
	portSetUint64(&m.buf, m.all(), 3, v.from)
	portSetUint64(&m.buf, m.all(), 4, v.entries[0].term)
	portSetUint64(&m.buf, m.all(), 5, v.log)
	portSetUint64(&m.buf, m.all(), 6, v.entries[0].index)
	portSetBytes(&m.buf, m.all(), 12, v.context)
	metadata.reset(memory[1])
	portSetBytes(&metadata.buf, metadata.offsets(4), 1, nil)
	portSetUint64(&metadata.buf, metadata.offsets(4), 2, v.entries[0].index)
	portSetUint64(&metadata.buf, metadata.offsets(4), 3, v.entries[0].term)
	snapshot.reset(memory[2])
	portSetBytes(&snapshot.buf, snapshot.offsets(3), 2, metadata.buf)
	portSetBytes(&m.buf, m.all(), 9, snapshot.buf)
	for i := range v.entries {
		e.reset(memory[3])
		e.setKind(0)
		e.setTerm(v.entries[i].term)
		e.setIndex(v.entries[i].index)
		e.setData(v.entries[i].data)
		portAppendBytes(&m.buf, m.all(), 7, e.buf)
	}
	return m.buf
}

func stockOfPort(m *portMessage) (*raftpb.Message, error) {
	var snapshot, metadata portMessage
	if err := snapshot.decode(portBytes(m.buf, m.all(), 9)); err != nil {
		return nil, err
	}
	if err := metadata.decode(portBytes(snapshot.buf, snapshot.all(), 2)); err != nil {
		return nil, err
	}
	out := &raftpb.Message{
		Type: raftpb.MessageType(m.get(1)).Enum(), To: proto.Uint64(m.get(2)), From: proto.Uint64(m.get(3)), Term: proto.Uint64(m.get(4)),
		LogTerm: proto.Uint64(m.get(5)), Index: proto.Uint64(m.get(6)), Context: portBytes(m.buf, m.all(), 12),
		Snapshot: &raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{
			ConfState: &raftpb.ConfState{}, Index: proto.Uint64(metadata.get(2)), Term: proto.Uint64(metadata.get(3)),
		}},
	}
	var e portEntry
	for all := m.entries(); ; {
		if ok, err := all.next(&e); err != nil || !ok {
			return out, err
		}
		out.Entries = append(out.Entries, stockEntry(e.term(), e.index(), append([]byte(nil), e.data()...)))
	}
}
