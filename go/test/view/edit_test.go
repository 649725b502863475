package view_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	raft "github.com/hotpb/hotpb/go/internal/testgen/raft/rafthot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

// edited opens an All for editing.
func edited(t *testing.T, records ...[]byte) (*p2.AllEdit, *view.Buffer) {
	t.Helper()
	e, b := new(p2.AllEdit), new(view.Buffer)
	if err := e.Decode(b, join(records...)); err != nil {
		t.Fatal(err)
	}
	return e, b
}

// stands checks the bytes, that no edit was rejected, and that the slots are those of a fresh decode.
func stands(t *testing.T, e *p2.AllEdit, b *view.Buffer, records ...[]byte) {
	t.Helper()
	if want := join(records...); !bytes.Equal(b.Bytes(), want) || b.Err() != nil {
		t.Errorf("%v\n got %x\nwant %x", b.Err(), b.Bytes(), want)
	}
	if shown := e.View().RawBytes(); !bytes.Equal(shown, b.Bytes()) {
		t.Errorf("the view has %x, the buffer %x", shown, b.Bytes())
	}
}

// refused checks that the last edit was rejected with a code and changed nothing.
func refused(t *testing.T, b *view.Buffer, code wire.Code, records ...[]byte) {
	t.Helper()
	if !errors.Is(b.Err(), code) {
		t.Errorf("the error is %v, want %v", b.Err(), code)
	}
	if want := join(records...); !bytes.Equal(b.Bytes(), want) {
		t.Errorf(" got %x\nwant %x", b.Bytes(), want)
	}
}

// VIW-15
func TestAValueOfTheSameWidthIsOverwrittenInPlace(t *testing.T) {
	e, b := edited(t, varint(1, 5), text(14, "abc"), fixed32(7, 1), varint(3, 300))
	before := &b.Bytes()[0]
	e.SetSingleInt32(6)
	e.SetSingleString("xyz")
	e.SetSingleFixed32(2)
	e.SetSingleUint32(400)
	stands(t, e, b, varint(1, 6), text(14, "xyz"), fixed32(7, 2), varint(3, 400))
	if &b.Bytes()[0] != before {
		t.Error("the bytes have moved")
	}
}

// VIW-15, VIW-48
func TestAValueOfAnotherWidthMovesWhatStandsBehind(t *testing.T) {
	e, b := edited(t, varint(1, 5), text(14, "abc"), varint(3, 300), message(18, varint(1, 1)), text(60_000, "unknown"))
	e.SetSingleInt32(-1)
	e.SetSingleString(strings.Repeat("long", 50))
	e.SetSingleUint32(1)
	want := [][]byte{varint(1, math.MaxUint64), text(14, strings.Repeat("long", 50)), varint(3, 1), message(18, varint(1, 1)), text(60_000, "unknown")}
	stands(t, e, b, want...)
	if c, err := e.View().SingleChild(); err != nil || c.Id() != 1 || e.View().SingleUint32() != 1 {
		t.Error("the fields that follow are not found", err)
	}
	e.SetSingleString("")
	want[1] = text(14, "")
	stands(t, e, b, want...)
}

// VIW-16
func TestAnAbsentFieldIsAppended(t *testing.T) {
	e, b := edited(t, varint(13, 1))
	e.SetSingleInt32(7)
	e.SetSingleDouble(1.5)
	e.SetSingleBytes(nil)
	stands(t, e, b, varint(13, 1), varint(1, 7), fixed64(12, 0x3ff8000000000000), text(15, ""))
	if !e.View().HasSingleBytes() || e.View().SingleInt32() != 7 {
		t.Error("the fields that were set are not there")
	}
}

// VIW-50
func TestClearingTakesAllRecordsOfAFieldAndNoOther(t *testing.T) {
	e, b := edited(t, varint(1, 5), text(1, "another wire type: unknown"), varint(13, 1), varint(1, 6))
	e.ClearSingleInt32()
	stands(t, e, b, text(1, "another wire type: unknown"), varint(13, 1))
	e.ClearSingleInt32()
	stands(t, e, b, text(1, "another wire type: unknown"), varint(13, 1))
}

