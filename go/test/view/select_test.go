package view_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/testgen/dropped_p2/dropped_p2hot"
	"github.com/hotpb/hotpb/go/internal/testgen/dropped_p3/dropped_p3hot"
	"github.com/hotpb/hotpb/go/internal/testgen/kept_p2/kept_p2hot"
	"github.com/hotpb/hotpb/go/internal/testgen/kept_p3/kept_p3hot"
	"github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

// unknownBytes returns the unknown fields of a message, without those of some numbers.
func unknownBytes(unknowns view.UnknownFields, without ...uint32) []byte {
	var out []byte
	for unknowns.Next() {
		if u := unknowns.Field(); !slices.Contains(without, u.Number) {
			out = u.Append(out)
		}
	}
	return out
}

// FCE-9
func TestSkippedFieldHasNoAccessor(t *testing.T) {
	for _, c := range []struct {
		view            any
		methods, absent []string
	}{
		{&dropped_p2hot.ChildView{}, []string{"Id", "HasId", "Child", "ChildrenIter"},
			[]string{"Name", "HasName", "NumbersIter", "CountsGet", "PickName", "WhichPick"}},
		{&kept_p2hot.ChildView{}, []string{"Id", "Children"}, []string{"Name", "Numbers", "Counts", "PickChild", "WhichPick"}},
		{&dropped_p2hot.NeedsView{}, []string{"One", "ManyLen", "Needs"}, []string{"ById", "Grp", "Picked", "Other", "WhichPick"}},
		{&dropped_p3hot.AllView{}, []string{"SingleString", "WhichOther", "OtherText"}, []string{"SingleInt32", "WhichKind", "OneofInt32"}},
	} {
		typ := reflect.TypeOf(c.view)
		for _, name := range c.methods {
			if _, has := typ.MethodByName(name); !has {
				t.Errorf("%v has no %s", typ, name)
			}
		}
		for _, name := range c.absent {
			if _, has := typ.MethodByName(name); has {
				t.Errorf("%v has %s", typ, name)
			}
		}
	}
}

// childRecords has every field of a Child, with skipped fields on all sides of the other ones, and three unknown
// fields; childKnown holds the remaining fields.
var (
	childRecords = []byte("\x12\x01x" + "\x20\x05" + "\xd8\x01\x01" + "\x08\x07" + "\x22\x02\x01\x02" + "\x2a\x05\x0a\x01k\x10\x09" +
		"\xd8\x01\x02" + "\x10\x63" + "\x32\x01p" + "\x1a\x05\x08\x08\x12\x01y" + "\x3a\x02\x08\x01" + "\x4a\x04\x12\x00\x08\x09" + "\x40\x01" + "\xd8\x01\x03" + "\x12\x01z")
	childKnown   = []byte("\xd8\x01\x01" + "\x08\x07" + "\xd8\x01\x02" + "\x1a\x02\x08\x08" + "\x4a\x02\x08\x09" + "\xd8\x01\x03")
	childUnknown = []byte("\xd8\x01\x01\xd8\x01\x02\xd8\x01\x03")
)

// FCE-19
func TestMessageReadsAsIfSkippedFieldsHadNotBeenThere(t *testing.T) {
	for _, input := range [][]byte{childRecords, childKnown} {
		var v, child dropped_p2hot.ChildView
		if err := v.Decode(input); err != nil {
			t.Fatal(err)
		}
		if err := v.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := unknownBytes(v.UnknownFields()); !bytes.Equal(got, childUnknown) {
			t.Errorf("unknown fields %x, want %x", got, childUnknown)
		}
		if err := v.ChildInto(&child); err != nil || v.Id() != 7 || child.Id() != 8 || unknownBytes(child.UnknownFields()) != nil {
			t.Errorf("id %d, child %d, error %v", v.Id(), child.Id(), err)
		}
		element, err := v.ChildrenNth(0)
		if err != nil || v.ChildrenLen() != 1 || element.Id() != 9 || unknownBytes(element.UnknownFields()) != nil {
			t.Errorf("%d children, the first %d, error %v", v.ChildrenLen(), element.Id(), err)
		}
	}
}

