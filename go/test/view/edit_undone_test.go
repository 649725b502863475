package view_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"

	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

// VIW-61: a copy does not know that another copy has opened a child.
func TestACopyThatWasLeftBehindWhenAChildWasOpenedChangesNothing(t *testing.T) {
	input := join(varint(1, 7), message(18, varint(1, 1)), message(318), packedVarints(401, 1), message(718, varint(1, 5), message(2)),
		message(718, varint(1, 6)))
	for name, open := range map[string]func(e *p2.AllEdit){
		"EditSingleChild":       func(e *p2.AllEdit) { e.EditSingleChild() },
		"EditRepeatedChildAt":   func(e *p2.AllEdit) { e.EditRepeatedChildAt(0) },
		"EditValueChild":        func(e *p2.AllEdit) { e.EditValueChild(5) },
		"EditValueChild, empty": func(e *p2.AllEdit) { e.EditValueChild(6) },
		"NewSingleAll":          func(e *p2.AllEdit) { e.NewSingleAll() },
		"E_ExtChild.Edit":       func(e *p2.AllEdit) { p2.E_ExtChild.Edit(e) },
	} {
		e, b := edited(t, input)
		left := *e
		open(e)
		before := bytes.Clone(b.Bytes())
		left.AddRepeatedString("x")
		left.SetSingleInt32(3)
		left.SetSingleInt32(300)
		if !errors.Is(b.Err(), wire.HandleMisuse) || !bytes.Equal(b.Bytes(), before) {
			t.Errorf("%s: %v\n got %x\nwant %x", name, b.Err(), b.Bytes(), before)
		}
	}
}

// VIW-21: a value stays if its replacement has no room, is nested too deeply, or is rejected.
func TestWhatCannotBeReplacedStays(t *testing.T) {
	var large p2.ChildView
	content := text(2, strings.Repeat("x", 60))
	if err := large.Decode(content); err != nil {
		t.Fatal(err)
	}
	size, depth := view.Options{MaxSize: 50}, view.Options{MaxDepth: -1}
	child := message(18, varint(1, 1))
	split := join(child, message(18, text(2, "y")))
	entry := message(718, varint(1, 5), message(2, varint(1, 1)))
	for _, c := range []struct {
		name   string
		input  []byte
		limits view.Options
		code   wire.Code
		edit   func(e *p2.AllEdit)
	}{
		{"a oneof's string", varint(801, 5), size, wire.SizeExceeded, func(e *p2.AllEdit) { e.SetOneofString(strings.Repeat("x", 60)) }},
		{"a oneof's message", varint(801, 5), depth, wire.DepthExceeded, func(e *p2.AllEdit) { e.NewOneofChild() }},
		{"a message in two records", split, size, wire.SizeExceeded, func(e *p2.AllEdit) { e.SetSingleChild(&large) }},
		{"a new message", child, depth, wire.DepthExceeded, func(e *p2.AllEdit) { e.NewSingleChild() }},
		{"an entry's message", entry, size, wire.SizeExceeded, func(e *p2.AllEdit) { e.PutValueChild(5, &large) }},
		{"an entry's new message", entry, view.Options{MaxDepth: 1}, wire.DepthExceeded, func(e *p2.AllEdit) { e.NewValueChild(5) }},
		{"unpacked elements", varint(401, 5), view.Options{MaxSize: 13}, wire.SizeExceeded, func(e *p2.AllEdit) { e.AddPackedInt32(6) }},
		{"packed elements", packedVarints(401, 5), size, wire.SizeExceeded, func(e *p2.AllEdit) { e.AddPackedInt32(slices.Repeat([]int32{1}, 60)...) }},
		{"elements", varint(301, 5), size, wire.SizeExceeded, func(e *p2.AllEdit) { e.AddRepeatedInt32(slices.Repeat([]int32{1}, 60)...) }},
		{"strings", text(314, "a"), size, wire.SizeExceeded, func(e *p2.AllEdit) { e.AddRepeatedString("b", strings.Repeat("x", 60)) }},
		{"undefined values", varint(317, 1), size, wire.TypeMismatch, func(e *p2.AllEdit) { e.AddRepeatedClosed(1, 77) }},
		{"a group", varint(1, 1), depth, wire.DepthExceeded, func(e *p2.AllEdit) { e.SetData(new(p2.All_DataView)) }},
		{"an extension", message(1018, varint(1, 1)), size, wire.SizeExceeded, func(e *p2.AllEdit) { p2.E_ExtChild.Set(e, &large) }},
	} {
		var b view.Buffer
		var e p2.AllEdit
		if err := e.DecodeWith(&b, bytes.Clone(c.input), c.limits); err != nil {
			t.Fatal(c.name, err)
		}
		c.edit(&e)
		if !errors.Is(b.Err(), c.code) || !bytes.Equal(b.Bytes(), c.input) {
			t.Errorf("%s: %v\n got %x\nwant %x", c.name, b.Err(), b.Bytes(), c.input)
		}
		e.SetSingleInt64(1) // the handle still works
		if e.View().SingleInt64() != 1 {
			t.Errorf("%s: the handle is lost", c.name)
		}
	}
}