// VIW-51
func TestSettingAOneofMemberClearsTheOthers(t *testing.T) {
	e, b := edited(t, text(814, "one"), varint(801, 5), text(814, "two"), varint(13, 1))
	e.SetOneofString("three")
	if e.View().WhichKind() != 814 || e.View().OneofString() != "three" {
		t.Error("the member that is set is not found")
	}
	e.SetOneofInt32(9)
	stands(t, e, b, varint(13, 1), varint(801, 9))
	c := e.NewOneofChild()
	c.SetId(4)
	stands(t, e, b, varint(13, 1), message(818, varint(1, 4)))
	e.ClearKind()
	stands(t, e, b, varint(13, 1))
}

// VIW-17, VIW-53
func TestChildrenGrowAndTheLengthsOfTheirParentsFollow(t *testing.T) {
	e, b := edited(t, message(19, message(19, message(18, text(2, "x")))), varint(13, 1))
	first, err := e.EditSingleAll()
	if err != nil {
		t.Fatal(err)
	}
	two, err := first.EditSingleAll()
	if err != nil {
		t.Fatal(err)
	}
	child, err := two.EditSingleChild()
	if err != nil {
		t.Fatal(err)
	}
	for n := range 400 { // beyond 127 and, with the parents, beyond 255
		child.SetName(strings.Repeat("n", n))
		two := message(19, message(18, text(2, strings.Repeat("n", n))))
		if want := join(message(19, two), varint(13, 1)); !bytes.Equal(b.Bytes(), want) {
			t.Fatalf("%d:\n got %x\nwant %x", n, b.Bytes(), want)
		}
	}
	e.SetSingleBool(false)
	stands(t, e, b, message(19, message(19, message(18, text(2, strings.Repeat("n", 399))))), varint(13, 0))
}

// VIW-53
func TestAPaddedLengthOfFourBytesStays(t *testing.T) {
	padded := join([]byte{0x92, 0x01, 0x83, 0x80, 0x80, 0x00}, text(2, "x"))
	e, b := edited(t, padded, varint(13, 1))
	c, err := e.EditSingleChild()
	if err != nil {
		t.Fatal(err)
	}
	c.SetName("xyz")
	stands(t, e, b, []byte{0x92, 0x01, 0x85, 0x80, 0x80, 0x00}, text(2, "xyz"), varint(13, 1))
}

// VIW-55
func TestATreeIsBuiltFromTheTopAndFromTheBottom(t *testing.T) {
	var top view.Buffer
	var m raft.MessageEdit
	m.Start(&top)
	m.SetTo(1)
	meta := func(s *raft.SnapshotEdit) {
		m := s.NewMetadata()
		m.SetIndex(5)
		c := m.NewConfState()
		c.AddVoters(1, 2, 3)
		m.SetTerm(3)
	}
	snapshot := m.NewSnapshot()
	meta(&snapshot)
	for n := range uint64(3) {
		e := m.AddEntries()
		e.SetIndex(n)
		e.SetData(bytes.Repeat([]byte{byte(n)}, 100))
	}

	// From the bottom: each message in its own buffer, put into the next one when it is complete.
	var parts [2]view.Buffer
	var bottom view.Buffer
	var s raft.SnapshotEdit
	s.Start(&parts[0])
	meta(&s)
	m.Start(&bottom)
	m.SetTo(1)
	m.SetSnapshot(s.View())
	for n := range uint64(3) {
		var e raft.EntryEdit
		e.Start(&parts[1])
		e.SetIndex(n)
		e.SetData(bytes.Repeat([]byte{byte(n)}, 100))
		m.AppendEntries(e.View())
	}
	if top.Err() != nil || bottom.Err() != nil || !bytes.Equal(top.Bytes(), bottom.Bytes()) || len(top.Bytes()) < 300 {
		t.Errorf("%v %v\n top %x\nbottom %x", top.Err(), bottom.Err(), top.Bytes(), bottom.Bytes())
	}
}

// VIW-7, VIW-54
func TestASplitMessageIsMergedWhenItIsEdited(t *testing.T) {
	e, b := edited(t, message(18, varint(1, 1)), varint(13, 1), message(18, text(2, "x")), message(18, varint(1, 2)))
	c, err := e.EditSingleChild()
	if err != nil {
		t.Fatal(err)
	}
	c.SetId(3)
	stands(t, e, b, varint(13, 1), message(18, varint(1, 1), text(2, "x"), varint(1, 3)))
}

