package zeropb

import (
	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/zeropb/raftpb"
)

// newHyperpb is hyperpb with shared memory and bytes that alias the input; its messages are read by reflection, and only read.
func newHyperpb(in inputs, _ *values) (rival, error) { return newHyperpbWith(in, false) }

// newHyperpbPGO has parsers that were compiled again with a profile of these very inputs.
func newHyperpbPGO(in inputs, _ *values) (rival, error) { return newHyperpbWith(in, true) }

// compiled is one message type with its memory.
type compiled struct {
	kind   *hyperpb.MessageType
	shared hyperpb.Shared
	m      *hyperpb.Message
}

func compile(m proto.Message, input []byte, profiled bool) (*compiled, error) {
	c := &compiled{kind: hyperpb.CompileMessageDescriptor(m.ProtoReflect().Descriptor())}
	if profiled {
		profile := c.kind.NewProfile()
		for range 8 {
			if err := c.shared.NewMessage(c.kind).Unmarshal(input, hyperpb.WithRecordProfile(profile, 1)); err != nil {
				return nil, err
			}
			c.shared.Free()
		}
		c.kind = c.kind.Recompile(profile)
	}
	return c, nil
}

func (c *compiled) decode(input []byte) error {
	if c.m != nil {
		c.shared.Free()
	}
	c.m = c.shared.NewMessage(c.kind)
	return c.m.Unmarshal(input, hyperpb.WithAllowAlias(true))
}

func newHyperpbWith(in inputs, profiled bool) (rival, error) {
	e, err := compile((*raftpb.Entry)(nil), in.entry, profiled)
	if err != nil {
		return rival{}, err
	}
	m, err := compile((*raftpb.Message)(nil), in.message, profiled)
	if err != nil {
		return rival{}, err
	}
	reader := func(d protoreflect.MessageDescriptor) func(protoreflect.Message) uint64 {
		kind, term, index, data := d.Fields().ByName("type"), d.Fields().ByName("term"), d.Fields().ByName("index"), d.Fields().ByName("data")
		return func(m protoreflect.Message) uint64 {
			return m.Get(term).Uint() + m.Get(index).Uint() + uint64(m.Get(kind).Enum()) + byteSum(m.Get(data).Bytes())
		}
	}
	read := reader(e.kind.Descriptor())
	to, entries := m.kind.Descriptor().Fields().ByName("to"), m.kind.Descriptor().Fields().ByName("entries")
	readElement := reader(entries.Message())
	note := "shared memory, bytes alias the input; read by reflection"
	if profiled {
		note += "; PGO"
	}
	return rival{
		ops: map[string]harness.Op{
			none: func() (uint64, error) { return 0, e.decode(in.entry) },
			all: func() (uint64, error) {
				if err := e.decode(in.entry); err != nil {
					return 0, err
				}
				return read(e.m), nil
			},
			repeatedly: func() (sum uint64, _ error) {
				if err := e.decode(in.entry); err != nil {
					return 0, err
				}
				for range times {
					sum += read(e.m)
				}
				return sum, nil
			},
			complexOne: func() (uint64, error) {
				if err := m.decode(in.message); err != nil {
					return 0, err
				}
				return m.m.Get(to).Uint(), nil
			},
			complexRepeated: func() (sum uint64, _ error) {
				if err := m.decode(in.message); err != nil {
					return 0, err
				}
				list := m.m.Get(entries).List()
				for i := range list.Len() {
					sum += readElement(list.Get(i).Message())
				}
				return sum, nil
			},
		},
		entry:   func() (*raftpb.Entry, error) { return asOpen(e.m, new(raftpb.Entry)) },
		message: func() (*raftpb.Message, error) { return asOpen(m.m, new(raftpb.Message)) },
		note:    note,
	}, nil
}