// FCE-20
func TestKeptSkippedFieldsAreUnknownFields(t *testing.T) {
	var v kept_p2hot.ChildReencoder
	if err := v.Decode(childRecords); err != nil {
		t.Fatal(err)
	}
	const unknown = "\x12\x01x" + "\x20\x05" + "\xd8\x01\x01" + "\x22\x02\x01\x02" + "\x2a\x05\x0a\x01k\x10\x09" +
		"\xd8\x01\x02" + "\x10\x63" + "\x32\x01p" + "\x3a\x02\x08\x01" + "\x40\x01" + "\xd8\x01\x03" + "\x12\x01z"
	if got := unknownBytes(v.UnknownFields()); string(got) != unknown {
		t.Errorf("unknown fields %x, want %x", got, unknown)
	}
	got, err := v.AppendCanonical(nil)
	if want := "\x08\x07" + "\x1a\x05\x08\x08\x12\x01y" + "\x4a\x04\x08\x09\x12\x00" + unknown; err != nil || string(got) != want {
		t.Errorf("error %v, written\n%x, want\n%x", err, got, want)
	}
}

// FCE-18, FCE-21
func TestSkippedFieldIsCheckedInItsWireFormOnly(t *testing.T) {
	for name, input := range map[string]string{
		"not UTF-8":                           "\x12\x01\xff",
		"damage in a packed record":           "\x22\x01\x80",
		"damage in a map entry":               "\x2a\x01\x0a",
		"damage in a message":                 "\x3a\x02\x00\x07",
		"another wire type":                   "\x15\x01\x02\x03\x04",
		"too many messages inside each other": "\x3a\x02\x3a\x00",
	} {
		for _, m := range []interface {
			DecodeWith([]byte, view.Options) error
			Validate() error
		}{&dropped_p2hot.ChildView{}, &kept_p2hot.ChildView{}} {
			err := m.DecodeWith([]byte(input), view.Options{Strict: true, MaxDepth: 1})
			if err == nil {
				err = m.Validate()
			}
			if err != nil {
				t.Errorf("%s, %T: %v", name, m, err)
			}
		}
	}
	for _, c := range []struct {
		input, path string
		code        wire.Code
		offset      int64
	}{
		{"\x08\x01\x12\x05x", "2", wire.Truncated, 4},
		{"\x08\x01\x20\x80", "4", wire.Truncated, 3},
		{"\x08\x01\x23\x08\x01", "4", wire.Truncated, 5},
		{"\x23\x2c", "4", wire.GroupMismatch, 1},
		{"\x23\x23\x24\x24", "4.4", wire.DepthExceeded, 1},
		{"\x12\xff\xff\xff\xff\x0f", "2", wire.SizeExceeded, 0},
		{"\x17", "", wire.InvalidWireType, 0},
		{"\x1a\x03\x12\x02x", "child.2", wire.Truncated, 4},
	} {
		for _, m := range []interface {
			DecodeWith([]byte, view.Options) error
			Validate() error
		}{&dropped_p2hot.ChildView{}, &kept_p2hot.ChildView{}} {
			err := m.DecodeWith([]byte(c.input), view.Options{MaxDepth: 1})
			if err == nil {
				err = m.Validate()
			}
			var e *wire.Error
			if !errors.As(err, &e) || e.Code != c.code || e.Offset != c.offset || e.Path != c.path {
				t.Errorf("%x, %T: %v, want %v at %d: %q", c.input, m, err, c.code, c.offset, c.path)
			}
		}
	}
}

// FCE-22
func TestSkippedRequiredFieldIsNotMissed(t *testing.T) {
	var v dropped_p2hot.NeedsView
	for input, path := range map[string]string{
		"\x0a\x02\x08\x01":                 "",           // one.name is skipped
		"\x12\x02\x08\x01\x12\x02\x20\x01": "many[1].id", // one.id is not
		"\x1a\x02\x12\x00\x22\x00\x3b\x3c": "",           // all of by_id, picked and grp is skipped
		"\x32\x06\x22\x00\x0a\x02\x20\x01": "needs.one.id",
	} {
		if err := v.Decode([]byte(input)); err != nil {
			t.Fatal(err)
		}
		got := ""
		var e *wire.Error
		if err := v.CheckInitialized(); errors.As(err, &e) && e.Code == wire.MissingRequired {
			got = e.Path
		}
		if got != path {
			t.Errorf("%x: missing %q, want %q", input, got, path)
		}
	}
}

