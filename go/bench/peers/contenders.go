// Package peers is the program of bench/peers for Go: it verifies the contenders of a message, and measures them in turns.
package peers

import (
	"errors"

	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/peers/checksum"
	"github.com/hotpb/hotpb/go/codec"
	rt "github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/wire"
)

// Stock is a struct of protoc-gen-go with vtprotobuf's methods and our fast ones.
type Stock[T any] interface {
	*T
	proto.Message
	codec.Message
	MarshalScratchHot([]byte) ([]byte, error)
	Checksum() uint64
	SizeVT() int
	EncodeHot(*rt.Encoder, int) int
	MarshalVT() ([]byte, error)
	MarshalToSizedBufferVT([]byte) (int, error)
	UnmarshalVT([]byte) error
	UnmarshalVTUnsafe([]byte) error
	ReturnToVTPool()
}

// Opaque is a struct of protoc-gen-go with the opaque API.
type Opaque[T any] interface {
	*T
	proto.Message
	Checksum() uint64
}

// Pool is a message of our pool.
type Pool[T any] interface {
	*T
	Unmarshal([]byte) error
	UnmarshalAlias([]byte) error
	UnmarshalOwned([]byte) error
	Marshal() ([]byte, error)
	MarshalAppend([]byte) ([]byte, error)
	MarshalScratch([]byte) ([]byte, error)
	MarshalToSizedBuffer([]byte) (int, error)
	Size() int
	ChecksumHot() uint64
}

// View is a generated view.
type View[T any] interface {
	*T
	Decode([]byte) error
	Validate() error
	ChecksumHot() (uint64, error)
}

// A contender does some of the tasks; the functions of the others are nil.
type contender struct {
	name   string
	decode func(record []byte) error
	// read decodes and returns the checksum.
	read func(record []byte) (uint64, error)
	// encode writes into a buffer that is used again, fresh into fresh bytes. The message is that of record i.
	encode, fresh func(i int) ([]byte, error)
}

// A Message makes the contenders of a message type, and what they are compared with.
type Message struct {
	name string
	make func(records [][]byte) ([]contender, error)
	// sum is the checksum of stock's result; sorted is its deterministic encoding.
	sum    func(record []byte) (uint64, error)
	sorted func(record []byte) ([]byte, error)
}

// Describe is the message whose data has that name.
func Describe[S, O, P, V any, PS Stock[S], PO Opaque[O], PP Pool[P], PV View[V]](name string, fromPool func() *S) Message {
	parse := func(record []byte) (PS, error) {
		m := PS(new(S))
		return m, proto.Unmarshal(record, m)
	}
	return Message{
		name: name,
		make: func(records [][]byte) (all []contender, err error) {
			for _, part := range []func([][]byte) ([]contender, error){structs[S, PS], pooledStructs[S, PS](fromPool), opaque[O, PO], parsers[S, PS], pools[P, PP], views[V, PV]} {
				more, err := part(records)
				if err != nil {
					return nil, err
				}
				all = append(all, more...)
			}
			return all, nil
		},
		sum: func(record []byte) (uint64, error) {
			m, err := parse(record)
			return m.Checksum(), err
		},
		sorted: func(record []byte) ([]byte, error) {
			m, err := parse(record)
			if err != nil {
				return nil, err
			}
			return proto.MarshalOptions{Deterministic: true}.Marshal(m)
		},
	}
}

