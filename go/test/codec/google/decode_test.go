package google_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/hotpb/hotpb/go/internal/testgen/stock/raft"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/codec/google"
	"github.com/hotpb/hotpb/go/test/codectest"
	"github.com/hotpb/hotpb/go/wire"
)

// COD-13, COD-49
func TestExtensionsWorkAsUsualAfterADecode(t *testing.T) {
	made := &p2.All{SingleInt32: proto.Int32(1), SingleString: proto.String("behind them by number, before them on the wire")}
	proto.SetExtension(made, p2.E_ExtInt32, int32(7))
	proto.SetExtension(made, p2.E_ExtChild, &p2.Child{Id: proto.Int32(3)})
	input, err := proto.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	unknown := wire.AppendVarint(wire.AppendTag(nil, 1999, wire.VarintType), 5) // in the range, but not declared
	input = append(append(unknown, input...), wire.AppendVarint(wire.AppendTag(nil, 1001, wire.VarintType), 8)...)
	var m p2.All
	if err := m.UnmarshalHot(input); err != nil {
		t.Fatal(err)
	}
	if got := proto.GetExtension(&m, p2.E_ExtInt32); got != int32(8) {
		t.Errorf("the later record does not win: %v", got)
	}
	if got := proto.GetExtension(&m, p2.E_ExtChild).(*p2.Child); got.GetId() != 3 {
		t.Errorf("the child is %v", got)
	}
	if string(m.ProtoReflect().GetUnknown()) != string(unknown) {
		t.Errorf("unknown: %x", m.ProtoReflect().GetUnknown())
	}
	n := 0
	proto.RangeExtensions(&m, func(protoreflect.ExtensionType, any) bool { n++; return true })
	proto.ClearExtension(&m, p2.E_ExtInt32)
	if n != 2 || proto.HasExtension(&m, p2.E_ExtInt32) || !proto.HasExtension(&m, p2.E_ExtChild) {
		t.Errorf("%d extensions; after ExtInt32 was cleared: %v", n, &m)
	}
}

