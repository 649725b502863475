package value_test

import (
	"bytes"
	"errors"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	p3 "github.com/hotpb/hotpb/go/internal/testgen/values/vectors"
	e23 "github.com/hotpb/hotpb/go/internal/testgen/values/vectors_2023"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/values/vectors_proto2"
	"github.com/hotpb/hotpb/go/wire"
)

// COD-103
func TestMethodsHaveGogosMeaning(t *testing.T) {
	m := &p2.Child{Id: proto.Int32(5)}
	room := []byte{1, 2, 3, 4}
	if n, err := m.MarshalTo(room); n != 2 || err != nil || !bytes.Equal(room, []byte{8, 5, 3, 4}) {
		t.Errorf("MarshalTo: %d, %v, %x", n, err, room)
	}
	if n, err := m.MarshalToSizedBuffer(room); n != 2 || err != nil || !bytes.Equal(room, []byte{8, 5, 8, 5}) {
		t.Errorf("MarshalToSizedBuffer: %d, %v, %x", n, err, room)
	}
	if _, err := m.MarshalTo(room[:1]); !errors.Is(err, wire.BufferExhausted) || room[0] != 8 {
		t.Errorf("MarshalTo: %v", err)
	}
	list := &p3.All{PackedInt32: []int32{1}}
	b, err := list.Marshal()
	if err != nil || list.Size() != len(b) {
		t.Fatal(err)
	}
	if err := list.Unmarshal(b); err != nil || len(list.PackedInt32) != 2 {
		t.Errorf("Unmarshal does not add: %v, %v", list, err)
	}
	if err := list.UnmarshalHot(b); err != nil || len(list.PackedInt32) != 1 {
		t.Errorf("UnmarshalHot does not replace: %v, %v", list, err)
	}
	if list.Reset(); list.Size() != 0 || list.GetPackedInt32() != nil {
		t.Errorf("Reset leaves %v", list)
	}
}

// COD-103, COD-104
func TestNilMessagesDoNotPanic(t *testing.T) {
	var m *p3.All
	if m.Size() != 0 || m.GetSingleInt32() != 0 || m.GetSingleChild() != nil || m.String() == "" {
		t.Error("a nil message has contents")
	}
	if _, err := m.Marshal(); err == nil {
		t.Error("Marshal accepts nil")
	}
	if _, err := m.MarshalTo(nil); err == nil {
		t.Error("MarshalTo accepts nil")
	}
	if err := m.Unmarshal(nil); err == nil {
		t.Error("Unmarshal accepts nil")
	}
	if b, err := proto.Marshal(m); err != nil || len(b) != 0 {
		t.Errorf("proto.Marshal: %x, %v", b, err)
	}
	if m.ProtoReflect().IsValid() || !proto.Equal(m, m) || proto.Size(m) != 0 {
		t.Error("reflection of nil")
	}
	list := &p3.All{RepeatedChild: []*p3.Child{nil}}
	if _, err := list.Marshal(); err == nil {
		t.Error("a nil element is accepted")
	}
}

// COD-107
func TestUnknownFieldsAreKept(t *testing.T) {
	const unknown = "\xf2\xac\x04\x01u"
	m := new(p3.Child)
	if err := m.Unmarshal([]byte(unknown)); err != nil || string(m.XXX_unrecognized) != unknown {
		t.Fatalf("%x, %v", m.XXX_unrecognized, err)
	}
	if b, err := proto.Marshal(m); err != nil || string(b) != unknown {
		t.Errorf("%x, %v", b, err)
	}
}

// COD-106
func TestExtensionsAreUnknownFields(t *testing.T) {
	m := new(p2.All)
	const x = "\xc8\x3e\x07" // 1001
	if err := m.Unmarshal([]byte(x)); err != nil || string(m.XXX_unrecognized) != x {
		t.Fatalf("%x, %v", m.XXX_unrecognized, err)
	}
}

// COD-108
func TestFieldsWithPresenceArePointers(t *testing.T) {
	var _ *int32 = new(e23.Child).Id
	var _ *int32 = new(p2.Child).Id
	m := new(e23.Child)
	m.Id = proto.Int32(0)
	if b, err := m.Marshal(); err != nil || !bytes.Equal(b, []byte{8, 0}) {
		t.Errorf("%x, %v", b, err)
	}
}

// COD-104: a change by reflection is one of the struct.
func TestReflectionChangesTheStruct(t *testing.T) {
	m := new(p3.All)
	if err := protojson.Unmarshal([]byte(`{"singleInt32": 5, "singleChild": {"id": 7}, "keyString": {"a": "b"}}`), m); err != nil {
		t.Fatal(err)
	}
	if m.SingleInt32 != 5 || m.SingleChild.GetId() != 7 {
		t.Errorf("%v", m)
	}
	r := m.ProtoReflect()
	child := r.Descriptor().Fields().ByName("single_child")
	inner := r.Mutable(child).Message()
	inner.Clear(inner.Descriptor().Fields().ByName("id"))
	if m.SingleChild == nil || m.SingleChild.GetId() != 0 {
		t.Errorf("%v", m)
	}
	if r.Clear(child); m.SingleChild != nil {
		t.Errorf("%v", m)
	}
}