// VIW-7, VIW-54
func TestASplitValueInAMapEntryIsMergedWhenItIsEdited(t *testing.T) {
	e, b := edited(t, message(718, varint(1, 5), message(2, varint(1, 1)), message(2, text(2, "x"))), varint(13, 1))
	c, err := e.EditValueChild(5)
	if err != nil {
		t.Fatal(err)
	}
	c.SetName("y")
	stands(t, e, b, varint(13, 1), message(718, varint(1, 5), message(2, varint(1, 1), text(2, "y"))))
}

// VIW-17
func TestGroupsAreEditedLikeMessages(t *testing.T) {
	e, b := edited(t, varint(13, 1))
	data := e.NewData()
	data.SetSingleInt32(4)
	inner := data.NewInner()
	inner.SetName("in")
	data.SetSingleInt32(400)
	for n := range int32(3) {
		item := e.AddItem()
		item.SetId(n)
	}
	stands(t, e, b, varint(13, 1), group(901, varint(1, 400), group(902, text(2, "in"))),
		group(911, varint(1, 0)), group(911, varint(1, 1)), group(911, varint(1, 2)))
	item, err := e.EditItemAt(1)
	if err != nil {
		t.Fatal(err)
	}
	item.SetName("one")
	e.RemoveItem(0, 1)
	stands(t, e, b, varint(13, 1), group(901, varint(1, 400), group(902, text(2, "in"))),
		group(911, varint(1, 1), text(2, "one")), group(911, varint(1, 2)))
}

// VIW-18, VIW-56
func TestElementsArePackedAsTheSchemaSaysInOneRecord(t *testing.T) {
	e, b := edited(t, varint(401, 1), packedVarints(401, 2, 3), varint(13, 1), varint(401, 4))
	e.AddPackedInt32(500)
	stands(t, e, b, varint(13, 1), packedVarints(401, 1, 2, 3, 4, 500))
	e.SetSingleBool(false)
	for n := range int32(200) {
		e.AddPackedInt32(n, n)
	}
	if got := slices.Collect(e.View().PackedInt32()); len(got) != 405 || got[404] != 199 || e.View().PackedInt32Nth(4) != 500 {
		t.Error(got)
	}
	e.ClearPackedInt32()
	e.AddRepeatedInt32(1, 300)
	e.AddPackedFixed32(7)
	stands(t, e, b, varint(13, 0), varint(301, 1), varint(301, 300), packedFixed32(407, 7))
}

// VIW-18, VIW-57
func TestElementsAreSetAndRemovedPackedUnpackedAndMixed(t *testing.T) {
	e, b := edited(t, varint(301, 1), packedVarints(301, 2, 3, 4), varint(13, 1), varint(301, 5))
	e.SetRepeatedInt32At(0, 1000)
	e.SetRepeatedInt32At(2, 3000)
	e.SetRepeatedInt32At(4, -5)
	stands(t, e, b, varint(301, 1000), packedVarints(301, 2, 3000, 4), varint(13, 1), varint(301, math.MaxUint64-4))
	e.RemoveRepeatedInt32(0, 2)
	stands(t, e, b, packedVarints(301, 3000, 4), varint(13, 1), varint(301, math.MaxUint64-4))
	e.RemoveRepeatedInt32(0, 2)
	stands(t, e, b, varint(13, 1), varint(301, math.MaxUint64-4))
	e.RemoveRepeatedInt32(1, 2)
	refused(t, b, wire.HandleMisuse, varint(13, 1), varint(301, math.MaxUint64-4))
}

// VIW-18
func TestUndefinedValuesOfClosedEnumsStayWhenTheOthersGo(t *testing.T) {
	e, b := edited(t, varint(317, 1), varint(317, 77), packedVarints(317, 1, 78, 1), varint(17, 79), varint(17, 1),
		message(717, varint(1, 1), varint(2, 80)), message(717, varint(1, 1), varint(2, 0)))
	e.ClearRepeatedClosed()
	e.ClearSingleClosed()
	e.DeleteValueClosed(1)
	stands(t, e, b, varint(317, 77), packedVarints(317, 78), varint(17, 79), message(717, varint(1, 1), varint(2, 80)))
	e.AddRepeatedClosed(77)
	refused(t, b, wire.TypeMismatch, varint(317, 77), packedVarints(317, 78), varint(17, 79), message(717, varint(1, 1), varint(2, 80)))
}

