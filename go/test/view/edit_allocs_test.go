//go:build !hotpbdebug

// Not in debug builds: they remember released memory.

package view_test

import (
	"testing"

	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
)

// VIW-24
func TestNoEditAllocatesOnceThereIsRoom(t *testing.T) {
	input := oneOfEach()
	var b view.Buffer
	var e p2.AllEdit
	var c p2.ChildEdit
	var group p2.All_DataEdit
	var childView p2.ChildView
	if err := childView.Decode(join(varint(1, 7), text(2, "a child"))); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	memory := make([]byte, 0, 1<<16)
	fresh := func() { must(e.Decode(&b, append(memory[:0], input...))) }
	split := append(append([]byte{}, input...), message(18, varint(1, 8))...)
	for name, edit := range map[string]func(){
		"decode":                 func() {},
		"start":                  func() { e.Start(&b) },
		"numbers, same width":    func() { e.SetSingleInt32(151); e.SetSingleFixed32(1); e.SetSingleFixed64(1); e.SetSingleFloat(1) },
		"numbers, another width": func() { e.SetSingleInt32(1); e.SetSingleInt64(-1); e.SetSingleSint32(1 << 20) },
		"numbers that are new": func() {
			e.SetSingleUint32(5)
			e.SetSingleUint64(1 << 60)
			e.SetSingleSfixed32(-1)
			e.SetSingleSfixed64(1)
		},
		"bool, enum":       func() { e.SetSingleBool(false); e.SetSingleClosed(1) },
		"string, bytes":    func() { e.SetSingleString("longer than the one there is"); e.SetSingleBytes(nil) },
		"clear":            func() { e.ClearSingleInt32(); e.ClearSingleString(); e.ClearSingleChild(); e.ClearData() },
		"message":          func() { must(e.EditSingleChildInto(&c)); c.SetName("a longer name than that"); c.SetId(1 << 20) },
		"message by value": func() { c, err := e.EditSingleChild(); must(err); c.SetId(3) },
		"message, new":     func() { e.NewSingleChildInto(&c); c.SetId(1) },
		"message, whole":   func() { e.SetSingleChild(&childView) },
		"message, split":   func() { must(e.Decode(&b, append(memory[:0], split...))); e.NewSingleChildInto(&c) },
		"group":            func() { must(e.EditDataInto(&group)); group.SetSingleString("x"); group.SetSingleInt64(1 << 40) },
		"repeated numbers": func() { e.AddRepeatedInt32(1, 2, 3); e.SetRepeatedInt32At(1, 70_000); e.RemoveRepeatedInt32(0, 2) },
		"packed numbers":   func() { e.AddPackedInt32(1, 2, 300); e.SetPackedInt32At(0, 300); e.RemovePackedInt32(1, 2) },
		"packed fixed, bools": func() {
			e.AddPackedFixed32(1, 2)
			e.SetPackedFixed32At(1, 3)
			e.AddPackedBool(true)
			e.AddPackedClosed(1)
			e.ClearPackedBool()
		},
		"repack": func() { e.AddRepeatedInt32(1); e.ClearPackedInt32(); e.AddPackedInt32(1) },
		"repeated strings, bytes": func() {
			e.AddRepeatedString("one", "two")
			e.AddRepeatedBytes([]byte("b"))
			e.SetRepeatedStringAt(0, "another")
			e.RemoveRepeatedString(1, 2)
		},
		"repeated messages": func() {
			e.AddRepeatedChildInto(&c)
			c.SetId(1)
			must(e.EditRepeatedChildAtInto(0, &c))
			c.SetId(1 << 20)
			e.AppendRepeatedChild(&childView)
			e.SetRepeatedChildAt(1, &childView)
			e.RemoveRepeatedChild(0, 1)
		},
		"map of numbers": func() { e.PutKeyInt32(5, 51); e.PutKeyInt32(6, 1); e.DeleteKeyInt32(5) },
		"map of strings": func() { e.PutKeyString("key", "another value"); e.PutKeyString("new", ""); e.DeleteKeyString("key") },
		"map of messages": func() {
			must(e.EditValueChildInto(3, &c))
			c.SetId(9)
			e.NewValueChildInto(4, &c)
			e.PutValueChild(5, &childView)
		},
		"oneof": func() { e.SetOneofInt32(1); e.SetOneofString("x"); e.NewOneofChildInto(&c); e.ClearKind() },
		"extensions": func() {
			p2.E_ExtInt32.Set(&e, 5)
			p2.E_ExtPackedFixed32.Add(&e, 5)
			p2.E_ExtString.Set(&e, "x")
			p2.E_ExtInt32.Clear(&e)
		},
		"reading": func() { sink += int(e.View().SingleInt32()) + len(b.Bytes()) },
	} {
		run := func() { fresh(); edit() }
		run()
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
		if b.Err() != nil {
			t.Errorf("%s: %v", name, b.Err())
		}
	}
}
