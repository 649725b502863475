package fast_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	p2 "github.com/hotpb/hotpb/go/gogo/internal/stock/vectors_proto2"
	"github.com/hotpb/hotpb/go/wire"
)

// extended returns a message with these extensions.
func extended(t *testing.T, values map[*proto.ExtensionDesc]any) *p2.All {
	t.Helper()
	m := &p2.All{SingleString: proto.String("text")}
	for desc, value := range values {
		if err := proto.SetExtension(m, desc, value); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// Extensions that are messages with fast code take the fast way, in any number, and nothing is allocated for them.
func TestExtensionsAreWrittenByTheirFastCode(t *testing.T) {
	deep := extended(t, map[*proto.ExtensionDesc]any{p2.E_ExtAll: extended(t, map[*proto.ExtensionDesc]any{
		p2.E_ExtChild: &p2.Child{Id: proto.Int32(1)}, p2.E_ExtAll: &p2.All{SingleString: proto.String(strings.Repeat("x", 5000))},
	})})
	for _, m := range []*p2.All{
		extended(t, map[*proto.ExtensionDesc]any{p2.E_ExtChild: &p2.Child{}}),
		extended(t, map[*proto.ExtensionDesc]any{p2.E_ExtChild: &p2.Child{Id: proto.Int32(-1)}, p2.E_ExtAll: &p2.All{}}),
		deep,
	} {
		encode(t, m)
		out := make([]byte, 0, 8000)
		if n := testing.AllocsPerRun(50, func() {
			if _, err := m.MarshalAppendHot(out); err != nil {
				t.Fatal(err)
			}
			m.SizeHot()
		}); n > 0.5 {
			t.Errorf("%v allocations", n)
		}
	}
}

func TestExtensionsOfAllKindsTogether(t *testing.T) {
	child := &p2.Child{Id: proto.Int32(3)}
	encode(t, extended(t, map[*proto.ExtensionDesc]any{p2.E_ExtInt32: proto.Int32(7)}))
	encode(t, extended(t, map[*proto.ExtensionDesc]any{p2.E_ExtInt32: proto.Int32(7), p2.E_ExtChild: child, p2.E_ExtAll: &p2.All{}}))
	m := extended(t, map[*proto.ExtensionDesc]any{p2.E_ExtAll: &p2.All{SingleString: proto.String("x")}, p2.E_ExtChild: child})
	b, err := m.MarshalHot()
	if err != nil {
		t.Fatal(err)
	}
	half := new(p2.All)
	if err := half.UnmarshalHot(b); err != nil {
		t.Fatal(err)
	}
	if _, err := proto.GetExtension(half, p2.E_ExtChild); err != nil {
		t.Fatal(err)
	}
	encode(t, half) // one is decoded, and one raw
	if err := proto.SetExtension(half, p2.E_ExtMust, &p2.Must{}); err != nil {
		t.Fatal(err)
	}
	if _, err := half.MarshalHot(); !errors.Is(err, wire.MissingRequired) {
		t.Errorf("without a required field: %v", err)
	}
}

// With AllowPartial fast code writes what the runtime would leave unfinished.
func TestAPartialExtensionIsWhole(t *testing.T) {
	inner := &p2.All{SingleString: proto.String("inner")}
	for _, m := range []*p2.All{inner, extended(t, map[*proto.ExtensionDesc]any{p2.E_ExtAll: inner})} {
		if err := proto.SetExtension(inner, p2.E_ExtMust, new(p2.Must)); err != nil {
			t.Fatal(err)
		}
		b, err := m.MarshalHotOptions(nil, codec.MarshalOptions{AllowPartial: true})
		if err != nil || len(b) != m.SizeHot() || !bytes.Contains(b, []byte("inner")) {
			t.Fatalf("%x, %v", b, err)
		}
		got := new(p2.All)
		if err := got.UnmarshalHotOptions(b, codec.UnmarshalOptions{AllowPartial: true}); err != nil {
			t.Fatal(err)
		}
		if encoded, err := got.MarshalHotOptions(nil, codec.MarshalOptions{AllowPartial: true}); err != nil || !bytes.Equal(encoded, b) {
			t.Errorf("%x, %x, %v", b, encoded, err)
		}
		if _, err := m.MarshalHot(); !errors.Is(err, wire.MissingRequired) {
			t.Error(err)
		}
	}
}
