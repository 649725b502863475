// Package bridgetest holds the reflection bridge against stock messages: what a view and a pool's message show of some
// bytes is what the stock runtime reads from them. A test links the stock package; types are found in the registry.
package bridgetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/pool"
	protobridge "github.com/hotpb/hotpb/go/rt/reflect"
	"github.com/hotpb/hotpb/go/test/codectest"
)

// PoolMessage and ViewMessage are the generated forms of a message.
type (
	PoolMessage interface {
		comparable
		pool.Message
	}
	ViewMessage interface {
		comparable
		protobridge.ViewMessage
		Decode([]byte) error
	}
)

// Faces are the ways to show one message of some bytes.
type Faces struct {
	pool, view func(b []byte) (proto.Message, error)
	// convert writes the message that the pool reads into dst, and returns the pool's result of reading dst.
	convert func(b []byte, dst proto.Message) (proto.Message, error)
}

var partial = proto.UnmarshalOptions{AllowPartial: true}

// Of converts the generated forms.
func Of[P PoolMessage, V ViewMessage](p protobridge.Pool[P], newPool func() P, v protobridge.View[V], newView func() V) Faces {
	read := func(b []byte) (P, error) {
		m := newPool()
		return m, pool.Unmarshal(m, b, pool.Options{AllowPartial: true})
	}
	return Faces{
		pool: func(b []byte) (proto.Message, error) {
			m, err := read(b)
			if err != nil {
				return nil, err
			}
			return p.Reflect(m)
		},
		view: func(b []byte) (proto.Message, error) {
			m := newView()
			if err := m.Decode(b); err != nil {
				return nil, err
			}
			return v.Reflect(m)
		},
		convert: func(b []byte, dst proto.Message) (proto.Message, error) {
			m, err := read(b)
			if err != nil {
				return nil, err
			}
			if err := p.ToProto(dst, m); err != nil {
				return nil, err
			}
			decoded := newPool()
			if err := p.FromProtoWith(decoded, dst, pool.Options{AllowPartial: true}); err != nil {
				return nil, err
			}
			return p.Reflect(decoded)
		},
	}
}

// Random shows random messages of a type, good ones and damaged ones.
func Random(t *testing.T, name string, f Faces, rounds int) {
	t.Helper()
	mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range rounds {
		m := mt.New()
		(&codectest.Filler{Rand: r, Fill: r.Float64()}).Message(m, 3)
		input, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m.Interface())
		if err != nil {
			t.Fatal(err)
		}
		stock := mt.New().Interface()
		if err := partial.Unmarshal(input, stock); err != nil {
			t.Fatal(err)
		}
		if hasUndefined(stock) {
			f.damaged(t, mt, input)
			continue
		}
		for face, show := range map[string]func([]byte) (proto.Message, error){"pool": f.pool, "view": f.view} {
			shown, err := show(input)
			if err != nil {
				t.Fatalf("%s, %s: %v: %x", name, face, err, input)
			}
			if difference := differ(stock, shown); difference != "" {
				t.Fatalf("%s, %s: %s: %x", name, face, difference, input)
			}
		}
		converted := mt.New().Interface()
		decoded, err := f.convert(input, converted)
		if err != nil || !proto.Equal(converted, stock) || !proto.Equal(decoded, stock) {
			t.Fatalf("%s converted: %v\n%v\nand back\n%v\nwant\n%v", name, err, converted, decoded, stock)
		}
		f.damaged(t, mt, codectest.Damage(r, input))
	}
}

// damaged shows bytes that may be anything. The faces refuse some that the stock runtime takes, and the other way round.
func (f Faces) damaged(t *testing.T, mt protoreflect.MessageType, input []byte) {
	t.Helper()
	stock := mt.New().Interface()
	if partial.Unmarshal(input, stock) != nil || hasUndefined(stock) {
		stock = nil
	}
	viewed, errV := f.view(input)
	pooled, errP := f.pool(input)
	if (errV == nil) != (errP == nil) {
		t.Fatalf("the view says %v, the pool %v: %x", errV, errP, input)
	}
	if errV != nil {
		return
	}
	if difference := differ(pooled, viewed); difference != "" {
		t.Fatalf("pool and view: %s: %x", difference, input)
	}
	if stock != nil {
		// In text, unknown fields may stand in another order: records of an extension that are none come last.
		if difference := differInValue(stock, viewed); difference != "" {
			t.Fatalf("stock and view: %s: %x", difference, input)
		}
	}
}

func differ(want, got proto.Message) string {
	if difference := differInValue(want, got); difference != "" {
		return difference
	}
	a, errA := prototext.MarshalOptions{AllowPartial: true, EmitUnknown: true}.Marshal(want)
	b, errB := prototext.MarshalOptions{AllowPartial: true, EmitUnknown: true}.Marshal(got)
	if !bytes.Equal(a, b) || fmt.Sprint(errA) != fmt.Sprint(errB) {
		return fmt.Sprintf("as text it is %s (%v), want %s (%v)", b, errB, a, errA)
	}
	return ""
}

func differInValue(want, got proto.Message) string {
	if !proto.Equal(want, got) || !proto.Equal(got, want) {
		return fmt.Sprintf("not equal:\n got %v\nwant %v", got, want)
	}
	a, errA := protojson.MarshalOptions{AllowPartial: true}.Marshal(want)
	b, errB := protojson.MarshalOptions{AllowPartial: true}.Marshal(got)
	if !bytes.Equal(a, b) || fmt.Sprint(errA) != fmt.Sprint(errB) {
		return fmt.Sprintf("as JSON it is %s (%v), want %s (%v)", b, errB, a, errA)
	}
	return ""
}

// hasUndefined reports whether a message holds a value that its closed enum does not define: an unknown field to the faces.
func hasUndefined(m proto.Message) (has bool) {
	_ = protorange.Range(m.ProtoReflect(), func(p protopath.Values) error {
		number, is := p.Index(-1).Value.Interface().(protoreflect.EnumNumber)
		if !is {
			return nil
		}
		var fd protoreflect.FieldDescriptor
		switch step := p.Index(-1).Step; step.Kind() {
		case protopath.FieldAccessStep:
			fd = step.FieldDescriptor()
		case protopath.MapIndexStep:
			fd = p.Index(-2).Step.FieldDescriptor().MapValue()
		default:
			fd = p.Index(-2).Step.FieldDescriptor()
		}
		has = has || isClosed(fd.Enum()) && fd.Enum().Values().ByNumber(number) == nil
		return nil
	})
	return has
}

// isClosed looks at the option itself: the descriptors of generated packages do not know it (protobuf-go 1.36).
func isClosed(enum protoreflect.EnumDescriptor) bool {
	options, _ := enum.Options().(*descriptorpb.EnumOptions)
	return enum.IsClosed() || options.GetFeatures().GetEnumType() == descriptorpb.FeatureSet_CLOSED
}