func parsed[T any, PT Opaque[T]](records [][]byte) (messages []PT, _ error) {
	for _, record := range records {
		m := PT(new(T))
		if err := proto.Unmarshal(record, m); err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	return messages, nil
}

// google is the stock runtime.
func google[T any, PT Opaque[T]](name string, messages []PT) contender {
	return contender{
		name:   name,
		decode: func(record []byte) error { return proto.Unmarshal(record, PT(new(T))) },
		read: func(record []byte) (uint64, error) {
			m := PT(new(T))
			err := proto.Unmarshal(record, m)
			return m.Checksum(), err
		},
		encode: reused(func(out []byte, i int) ([]byte, error) {
			return proto.MarshalOptions{}.MarshalAppend(out[:0], messages[i])
		}),
		fresh: func(i int) ([]byte, error) { return proto.Marshal(messages[i]) },
	}
}

func opaque[O any, PO Opaque[O]](records [][]byte) ([]contender, error) {
	messages, err := parsed[O, PO](records)
	return []contender{google[O, PO]("protobuf-go:opaque", messages)}, err
}

// structs are the contenders that read into fresh structs of protoc-gen-go, and write them.
func structs[S any, PS Stock[S]](records [][]byte) ([]contender, error) {
	messages, err := parsed[S, PS](records)
	if err != nil {
		return nil, err
	}
	reader := func(decode func(m PS, record []byte) error) (func([]byte) error, func([]byte) (uint64, error)) {
		return func(record []byte) error { return decode(new(S), record) },
			func(record []byte) (uint64, error) {
				m := PS(new(S))
				err := decode(m, record)
				return m.Checksum(), err
			}
	}
	stock := google[S, PS]("protobuf-go", messages)

	vt := contender{name: "vtprotobuf", fresh: func(i int) ([]byte, error) { return messages[i].MarshalVT() }}
	vt.decode, vt.read = reader(func(m PS, record []byte) error { return m.UnmarshalVT(record) })
	vt.encode = reused(func(out []byte, i int) ([]byte, error) {
		return sized(out, messages[i].SizeVT(), messages[i].MarshalToSizedBufferVT)
	})

	hot := contender{name: "hotpb-codec", fresh: func(i int) ([]byte, error) { return messages[i].MarshalHot() }}
	hot.decode, hot.read = reader(func(m PS, record []byte) error { return m.UnmarshalHot(record) })
	hot.encode = reused(func(out []byte, i int) ([]byte, error) { return messages[i].MarshalAppendHot(out[:0]) })
	scratch := contender{name: "hotpb-codec:scratch"}
	scratch.encode = reused(func(out []byte, i int) ([]byte, error) { return messages[i].MarshalScratchHot(out[:0]) })
	// What compat=vtproto generates as MarshalToSizedBufferVT: vtprotobuf's own method has that name here.
	fill := contender{name: "hotpb-codec:sized", encode: reused(func(out []byte, i int) ([]byte, error) {
		return sized(out, messages[i].SizeHot(), func(out []byte) (int, error) { return rt.MarshalToSizedBufferVT(out, messages[i]) })
	})}
	end := contender{name: "hotpb-codec:end", encode: ended(func(out []byte, i int) (int, error) { return rt.MarshalToSizedBufferVT(out, messages[i]) })}
	alias := contender{name: "hotpb-codec:alias"}
	alias.decode, alias.read = reader(func(m PS, record []byte) error {
		return m.UnmarshalHotOptions(record, codec.UnmarshalOptions{Alias: true})
	})
	return []contender{stock, vt, hot, scratch, fill, end, alias}, nil
}

// pooledStructs is vtprotobuf with pools and strings that alias the input. It writes into its input where a packed field's list was used
// before, so it gets a copy, as a program that keeps its input has to make.
func pooledStructs[S any, PS Stock[S]](fromPool func() *S) func([][]byte) ([]contender, error) {
	return func([][]byte) ([]contender, error) {
		m := PS(fromPool())
		var input []byte
		decode := func(record []byte) error {
			m.ReturnToVTPool()
			m = fromPool()
			input = append(input[:0], record...)
			return m.UnmarshalVTUnsafe(input)
		}
		return []contender{{name: "vtprotobuf:pool+unsafe", decode: decode, read: summed(decode, func() uint64 { return m.Checksum() })}}, nil
	}
}

// parsers is hyperpb with shared memory and strings that alias the input: with a profile of these records, and without. It only reads.
func parsers[S any, PS Stock[S]](records [][]byte) ([]contender, error) {
	plain := hyperpb.CompileMessageDescriptor(PS(new(S)).ProtoReflect().Descriptor())
	profile := plain.NewProfile()
	shared := new(hyperpb.Shared)
	if err := survived(func() error {
		for range 8 {
			for _, record := range records {
				if err := shared.NewMessage(plain).Unmarshal(record, hyperpb.WithRecordProfile(profile, 1)); err != nil {
					return err
				}
				shared.Free()
			}
		}
		return nil
	}); err != nil {
		refused := func([]byte) error { return err } // a fault of the rival, which verification names
		return []contender{{name: "hyperpb", decode: refused}, {name: "hyperpb:pgo", decode: refused}}, nil
	}
	var all []contender
	for name, kind := range map[string]*hyperpb.MessageType{"hyperpb": plain, "hyperpb:pgo": plain.Recompile(profile)} {
		shared, m := new(hyperpb.Shared), (*hyperpb.Message)(nil)
		decode := func(record []byte) error {
			if m != nil {
				shared.Free()
			}
			m = shared.NewMessage(kind)
			return m.Unmarshal(record, hyperpb.WithAllowAlias(true))
		}
		all = append(all, contender{name: name, decode: decode, read: summed(decode, func() uint64 { return checksum.Message(m) })})
	}
	return all, nil
}

// pools are our pool, used again: it copies the input, or borrows it.
func pools[P any, PP Pool[P]](records [][]byte) ([]contender, error) {
	var messages []PP
	for _, record := range records {
		m := PP(new(P))
		if err := m.UnmarshalOwned(record); err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	copied, borrowed := PP(new(P)), PP(new(P))
	return []contender{
		{
			name: "hotpb-pool", decode: copied.Unmarshal, read: summed(copied.Unmarshal, copied.ChecksumHot),
			encode: reused(func(out []byte, i int) ([]byte, error) { return messages[i].MarshalAppend(out[:0]) }),
			fresh:  func(i int) ([]byte, error) { return messages[i].Marshal() },
		},
		{name: "hotpb-pool:alias", decode: borrowed.UnmarshalAlias, read: summed(borrowed.UnmarshalAlias, borrowed.ChecksumHot)},
		{name: "hotpb-pool:scratch", encode: reused(func(out []byte, i int) ([]byte, error) { return messages[i].MarshalScratch(out[:0]) })},
		{name: "hotpb-pool:sized", encode: reused(func(out []byte, i int) ([]byte, error) {
			return sized(out, messages[i].Size(), messages[i].MarshalToSizedBuffer)
		})},
		{name: "hotpb-pool:end", encode: ended(func(out []byte, i int) (int, error) { return messages[i].MarshalToSizedBuffer(out) })},
	}, nil
}

// views are our view: decoding checks everything, or, where all is read, it checks what it opens.
func views[V any, PV View[V]]([][]byte) ([]contender, error) {
	v, checked := PV(new(V)), PV(new(V))
	validate := func(record []byte) error {
		if err := checked.Decode(record); err != nil {
			return err
		}
		return checked.Validate()
	}
	return []contender{
		{name: "hotpb-view:validate", decode: validate, read: func(record []byte) (uint64, error) {
			if err := validate(record); err != nil {
				return 0, err
			}
			return checked.ChecksumHot()
		}},
		{name: "hotpb-view", read: func(record []byte) (uint64, error) {
			if err := v.Decode(record); err != nil {
				return 0, err
			}
			return v.ChecksumHot()
		}},
	}, nil
}

// summed decodes and adds up.
func summed(decode func([]byte) error, sum func() uint64) func([]byte) (uint64, error) {
	return func(record []byte) (uint64, error) {
		if err := decode(record); err != nil {
			return 0, err
		}
		return sum(), nil
	}
}

// reused hands the bytes of the call before to the next one.
func reused(encode func(out []byte, i int) ([]byte, error)) func(int) ([]byte, error) {
	var out []byte
	return func(i int) (_ []byte, err error) {
		out, err = encode(out, i)
		return out, err
	}
}

// ended writes to the end of a buffer that grows until every message has room.
func ended(encode func(out []byte, i int) (int, error)) func(int) ([]byte, error) {
	var out []byte
	return func(i int) ([]byte, error) {
		n, err := encode(out, i)
		for errors.Is(err, wire.BufferExhausted) {
			out = make([]byte, 2*len(out)+512)
			n, err = encode(out, i)
		}
		return out[len(out)-n:], err
	}
}

// sized writes into exactly as many bytes as it takes, in out where they fit.
func sized(out []byte, size int, encode func([]byte) (int, error)) ([]byte, error) {
	if cap(out) < size {
		out = make([]byte, size)
	}
	out = out[:size]
	n, err := encode(out)
	return out[size-n:], err
}