// VIW-21: a new value may use the room of the one it replaces.
func TestAValueHasTheRoomOfWhatItReplaces(t *testing.T) {
	var b view.Buffer
	var e p2.AllEdit
	old, next := text(814, strings.Repeat("x", 20)), message(818, text(2, strings.Repeat("y", 16)))
	if err := e.DecodeWith(&b, bytes.Clone(old), view.Options{MaxSize: 24}); err != nil {
		t.Fatal(err)
	}
	var c p2.ChildView
	if err := c.Decode(next[3:]); err != nil {
		t.Fatal(err)
	}
	e.SetOneofChild(&c)
	stands(t, &e, &b, next)
}

// VIW-7: each record of a split message must be well-formed.
func TestASplitValueOfDamagedRecordsIsNotEdited(t *testing.T) {
	records := message(718, varint(1, 5), message(2, []byte{0x12, 3, 'a'}), message(2, []byte("bc")))
	e, b := edited(t, records)
	if _, err := e.EditValueChild(5); !errors.Is(err, wire.Truncated) {
		t.Error(err)
	}
	refused(t, b, wire.Truncated, records)
}

// VIW-23: before an edit of the parent, the lengths of its children are written, and their bytes move.
func TestValuesOfAChildThatGrewAreCopiedBeforeTheyMove(t *testing.T) {
	long := strings.Repeat("0123456789", 20)
	name := func(e *p2.AllEdit, c *p2.ChildEdit) string { return c.View().Name()[:4] }
	for kind, edit := range map[string]func(e *p2.AllEdit, c *p2.ChildEdit){
		"SetSingleString":      func(e *p2.AllEdit, c *p2.ChildEdit) { e.SetSingleString(name(e, c)) },
		"SetOneofString":       func(e *p2.AllEdit, c *p2.ChildEdit) { e.SetOneofString(name(e, c)) },
		"AddRepeatedString":    func(e *p2.AllEdit, c *p2.ChildEdit) { e.AddRepeatedString(name(e, c), "-", name(e, c)) },
		"SetRepeatedStringAt":  func(e *p2.AllEdit, c *p2.ChildEdit) { e.SetRepeatedStringAt(0, name(e, c)) },
		"PutKeyString":         func(e *p2.AllEdit, c *p2.ChildEdit) { e.PutKeyString(name(e, c), name(e, c)) },
		"DeleteKeyString":      func(e *p2.AllEdit, c *p2.ChildEdit) { e.DeleteKeyString(name(e, c)) },
		"SetOneofChild":        func(e *p2.AllEdit, c *p2.ChildEdit) { e.SetOneofChild(c.View()) },
		"AppendRepeatedChild":  func(e *p2.AllEdit, c *p2.ChildEdit) { e.AppendRepeatedChild(c.View()) },
		"SetRepeatedChildAt":   func(e *p2.AllEdit, c *p2.ChildEdit) { e.SetRepeatedChildAt(0, c.View()) },
		"PutValueChild":        func(e *p2.AllEdit, c *p2.ChildEdit) { e.PutValueChild(5, c.View()) },
		"E_ExtString.Set":      func(e *p2.AllEdit, c *p2.ChildEdit) { p2.E_ExtString.Set(e, name(e, c)) },
		"E_ExtChild.Set":       func(e *p2.AllEdit, c *p2.ChildEdit) { p2.E_ExtChild.Set(e, c.View()) },
		"E_ExtRepeatedChild":   func(e *p2.AllEdit, c *p2.ChildEdit) { p2.E_ExtRepeatedChild.Append(e, c.View()) },
		"SetSingleChild":       func(e *p2.AllEdit, c *p2.ChildEdit) { e.SetSingleChild(c.View()) },
		"SetSingleBytes, kept": func(e *p2.AllEdit, c *p2.ChildEdit) { e.SetSingleBytes([]byte(name(e, c))) },
	} {
		made := func(settled bool) []byte {
			e, b := edited(t, text(314, "element"), message(318, varint(1, 1)), message(614, text(1, "0123"), text(2, "v")), text(1014, "old"))
			c := e.NewSingleChild()
			c.SetName(long)
			if settled {
				b.Bytes()
			}
			edit(e, &c)
			if b.Err() != nil {
				t.Error(kind, b.Err())
			}
			return b.Bytes()
		}
		if got, want := made(false), made(true); !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x\nwant %x", kind, got, want)
		}
	}
}

// VIW-23: a oneof's old value is the source of the new one; several values are in the bytes after the child that
// receives them.
func TestValuesAreCopiedBeforeTheirSourceGoes(t *testing.T) {
	e, b := edited(t, text(814, "first"), text(14, "second"))
	e.SetOneofBytes(unsafe.Slice(unsafe.StringData(e.View().OneofString()), 5))
	stands(t, e, b, text(14, "second"), text(815, "first"))
	e, b = edited(t, message(19), text(314, "first"), text(314, "second"), text(314, "third"))
	all := slices.Collect(e.View().RepeatedString())
	c, err := e.EditSingleAll()
	if err != nil {
		t.Fatal(err)
	}
	c.AddRepeatedString(all...)
	three := join(text(314, "first"), text(314, "second"), text(314, "third"))
	stands(t, e, b, message(19, three), three)
}