// VIW-19
func TestMapEntriesArePutAndDeletedByKey(t *testing.T) {
	e, b := edited(t, message(614, text(1, "a"), text(2, "1")), varint(13, 1), message(614, text(1, "b")), message(614, text(1, "a"), text(2, "2")))
	e.PutKeyString("a", "three")
	stands(t, e, b, message(614, text(1, "a"), text(2, "1")), varint(13, 1), message(614, text(1, "b")), message(614, text(1, "a"), text(2, "three")))
	e.PutKeyString("b", "value")
	e.PutKeyString("c", "new")
	e.DeleteKeyString("a")
	e.DeleteKeyString("there is none")
	stands(t, e, b, varint(13, 1), message(614, text(1, "b"), text(2, "value")), message(614, text(1, "c"), text(2, "new")))
	e.PutKeyInt32(-1, 5)
	if v, ok := e.View().KeyInt32Find(-1); !ok || v != 5 || e.View().KeyStringLen() != 2 {
		t.Error(v, ok)
	}
	e.PutKeyBool(true, false)
	e.PutKeyBool(true, true)
	if v, ok := e.View().KeyBoolFind(true); !ok || !v || e.View().KeyBoolLen() != 1 {
		t.Error(v, ok)
	}
}

// VIW-19
func TestMessagesInMapsAreEditedByKey(t *testing.T) {
	e, b := edited(t)
	c, err := e.EditValueChild(7)
	if err != nil {
		t.Fatal(err)
	}
	c.SetName("seven")
	if c, err = e.EditValueChild(7); err != nil || c.View().Name() != "seven" {
		t.Fatal(err)
	}
	c.SetName(strings.Repeat("s", 200))
	stands(t, e, b, message(718, varint(1, 7), message(2, text(2, strings.Repeat("s", 200)))))
	c = e.NewValueChild(7)
	c.SetId(1)
	stands(t, e, b, message(718, varint(1, 7), message(2, varint(1, 1))))
	e.PutValueChild(8, c.View())
	stands(t, e, b, message(718, varint(1, 7), message(2, varint(1, 1))), message(718, varint(1, 8), message(2, varint(1, 1))))
	e2, b2 := edited(t, message(718, varint(1, 9)))
	if c, err = e2.EditValueChild(9); err != nil {
		t.Fatal(err)
	}
	c.SetId(2)
	stands(t, e2, b2, message(718, varint(1, 9), message(2, varint(1, 2))))
}

// VIW-20
func TestExtensionsAreEdited(t *testing.T) {
	e, b := edited(t, varint(1001, 77), text(60_000, "unknown"), message(1018, varint(1, 1)), message(1018, text(2, "x")))
	p2.E_ExtInt32.Set(e, 700)
	p2.E_ExtString.Set(e, "text")
	p2.E_ExtPackedFixed32.Add(e, 1, 2)
	p2.E_ExtPackedFixed32.Add(e, 3)
	p2.E_ExtPackedFixed32.SetAt(e, 1, 20)
	c, err := p2.E_ExtChild.Edit(e)
	if err != nil {
		t.Fatal(err)
	}
	c.SetName("a longer name")
	e.SetSingleBool(true)
	stands(t, e, b, varint(1001, 700), text(60_000, "unknown"), text(1014, "text"), packedFixed32(1407, 1, 20, 3),
		message(1018, varint(1, 1), text(2, "a longer name")), varint(13, 1))
	p2.E_ExtInt32.Clear(e)
	p2.E_ExtPackedFixed32.RemoveAt(e, 0, 2)
	p2.E_ExtString.Clear(e)
	r, err := p2.E_ExtRepeatedChild.Add(e)
	if err != nil {
		t.Fatal(err)
	}
	r.SetId(9)
	stands(t, e, b, text(60_000, "unknown"), packedFixed32(1407, 3), message(1018, varint(1, 1), text(2, "a longer name")), varint(13, 1),
		message(1318, varint(1, 9)))
}

