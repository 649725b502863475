package google_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	plain "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	opaque "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3_opaque"
	vectors "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
	"github.com/hotpb/hotpb/go/rt/codec/google"
	"github.com/hotpb/hotpb/go/test/codectest"
)

func equalVT(a, b proto.Message) bool { return google.EqualVT(a, b) }

// isOpen reports whether the struct of a message has its fields as members that every package can set, also to nil.
func isOpen(m proto.Message) bool {
	structType := reflect.TypeOf(m).Elem()
	for i := range structType.NumField() {
		if strings.HasPrefix(structType.Field(i).Name, "xxx_hidden_") {
			return false
		}
	}
	return true
}

// holdsNaN is a slow search for a NaN.
func holdsNaN(m protoreflect.Message) (is bool) {
	value := func(field protoreflect.FieldDescriptor, v protoreflect.Value) {
		switch {
		case field.Message() != nil:
			is = is || holdsNaN(v.Message())
		case field.Kind() == protoreflect.FloatKind || field.Kind() == protoreflect.DoubleKind:
			is = is || math.IsNaN(v.Float())
		}
	}
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.IsMap():
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { value(field.MapValue(), v); return true })
		case field.IsList():
			for i := range v.List().Len() {
				value(field, v.List().Get(i))
			}
		default:
			value(field, v)
		}
		return true
	})
	return is
}

// Random messages, copies of them, and copies in which one field differs, of all types that the tests link. COD-88
func TestEqualityIsThatOfTheRuntime(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	equal, different, open, names := 0, 0, 0, codectest.Names()
	for _, name := range names {
		nils := isOpen(codectest.New(name))
		if nils {
			open++
		}
		for range 40 {
			a := codectest.New(name)
			fill := &codectest.Filler{Rand: r, Fill: r.Float64(), BadText: true, Nils: nils}
			fill.Message(a.ProtoReflect(), 3)
			b := proto.Clone(a)
			switch r.IntN(3) {
			case 0:
				fill.Fill = 0.1
				fill.Message(b.ProtoReflect(), 2)
			case 1:
				b.ProtoReflect().SetUnknown(append(protowire.AppendVarint(protowire.AppendTag(nil, 536870001, protowire.VarintType), 7), b.ProtoReflect().GetUnknown()...))
			}
			want := proto.Equal(a, b) && !holdsNaN(a.ProtoReflect())
			if got := equalVT(a, b); got != want || equalVT(b, a) != want {
				t.Errorf("%s: %v instead of %v:\n%v\n%v", name, got, want, a, b)
			}
			if want {
				equal++
			} else {
				different++
			}
			if !equalVT(a, a) {
				t.Errorf("%s is not equal to itself: %v", name, a)
			}
		}
	}
	if equal < 500 || different < 500 || open < len(names)/2 {
		t.Errorf("%d were equal, %d not, %d structs of %d were open", equal, different, open, len(names))
	}
}

// COD-88
func TestEqualityOfSpecialValues(t *testing.T) {
	unknown := func(parts ...string) proto.Message {
		m := new(plain.Actor)
		m.ProtoReflect().SetUnknown([]byte(strings.Join(parts, "")))
		return m
	}
	const seven, eight, nine = "\xa0\x06\x07", "\xa0\x06\x08", "\xa8\x06\x07"
	negative := math.Copysign(0, -1)
	for _, c := range []struct {
		name string
		a, b proto.Message
		want bool
	}{
		{"0 and -0 without presence", &plain.Event{}, &plain.Event{Score: negative}, false},
		{"0 and -0 in lists", &vectors.All{RepeatedDouble: []float64{0}}, &vectors.All{RepeatedDouble: []float64{negative}}, true},
		{"nil and empty lists", &plain.Actor{}, &plain.Actor{Tokens: [][]byte{}}, true},
		{"nil and empty elements", &plain.Actor{Tokens: [][]byte{nil}}, &plain.Actor{Tokens: [][]byte{{}}}, true},
		{"nil and empty maps", &vectors.All{}, &vectors.All{KeyInt32: map[int32]int32{}}, true},
		{"nil and empty messages", &plain.Event{}, &plain.Event{Actor: &plain.Actor{}}, false},
		{"nil and empty messages in lists", &plain.Batch{Events: []*plain.Event{nil}}, &plain.Batch{Events: []*plain.Event{{}}}, true},
		{"nil and empty messages in oneofs", &plain.Event{Origin: &plain.Event_By{}}, &plain.Event{Origin: &plain.Event_By{By: &plain.Actor{}}}, true},
		{"a nil wrapper", &plain.Event{Origin: (*plain.Event_By)(nil)}, &plain.Event{}, true},
		{"a nil wrapper and an empty one", &plain.Event{Origin: (*plain.Event_By)(nil)}, &plain.Event{Origin: &plain.Event_By{}}, false},
		{"members", &plain.Event{Origin: &plain.Event_Service{}}, &plain.Event{Origin: &plain.Event_Login{}}, false},
		{"values of a member", &plain.Event{Origin: &plain.Event_Service{Service: true}}, &plain.Event{Origin: &plain.Event_Service{}}, false},
		{"unknown fields in another order", unknown(seven, nine), unknown(nine, seven), true},
		{"unknown fields of one number in another order", unknown(seven, eight), unknown(eight, seven), false},
		{"other unknown fields", unknown(seven), unknown(eight), false},
		{"more unknown fields", unknown(seven), unknown(seven, seven), false},
		{"well-known types", timestamppb.New(timestamppb.Now().AsTime()), &timestamppb.Timestamp{}, false},
		{"a Struct", structpb.NewStringValue("a"), structpb.NewStringValue("a"), true},
		{"an Any", &anypb.Any{Value: []byte{1}}, &anypb.Any{Value: []byte{1}}, true},
		{"opaque", opaque.Actor_builder{Id: 1}.Build(), opaque.Actor_builder{Id: 1}.Build(), true},
		{"opaque, not", opaque.Actor_builder{Id: 1}.Build(), opaque.Actor_builder{Id: 2}.Build(), false},
		{"NaN in a Struct", structpb.NewNumberValue(math.NaN()), structpb.NewNumberValue(math.NaN()), false},
		{"proto2 bytes", &p2.All{SingleBytes: []byte{}}, &p2.All{}, false},
	} {
		if got := equalVT(c.a, c.b); got != c.want || equalVT(c.b, c.a) != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if !strings.Contains(c.name, "NaN") && proto.Equal(c.a, c.b) != c.want {
			t.Errorf("%s: the runtime disagrees", c.name)
		}
	}
}

// Goroutines may compare a type for the first time together.
func TestEqualityOfConcurrentComparisons(t *testing.T) {
	done := make(chan bool)
	for range 8 {
		go func() {
			done <- equalVT(&p2.All{}, &p2.All{}) && equalVT(&vectors.All{}, &vectors.All{}) && !equalVT(&plain.Event{Name: "a"}, &plain.Event{})
		}()
	}
	for range 8 {
		if !<-done {
			t.Error("wrong")
		}
	}
}
