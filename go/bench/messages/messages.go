// Package messages holds the tasks that decode and encode messages of many shapes. The contenders are the same for all,
// whatever the message; easyproto, whose users write code for each, takes part where rw1 has it.
package messages

import (
	"errors"

	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/messages/shapespb"
	"github.com/hotpb/hotpb/go/bench/messages/shapespb/gogo"
	hot "github.com/hotpb/hotpb/go/bench/messages/shapespb/shapespbhot"
	"github.com/hotpb/hotpb/go/codec"
)

// stock is a message of the stock runtime with vtprotobuf's methods.
type stock[T any] interface {
	*T
	proto.Message
	codec.Message
	UnmarshalVT([]byte) error
	UnmarshalVTUnsafe([]byte) error
	ReturnToVTPool()
}

// pooled is hotpb's pool message.
type pooled[T any] interface {
	*T
	Unmarshal([]byte) error
	UnmarshalAlias([]byte) error
	Marshal() ([]byte, error)
}

// gogoed is a message of gogo's.
type gogoed[T any] interface {
	*T
	Reset()
	Unmarshal([]byte) error
	Marshal() ([]byte, error)
}

// Tasks returns the grid of this package.
func Tasks() harness.Tasks {
	tasks := harness.Tasks{
		"packed-ints": contenders[shapespb.Packed, hot.Packed, gogo.Packed](packed, shapespb.PackedFromVTPool),
		"maps":        contenders[shapespb.Maps, hot.Maps, gogo.Maps](maps, shapespb.MapsFromVTPool),
		"deep":        contenders[shapespb.Node, hot.Node, gogo.Node](deep, shapespb.NodeFromVTPool),
		"small-200B":  contenders[shapespb.Span, hot.Span, gogo.Span](spans, shapespb.SpanFromVTPool),
		"large-bytes": contenders[shapespb.Blob, hot.Blob, gogo.Blob](blobs, shapespb.BlobFromVTPool),
	}
	tasks["many-types-decode"], tasks["many-types-encode"] = many(manyTypes())
	delete(tasks["large-bytes"], "hyperpb:pgo") // after its profile it has twice the parts, half of them empty
	return tasks
}

// A rival decodes one message at a time; stock is the last one, as the stock runtime's bytes or message.
type rival struct {
	decode func(b []byte) error
	encode func() ([]byte, error)
	note   string
}

// rivals that need a profile are built with the first input.
type rivals map[string]func(first []byte) (rival, error)

func rivalsOf[S, H, G any, PS stock[S], PH pooled[H], PG gogoed[G]](fromPool func() *S) rivals {
	return rivals{
		"hotpb-pool": func([]byte) (rival, error) {
			m := PH(new(H))
			return rival{m.Unmarshal, m.Marshal, "used again; one copy of the input, which strings alias; UTF-8 checked"}, nil
		},
		"hotpb-pool:alias": func([]byte) (rival, error) {
			m := PH(new(H))
			return rival{m.UnmarshalAlias, m.Marshal, "used again; strings alias the input; UTF-8 checked"}, nil
		},
		"hotpb-codec": func([]byte) (rival, error) {
			var m PS
			return rival{func(b []byte) error {
				m = new(S)
				return m.UnmarshalHot(b)
			}, func() ([]byte, error) { return m.MarshalHot() }, "UTF-8 checked; a fresh message each time"}, nil
		},
		"protobuf-go": func([]byte) (rival, error) {
			var m PS
			return rival{func(b []byte) error {
				m = new(S)
				return proto.Unmarshal(b, m)
			}, func() ([]byte, error) { return proto.Marshal(m) }, "UTF-8 checked; a fresh message each time"}, nil
		},
		"vtprotobuf": func([]byte) (rival, error) {
			var m PS
			return rival{func(b []byte) error {
				m = new(S)
				return m.UnmarshalVT(b)
			}, func() ([]byte, error) { return proto.Marshal(m) }, "UTF-8 not checked; a fresh message each time"}, nil
		},
		"vtprotobuf:pool+unsafe": func([]byte) (rival, error) {
			m := PS(fromPool())
			return rival{func(b []byte) error {
				m.ReturnToVTPool()
				m = fromPool()
				return m.UnmarshalVTUnsafe(b)
			}, func() ([]byte, error) { return proto.Marshal(m) }, "UTF-8 not checked; strings alias the input"}, nil
		},
		"gogo": func([]byte) (rival, error) {
			m := PG(new(G))
			return rival{func(b []byte) error {
				m.Reset()
				return m.Unmarshal(b)
			}, m.Marshal, "UTF-8 not checked; value structs, reset and decoded again"}, nil
		},
		"hyperpb":     func(first []byte) (rival, error) { return newHyperpb[S, PS](first, false) },
		"hyperpb:pgo": func(first []byte) (rival, error) { return newHyperpb[S, PS](first, true) },
	}
}

func contenders[S, H, G any, PS stock[S], PH pooled[H], PG gogoed[G]](
	inputs func() [][]byte, fromPool func() *S,
) map[string]harness.Factory {
	factories := map[string]harness.Factory{}
	for name, make := range rivalsOf[S, H, G, PS, PH, PG](fromPool) {
		factories[name] = func([]byte) (harness.Contender, error) {
			all := inputs()
			r, err := make(all[0])
			if err != nil {
				return harness.Contender{}, err
			}
			next, size := 0, 0
			for _, b := range all {
				size += len(b)
			}
			return harness.Contender{
				Op: func() (uint64, error) {
					input := all[next]
					if next++; next == len(all) {
						next = 0
					}
					return 0, r.decode(input)
				},
				Verify: func() error { return verify(r, PS(nil).ProtoReflect().Type(), all) },
				Note:   r.note,
				Size:   size / len(all),
			}, nil
		}
	}
	return factories
}

// newHyperpb is hyperpb with shared memory and strings that alias the input, and a profile of the first input.
func newHyperpb[S any, PS stock[S]](first []byte, profiled bool) (rival, error) {
	kind := hyperpb.CompileMessageDescriptor(PS(new(S)).ProtoReflect().Descriptor())
	shared := new(hyperpb.Shared)
	note := "shared memory, aliased strings; UTF-8 checked"
	if profiled {
		note += "; PGO"
		profile := kind.NewProfile()
		for range 8 {
			if err := shared.NewMessage(kind).Unmarshal(first, hyperpb.WithRecordProfile(profile, 1)); err != nil {
				return rival{}, err
			}
			shared.Free()
		}
		kind = kind.Recompile(profile)
	}
	var m *hyperpb.Message
	return rival{func(b []byte) error {
		if m != nil {
			shared.Free()
		}
		m = shared.NewMessage(kind)
		return m.Unmarshal(b, hyperpb.WithAllowAlias(true))
	}, func() ([]byte, error) { return proto.Marshal(m) }, note}, nil
}

// verify decodes each input; encoded by the rival and decoded by the stock runtime, it must be the stock runtime's own.
func verify(r rival, stock protoreflect.MessageType, inputs [][]byte) error {
	for _, input := range inputs {
		if err := r.decode(input); err != nil {
			return err
		}
		encoded, err := r.encode()
		if err != nil {
			return err
		}
		got, want := stock.New().Interface(), stock.New().Interface()
		if err := errors.Join(proto.Unmarshal(encoded, got), proto.Unmarshal(input, want)); err != nil {
			return err
		}
		if !proto.Equal(got, want) {
			return errors.New("protobuf-go decodes another message")
		}
	}
	return nil
}