// VIW-20
func TestMessageSetItemsAreEdited(t *testing.T) {
	item := func(id uint64, records ...[]byte) []byte { return group(1, varint(2, id), message(3, records...)) }
	handle := p2.E_ItemAItemA
	id := uint64(handle.Table().Number)
	e, b := edited(t, message(922, item(id, varint(1, 1)), item(77, varint(1, 5)), item(id, varint(1, 2))), varint(13, 1))
	set, err := e.EditMessageSet()
	if err != nil {
		t.Fatal(err)
	}
	a, err := handle.Edit(&set)
	if err != nil {
		t.Fatal(err)
	}
	whole := a.View().RawBytes()
	if want := join(varint(1, 1), varint(1, 2)); !bytes.Equal(whole, want) {
		t.Errorf("the items have %x, want %x", whole, want)
	}
	stands(t, e, b, message(922, item(77, varint(1, 5)), item(id, varint(1, 1), varint(1, 2))), varint(13, 1))
	if set, err = e.EditMessageSet(); err != nil {
		t.Fatal(err)
	}
	handle.Clear(&set)
	stands(t, e, b, message(922, item(77, varint(1, 5))), varint(13, 1))
}

// VIW-21, VIW-58
func TestWhatAFieldDoesNotTakeIsRefused(t *testing.T) {
	bad := "\xff"
	for name, edit := range map[string]struct {
		code wire.Code
		do   func(e *p2.AllEdit)
	}{
		"an undefined value of a closed enum":   {wire.TypeMismatch, func(e *p2.AllEdit) { e.SetSingleClosed(77) }},
		"one among others":                      {wire.TypeMismatch, func(e *p2.AllEdit) { e.AddPackedClosed(1, 77) }},
		"an index that is not there":            {wire.HandleMisuse, func(e *p2.AllEdit) { e.SetRepeatedInt32At(0, 1) }},
		"a range that is not there":             {wire.HandleMisuse, func(e *p2.AllEdit) { e.RemoveRepeatedString(-1, 0) }},
		"an element that is not there":          {wire.HandleMisuse, func(e *p2.AllEdit) { e.EditRepeatedChildAt(0) }},
		"a string that is not UTF-8, strict":    {wire.InvalidUtf8, func(e *p2.AllEdit) { e.SetSingleString(bad) }},
		"a map key that is not UTF-8, strict":   {wire.InvalidUtf8, func(e *p2.AllEdit) { e.PutKeyString(bad, "") }},
		"a map value that is not UTF-8, strict": {wire.InvalidUtf8, func(e *p2.AllEdit) { e.PutKeyString("", bad) }},
	} {
		var b view.Buffer
		var e p2.AllEdit
		if err := e.DecodeWith(&b, varint(13, 1), view.Options{Strict: true}); err != nil {
			t.Fatal(err)
		}
		edit.do(&e)
		t.Run(name, func(t *testing.T) { refused(t, &b, edit.code, varint(13, 1)) })
	}
}

// VIW-21, VIW-58
func TestLimitsHoldForEdits(t *testing.T) {
	var b view.Buffer
	var e p2.AllEdit
	if err := e.DecodeWith(&b, bytes.Clone(varint(13, 1)), view.Options{MaxSize: 20, MaxDepth: 2}); err != nil {
		t.Fatal(err)
	}
	e.SetSingleString(strings.Repeat("x", 17))
	refused(t, &b, wire.SizeExceeded, varint(13, 1))
	if err := e.DecodeWith(&b, bytes.Clone(varint(13, 1)), view.Options{MaxDepth: 2}); err != nil {
		t.Fatal(err)
	}
	first := e.NewSingleAll()
	two := first.NewSingleAll()
	three := two.NewSingleAll()
	refused(t, &b, wire.DepthExceeded, varint(13, 1), message(19, message(19)))
	three.SetSingleBool(true)
	refused(t, &b, wire.DepthExceeded, varint(13, 1), message(19, message(19)))
}