// COD-42: levels count as in the runtime, also through maps, groups and extensions.
func TestRecursionLimitsAreThoseOfTheRuntime(t *testing.T) {
	inner := &p2.All{SingleInt32: proto.Int32(1)}
	for range 3 {
		inner = &p2.All{
			SingleAll: inner, RepeatedAll: []*p2.All{{}, inner},
			ValueAll: map[string]*p2.All{"a": inner},
		}
		proto.SetExtension(inner, p2.E_ExtChild, &p2.Child{Id: proto.Int32(3)})
	}
	input, err := proto.Marshal(inner)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for limit := 1; limit < 12; limit++ {
		_, err := codectest.Decode(t, "hotpb.vectors.p2.All", input, codec.UnmarshalOptions{RecursionLimit: limit})
		if err != nil {
			refused++
		}
		if err != nil && !errors.Is(err, wire.DepthExceeded) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	if refused == 0 || refused == 11 {
		t.Errorf("%d of 11 limits were too low", refused)
	}
}

// COD-16
func TestMessagesOfOtherPackagesAreDecodedByTheirOwnCode(t *testing.T) {
	input, err := proto.Marshal(&raft.Entry{Term: proto.Uint64(5), Data: []byte("data")})
	if err != nil {
		t.Fatal(err)
	}
	var d codec.Decoder
	own, levels := d.Start(input, &codec.UnmarshalOptions{Alias: true}, true)
	var m raft.Entry
	if end := google.Decode(&d, &m, own, 0, levels); end != 0 || m.GetTerm() != 5 || string(m.GetData()) != "data" {
		t.Errorf("%d, %v", end, &m)
	}
	if unsafe.SliceData(m.Data) != &input[len(input)-4] {
		t.Error("the runtime decoded it: its bytes do not stand in the input")
	}
}

// COD-12
func TestTextStandsInTheInputOnlyWithAlias(t *testing.T) {
	input, err := proto.Marshal(&p2.Child{Id: proto.Int32(3), Name: proto.String("name")})
	if err != nil {
		t.Fatal(err)
	}
	for _, alias := range []bool{false, true} {
		var m p2.Child
		if err := m.UnmarshalHotOptions(input, codec.UnmarshalOptions{Alias: alias}); err != nil {
			t.Fatal(err)
		}
		at := uintptr(unsafe.Pointer(unsafe.StringData(*m.Name))) - uintptr(unsafe.Pointer(unsafe.SliceData(input)))
		if inside := at < uintptr(len(input)); inside != alias {
			t.Errorf("alias %v: the string is inside: %v", alias, inside)
		}
	}
}

// COD-12: unknown fields, too, as long as they are one record. Further records move them, and the input stays as it is.
func TestUnknownFieldsStandInTheInputOnlyWithAlias(t *testing.T) {
	known, err := proto.Marshal(&p2.Child{Name: proto.String("name")})
	if err != nil {
		t.Fatal(err)
	}
	first, two := "\xf8\x7f\x01", "\xfa\x7f\x02ab"
	for _, alias := range []bool{false, true} {
		for _, unknown := range []string{first, first + two} {
			input := append([]byte(unknown), known...)
			before := string(input)
			var m p2.Child
			if err := m.UnmarshalHotOptions(input, codec.UnmarshalOptions{Alias: alias}); err != nil {
				t.Fatal(err)
			}
			got := m.ProtoReflect().GetUnknown()
			if string(got) != unknown {
				t.Errorf("alias %v: unknown fields %x, want %x", alias, got, unknown)
			}
			if inside := unsafe.SliceData(got) == unsafe.SliceData(input); inside != (alias && unknown == first) {
				t.Errorf("alias %v, %x: inside: %v", alias, unknown, inside)
			}
			if err := m.UnmarshalHotOptions([]byte(two), codec.UnmarshalOptions{Merge: true}); err != nil {
				t.Fatal(err)
			}
			if got := m.ProtoReflect().GetUnknown(); string(got) != unknown+two || string(input) != before {
				t.Errorf("alias %v: merged %x, and the input is %x", alias, got, input)
			}
		}
	}
}

// The runtime decodes lazy fields only when they are read; later records of the field are merged with them.
func TestLazyFieldsDecodeAsInTheRuntime(t *testing.T) { codectest.Random(t, "hotpb.lazy.Holder", 100) }

// COD-12, COD-13: in a message without text the input is not copied, but an extension may contain text.
func TestTextOfExtensionsStandsInMemoryOfItsOwn(t *testing.T) {
	child, err := proto.Marshal(&p2.Child{Name: proto.String("name"), Child: &p2.Child{Id: proto.Int32(4)}})
	if err != nil {
		t.Fatal(err)
	}
	tag := wire.Tag(1018<<3 | 2)
	b := wire.AppendVarint(nil, uint64(tag))
	value := len(b)
	b = wire.AppendBytes(b, child)
	var d codec.Decoder
	var records codec.Records
	var m p2.All
	var fields protoimpl.ExtensionFields
	if i := records.Collect(&d, b, 0, value, tag, true); i != len(b) || !google.Extensions(&d, &m, &fields, new(google.Known), &records, 10) {
		t.Fatal(i, d.Err())
	}
	clear(b)
	got := proto.GetExtension(&m, p2.E_ExtChild).(*p2.Child) // with protolegacy the runtime decodes it
	if field, fast := fields[int32(tag.Number())]; fast {
		got = field.Value().Message().Interface().(*p2.Child)
	}
	if got.GetName() != "name" || got.GetChild().GetId() != 4 {
		t.Error(got)
	}
}

// COD-48: extensions that fast code reads and writes, and those that it leaves to the runtime.
func TestFastExtensionsAreThoseOfTheRuntime(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		m := new(p2.All)
		proto.SetExtension(m, p2.E_ExtAll, &p2.All{SingleString: proto.String("all")})
		proto.SetExtension(m, p2.E_ExtChild, &p2.Child{Name: proto.String(strings.Repeat("n", 200))})
		if mixed {
			proto.SetExtension(m, p2.E_ExtInt32, int32(7))
		}
		m.ProtoReflect().SetUnknown([]byte{0xf8, 0x7f, 1})
		want, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.MarshalHot()
		if err != nil || !bytes.Equal(got, want) || m.SizeHot() != len(want) {
			t.Errorf("%x of size %d, %v, want %x", got, m.SizeHot(), err, want)
		}
		decoded := new(p2.All)
		twice := append(want[:len(want):len(want)], want...) // records of one extension merge
		if err := decoded.UnmarshalHot(twice); err != nil {
			t.Fatal(err)
		}
		stock := new(p2.All)
		if err := proto.Unmarshal(twice, stock); err != nil || !proto.Equal(decoded, stock) {
			t.Errorf("%v, want %v, %v", decoded, stock, err)
		}
	}
}

// ERR-2: an error inside an extension has its place, whether fast code or the runtime reads the extension.
func TestErrorsInFastExtensionsHaveTheirPlace(t *testing.T) {
	b := []byte{0x08, 0x01, 0xd2, 0x3f, 0x03, 0x12, 0x01, 0xff} // ext_child = 1018, name is not UTF-8
	var m p2.All
	err := m.UnmarshalHot(b)
	var e *wire.Error
	if stock := proto.Unmarshal(b, new(p2.All)); (stock != nil) != (err != nil) {
		t.Errorf("%v, and the runtime %v", err, stock)
	}
	b = []byte{0x08, 0x01, 0xd2, 0x3f, 0x02, 0x12, 0x05} // truncated inside
	if err = m.UnmarshalHot(b); !errors.As(err, &e) || e.Code != wire.Truncated || e.Offset == 0 {
		t.Error(err)
	}
}
