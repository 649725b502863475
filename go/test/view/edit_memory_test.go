package view_test

import (
	"bytes"
	"testing"

	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
)

// between returns the message between other bytes, with all of them as its capacity, and whether the others are unchanged.
func between(input []byte) (b []byte, untouched func() bool) {
	padding := bytes.Repeat([]byte{0xa5}, 400)
	all := join(padding, input, padding)
	b = all[len(padding) : len(padding)+len(input)]
	return b, func() bool {
		return bytes.Equal(all[:len(padding)], padding) && bytes.Equal(all[len(padding)+len(input):], padding)
	}
}

// An editor changes the bytes that it was given, and nothing after them: the caller's next message may be there.
func TestAnEditorWritesOnlyToTheBytesThatItWasGiven(t *testing.T) {
	input := oneOfEach()
	for name, edit := range map[string]func(e *p2.AllEdit){
		"none":               func(*p2.AllEdit) {},
		"a value":            func(e *p2.AllEdit) { e.SetSingleInt64(1 << 60) },
		"a longer string":    func(e *p2.AllEdit) { e.SetSingleString("longer than the one that was there") },
		"a new field":        func(e *p2.AllEdit) { e.SetSingleUint32(300) },
		"an appended number": func(e *p2.AllEdit) { e.AddPackedInt32(1, 2, 3) },
		"a new child":        func(e *p2.AllEdit) { c := e.AddRepeatedChild(); c.SetId(1) },
		"an entry":           func(e *p2.AllEdit) { e.PutKeyString("a new key", "and a value") },
		"less, then more": func(e *p2.AllEdit) {
			e.ClearSingleString()
			e.ClearSingleBytes()
			e.SetSingleString(string(make([]byte, 300)))
		},
		"an extension":    func(e *p2.AllEdit) { p2.E_ExtString.Set(e, "a longer text") },
		"another message": func(e *p2.AllEdit) { e.AddRepeatedString("1", "2", "3") },
	} {
		var b view.Buffer
		var e p2.AllEdit
		var untouched []func() bool
		for range 3 { // into memory of the caller's, then of the buffer's
			given, same := between(input)
			untouched = append(untouched, same)
			if err := e.Decode(&b, given); err != nil {
				t.Fatal(err)
			}
			edit(&e)
			if b.Err() != nil {
				t.Fatal(name, b.Err())
			}
			b.Bytes()
		}
		e.Start(&b)
		for range 3 {
			edit(&e)
		}
		for i, same := range untouched {
			if !same() {
				t.Errorf("%s: message %d: bytes beside it have changed", name, i)
			}
		}
	}
}

// What Decode was given before is the caller's again.
func TestAnEditorLeavesTheBytesOfEarlierMessages(t *testing.T) {
	if debugBuild {
		t.Skip("debug builds overwrite them")
	}
	var b view.Buffer
	var e p2.AllEdit
	input := oneOfEach()
	first, second := bytes.Clone(input), bytes.Clone(input)
	if err := e.Decode(&b, first); err != nil {
		t.Fatal(err)
	}
	if err := e.Decode(&b, second); err != nil {
		t.Fatal(err)
	}
	e.SetSingleString("longer than the one that was there")
	if e.AddRepeatedString("1"); !bytes.Equal(first, input) {
		t.Errorf("the first message is now\n%x, was\n%x", first, input)
	}
}

// A message in the buffer's own memory may use all of it.
func TestAMessageInTheBuffersOwnMemoryStaysThere(t *testing.T) {
	var b view.Buffer
	var e p2.AllEdit
	e.Start(&b)
	e.SetSingleBytes(make([]byte, 1000))
	own := &b.Bytes()[0]
	if err := e.Decode(&b, append(b.Bytes()[:0], oneOfEach()...)); err != nil {
		t.Fatal(err)
	}
	if e.SetSingleString("longer than the one that was there"); &b.Bytes()[0] != own || b.Err() != nil {
		t.Error("the message has moved", b.Err())
	}
}

// Results of a view have no memory after them.
func TestBytesOfAViewHaveNoRoom(t *testing.T) {
	given, untouched := between(oneOfEach())
	v := decode(t, given)
	child, err := v.SingleChild()
	if err != nil {
		t.Fatal(err)
	}
	slices := [][]byte{v.RawBytes(), v.SingleBytes(), v.RepeatedBytesNth(0), child.RawBytes()}
	for texts := v.RepeatedBytesIter(); texts.Next(); {
		slices = append(slices, texts.Value())
	}
	for _, value := range v.KeyInt32() {
		_ = value
	}
	for _, s := range slices {
		_ = append(s, "more"...)
	}
	if !untouched() || !bytes.Equal(given, oneOfEach()) {
		t.Error("appending to what a view returned has changed the bytes after it")
	}
}