// VIW-22, VIW-60, VIW-61
func TestAHandleOutOfTurnChangesNothing(t *testing.T) {
	for name, edit := range map[string]func(e *p2.AllEdit){
		"a child after its parent was edited": func(e *p2.AllEdit) {
			c := e.NewSingleChild()
			e.SetSingleInt32(1)
			c.SetId(5)
		},
		"a child after its sibling was opened": func(e *p2.AllEdit) {
			c := e.AddRepeatedChild()
			e.AddRepeatedChild()
			c.SetId(5)
		},
		"a copy after the other was used": func(e *p2.AllEdit) {
			c := *e
			e.SetSingleInt32(1)
			c.SetSingleInt64(5)
		},
		"a grandchild after its grandparent was edited": func(e *p2.AllEdit) {
			c := e.NewSingleAll()
			g := c.NewSingleChild()
			e.SetSingleInt32(1)
			g.SetId(5)
		},
		"a handle of the message before": func(e *p2.AllEdit) {
			c := e.NewSingleChild()
			e.ClearSingleChild()
			c.SetId(5)
		},
	} {
		e, b := edited(t)
		edit(e)
		if !errors.Is(b.Err(), wire.HandleMisuse) || bytes.Contains(b.Bytes(), []byte{5}) {
			t.Errorf("%s: %v %x", name, b.Err(), b.Bytes())
		}
	}
}

// VIW-62
func TestReadingAParentLeavesItsChildOpen(t *testing.T) {
	e, b := edited(t, varint(13, 1))
	c := e.NewSingleChild()
	c.SetName(strings.Repeat("n", 130))
	if got, err := e.View().SingleChild(); err != nil || len(got.Name()) != 130 {
		t.Error(err)
	}
	c.SetId(4)
	if c.View().Id() != 4 || len(c.View().Name()) != 130 {
		t.Error("the child does not have the new values")
	}
	stands(t, e, b, varint(13, 1), message(18, text(2, strings.Repeat("n", 130)), varint(1, 4)))
}

// VIW-23
func TestValuesFromTheSameBufferAreCopiedBeforeTheyMove(t *testing.T) {
	long := strings.Repeat("0123456789", 30)
	e, b := edited(t, text(14, "x"), text(15, long), message(18, text(2, long)), message(614, text(1, "key"), text(2, "v")))
	e.SetDefaultString(e.View().SingleString())
	e.SetSingleBytes(e.View().SingleBytes()[200:]) // a part of itself
	child, err := e.View().SingleChild()
	if err != nil {
		t.Fatal(err)
	}
	e.SetSingleString(child.Name()) // moves the bytes it comes from
	c, err := e.View().SingleChild()
	if err != nil {
		t.Fatal(err)
	}
	e.AppendRepeatedChild(&c)
	key, _ := firstKey(e.View())
	e.PutKeyString(key, e.View().SingleString())
	key, _ = firstKey(e.View())
	e.DeleteKeyString(key)
	e.SetSingleAll(e.View())
	all := join(text(14, long), text(15, long[200:]), message(18, text(2, long)), text(214, "x"), message(318, text(2, long)))
	stands(t, e, b, all, message(19, all))
}

func firstKey(v *p2.AllView) (string, string) {
	for k, value := range v.KeyString() {
		return k, value
	}
	return "", ""
}

// VIW-21, VIW-58
func TestADamagedChildIsAnErrorWhenItIsOpenedForEditing(t *testing.T) {
	e, b := edited(t, varint(13, 1), message(18, []byte{0x08}), message(318, []byte{0x12, 5}))
	if _, err := e.EditSingleChild(); !errors.Is(err, wire.Truncated) {
		t.Error(err)
	}
	c, err := e.EditRepeatedChildAt(0)
	if !errors.Is(err, wire.Truncated) {
		t.Error(err)
	}
	c.SetId(1)
	refused(t, b, wire.Truncated, varint(13, 1), message(18, []byte{0x08}), message(318, []byte{0x12, 5}))
	if err := e.Decode(b, []byte{0x08}); !errors.Is(err, wire.Truncated) || len(b.Bytes()) != 0 {
		t.Error(err)
	}
	e.SetSingleBool(true)
	if len(b.Bytes()) != 0 {
		t.Error("a handle that opened nothing writes")
	}
}

// VIW-52
func TestUnknownFieldsStayWhereTheyAre(t *testing.T) {
	e, b := edited(t, text(60_000, "first"), varint(1, 1), group(60_001, varint(1, 1)), varint(13, 1))
	e.SetSingleInt32(1000)
	e.ClearSingleBool()
	stands(t, e, b, text(60_000, "first"), varint(1, 1000), group(60_001, varint(1, 1)))
	n := 0
	for unknowns := e.View().UnknownFields(); unknowns.Next(); n++ {
	}
	if n != 2 {
		t.Error(n)
	}
}