// FCE-9
func TestExtensionsAreReadBesideSkippedFields(t *testing.T) {
	var v dropped_p2hot.NeedsView
	// by_id, the extension, grp with a record of the extension's number in it, the extension again.
	if err := v.Decode([]byte("\x1a\x00" + "\xa2\x06\x02\x08\x05" + "\x3b\xa2\x06\x02\x08\x07\x3c" + "\xa2\x06\x02\x20\x06")); err != nil {
		t.Fatal(err)
	}
	must, err := dropped_p2hot.E_ScopeMustExtension.Get(&v)
	if err != nil || must.Id() != 5 || must.Number() != 6 {
		t.Errorf("id %d, number %d, error %v", must.Id(), must.Number(), err)
	}
	if got := unknownBytes(v.UnknownFields()); string(got) != "\xa2\x06\x02\x08\x05\xa2\x06\x02\x20\x06" {
		t.Errorf("unknown fields %x", got)
	}
	if got := unknownBytes(v.UnknownFields().Without(dropped_p2hot.E_ScopeMustExtension.Table())); got != nil {
		t.Errorf("unknown fields except the extension %x", got)
	}
}

// FCE-20. Code that keeps skipped fields writes the same message.
func TestVectorsReencodeThroughKeptSkippedFields(t *testing.T) {
	kept := map[string]func() reencoder{
		"hotpb.vectors.p2.Child":   func() reencoder { return new(kept_p2hot.ChildReencoder) },
		"hotpb.vectors.p2.Needs":   func() reencoder { return new(kept_p2hot.NeedsReencoder) },
		"hotpb.vectors.p2.Must":    func() reencoder { return new(kept_p2hot.MustReencoder) },
		"hotpb.vectors.p2.Numbers": func() reencoder { return new(kept_p2hot.NumbersReencoder) },
		"hotpb.vectors.p3.All":     func() reencoder { return new(kept_p3hot.AllReencoder) },
	}
	n := 0
	for _, v := range vectors.Read(t, "wire") {
		if kept[v.Message] == nil || !v.Binds("view") {
			continue
		}
		n++
		between, err := canonical(kept[v.Message](), v.Input, v.Limits(), true)
		if err != nil {
			t.Errorf("%s %v: %v", v.Name, v.IDs, err)
			continue
		}
		want, err := canonical(newMessage(t, v.Message), v.Input, v.Limits(), true)
		if err != nil {
			t.Fatal(err)
		}
		got, err := canonical(newMessage(t, v.Message), between, v.Limits(), true)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s %v: error %v\nbetween %x\n    got %x\n   want %x", v.Name, v.IDs, err, between, got, want)
		}
	}
	if n < 900 {
		t.Errorf("only %d vectors were tested", n)
	}
}

// FCE-19
func TestUnknownFieldsOfVectorsAreTheSameWithoutSkippedFields(t *testing.T) {
	// The message has no closed enum, so a field that is unknown to the whole schema is an unchanged record.
	skipped := (*dropped_p3hot.AllHotTable())[0].Dropped
	n := 0
	for _, v := range vectors.Read(t, "wire") {
		if v.Message != "hotpb.vectors.p3.All" || !v.Binds("view") {
			continue
		}
		n++
		var whole vectorshot.AllView
		var dropped dropped_p3hot.AllView
		if err := whole.DecodeWith(v.Input, v.Limits()); err != nil {
			t.Fatal(err)
		}
		if err := dropped.DecodeWith(v.Input, v.Limits()); err != nil {
			t.Errorf("%s %v: %v", v.Name, v.IDs, err)
			continue
		}
		got, want := unknownBytes(dropped.UnknownFields()), unknownBytes(whole.UnknownFields(), skipped...)
		if !bytes.Equal(got, want) {
			t.Errorf("%s %v: unknown fields %x, want %x", v.Name, v.IDs, got, want)
		}
		if dropped.SingleString() != whole.SingleString() || dropped.WhichOther() != whole.WhichOther() ||
			dropped.RepeatedAllLen() != whole.RepeatedAllLen() || dropped.RepeatedInt32Len() != whole.RepeatedInt32Len() {
			t.Errorf("%s %v: the fields that both have differ", v.Name, v.IDs)
		}
	}
	if n == 0 {
		t.Error("no vector was tested")
	}
}
