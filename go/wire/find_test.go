package wire_test

import (
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/wire"
)

// LOW-9
func TestFieldsAreFoundByTheirPath(t *testing.T) {
	// 1: {2: "a"}, 3: 7, 1: {2: "b", 2: "c"}, 4 as a group: {5: 9}, 1 as a varint, 1: {}
	b := []byte("\x0a\x03\x12\x01a\x18\x07\x0a\x06\x12\x01b\x12\x01c\x23\x28\x09\x24\x08\x01\x0a\x00")
	d, ok, err := wire.Find(b, 1, 2)
	if text, _ := d.DecodeString(); !ok || err != nil || text != "c" {
		t.Errorf("%q %v %v", text, ok, err)
	}
	var all []string
	for d, err := range wire.FindAll(b, 1, 2) {
		text, textErr := d.DecodeString()
		if err != nil || textErr != nil {
			t.Fatal(err, textErr)
		}
		all = append(all, text)
	}
	if !slices.Equal(all, []string{"a", "b", "c"}) {
		t.Errorf("%q", all)
	}
	d, ok, err = wire.Find(b, 4, 5)
	if v, _ := d.DecodeUint32(); !ok || err != nil || v != 9 {
		t.Error(v, ok, err)
	}
	if d, ok, err = wire.Find(b, 1); !ok || err != nil || d.Tag() != wire.MakeTag(1, wire.BytesType) {
		t.Error(d.Tag(), ok, err)
	}
	if _, ok, err := wire.Find(b, 1, 3); ok || err != nil {
		t.Error(ok, err)
	}
	if d, ok, err := wire.Find(b); !ok || err != nil || d.Offset() != 0 {
		t.Error(ok, err)
	}
	for range wire.FindAll(b, 1, 2) {
		break // ends it without an error
	}
}

func TestWhatIsWrongBesideThePathIsFound(t *testing.T) {
	for _, c := range []struct {
		b      string
		code   wire.Code
		offset int64
	}{
		{"\x0a\x03\x12\x01a\x1a\x05", wire.Truncated, 7},
		{"\x0a\x03\x12\x05a", wire.Truncated, 4},
		{"\x0a\x02\x17\x00", wire.InvalidWireType, 2},
		{"\x0a\x03\x12\x01a\x13\x1c", wire.GroupMismatch, 6},
		{"\x0b\x12\x01a", wire.Truncated, 4},
	} {
		_, ok, err := wire.Find([]byte(c.b), 1, 2)
		rejects(t, c.b, err, c.code, c.offset)
		if ok {
			t.Errorf("% x: found", c.b)
		}
	}
}
