package view_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/growth"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
)

// FCE-2, VIW-15, VIW-18: reading takes time in proportion to the input, whatever it is, damaged or not; so do edits that
// keep lengths or append, in proportion to their number.
func TestWorkIsInProportionToInputAndEdits(t *testing.T) {
	growth.Test(t, slices.Concat(reads(), manyEdits(), fewEdits()))
}

func reads() (works []growth.Work) {
	for shape, input := range growth.Shapes {
		for tier, makers := range map[string]makers{"hot": allHot, "cold": allCold} {
			works = append(works, growth.Work{Name: shape + ", " + tier, Prepare: func(n int) func() {
				b := input(n)
				damaged := growth.Damaged(slices.Clone(b))
				m := makers["hotpb.vectors.p2.All"]()
				return func() {
					if m.DecodeWith(b, view.Options{}) == nil && m.Validate() == nil {
						_ = m.CheckInitialized()
						_, _ = m.AppendCanonical(nil)
					}
					_ = m.DecodeWith(damaged, view.Options{})
				}
			}})
		}
		works = append(works, growth.Work{Name: shape + ", accessors", Prepare: func(n int) func() {
			b := input(n)
			var v p2.AllView
			var children []view.Message
			return func() {
				if v.Decode(b) != nil {
					return
				}
				readByIndex(&v, &children)
			}
		}})
	}
	return works
}

// readByIndex reads what has no order of its own through slices and maps, and calls for each element what takes one step.
func readByIndex(v *p2.AllView, children *[]view.Message) {
	var c p2.ChildView
	*children = slices.AppendSeq((*children)[:0], v.RepeatedChildIter().All())
	for i := range v.RepeatedChildLen() {
		if c.OpenMessage((*children)[i]) != nil || v.RepeatedChildLen() != len(*children) {
			return
		}
	}
	numbers, texts, byKey := slices.Collect(v.RepeatedInt32()), slices.Collect(v.RepeatedString()), maps.Collect(v.KeyString())
	for i := range v.RepeatedInt32Len() {
		sink += int(numbers[i]) + int(v.WhichKind())
	}
	for i := range texts {
		sink += len(byKey[texts[i]])
	}
	if n := v.RepeatedChildLen(); n > 0 {
		for range n {
			if last, err := v.RepeatedChildNth(n - 1); err == nil {
				sink += int(last.Id())
			}
		}
	}
	for unknowns := v.UnknownFields().Without(p2.E_ExtRepeatedInt32.Table(), p2.E_ExtChild.Table()); unknowns.Next(); {
		sink++
	}
	_, _ = p2.E_ExtChild.Get(v)
	_, _ = p2.E_ExtRepeatedInt32.Get(v)
	if set, err := v.MessageSet(); err == nil {
		_, _ = p2.E_ItemAItemA.Get(&set)
	}
	_, _, _ = v.ValueAllFind("k")
	_, _ = v.SingleAll()
	_, _ = v.OneofChild()
}

func manyEdits() []growth.Work {
	return []growth.Work{
		edits("numbers", func(e *p2.AllEdit, n int) {
			e.AddRepeatedInt32(make([]int32, n)...)
			for i := range n {
				e.SetRepeatedInt32At(i, 1)
			}
		}),
		edits("packed numbers", func(e *p2.AllEdit, n int) {
			e.AddPackedInt32(make([]int32, n)...)
			for i := range n {
				e.SetPackedInt32At(i, 1)
			}
		}),
		edits("packed fixed numbers", func(e *p2.AllEdit, n int) {
			e.AddPackedFixed32(make([]uint32, n)...)
			for i := range n {
				e.SetPackedFixed32At(n-1-i, 1)
			}
		}),
		edits("a packed number at a time", func(e *p2.AllEdit, n int) {
			for i := range n {
				e.AddPackedInt32(int32(i & 63))
			}
		}),
		edits("a string at a time", func(e *p2.AllEdit, n int) {
			for range n {
				e.AddRepeatedString("x")
			}
		}),
		edits("a child at a time", func(e *p2.AllEdit, n int) {
			for i := range n {
				c := e.AddRepeatedChild()
				c.SetId(int32(i))
				sink += int(e.View().SingleInt32())
			}
		}),
		edits("children", func(e *p2.AllEdit, n int) {
			for range n {
				c := e.AddRepeatedChild()
				c.SetId(1)
			}
			for i := range n {
				c, err := e.EditRepeatedChildAt(i)
				if err != nil {
					panic(err)
				}
				c.SetId(2)
			}
		}),
		edits("lists in turn", func(e *p2.AllEdit, n int) {
			for range n {
				e.AddRepeatedInt32(1)
				e.AddRepeatedString("x")
				c := e.AddRepeatedChild()
				c.SetId(1)
			}
			e.AddPackedInt32(make([]int32, n)...)
			for i := range n {
				e.SetRepeatedInt32At(i, 1)
				e.SetRepeatedStringAt(i, "y")
				e.SetPackedInt32At(i, 1)
				c, err := e.EditRepeatedChildAt(i)
				if err != nil {
					panic(err)
				}
				c.SetId(2)
			}
		}),
		edits("a value again and again", func(e *p2.AllEdit, n int) {
			for i := range n {
				e.SetSingleInt32(int32(i))
				e.SetSingleString("abc"[:i%3])
			}
		}),
		edits("the bytes in between", func(e *p2.AllEdit, n int) {
			var c p2.ChildEdit
			e.NewSingleChildInto(&c)
			for range n {
				c.AddNumbers(1)
				sink += len(c.View().RawBytes())
			}
		}),
	}
}

func fewEdits() (works []growth.Work) {
	for shape, input := range growth.Shapes {
		works = append(works, growth.Work{Name: shape + ", edited", Prepare: func(n int) func() {
			b := input(n)
			damaged := growth.Damaged(slices.Clone(b))
			return func() {
				var buf view.Buffer
				var e p2.AllEdit
				if e.Decode(&buf, b) != nil {
					return
				}
				e.SetSingleBool(true)
				e.SetSingleInt32(300)
				e.AddPackedInt32(1)
				e.PutKeyString("key", "value")
				e.SetOneofInt64(1)
				e.ClearRepeatedChild()
				p2.E_ExtInt32.Set(&e, 5)
				if c, err := e.EditSingleChild(); err == nil {
					c.SetId(300)
				}
				if c, err := e.EditSingleAll(); err == nil {
					c.SetSingleInt32(300)
				}
				sink += len(buf.Bytes()) + e.View().RepeatedAllLen()
				_ = e.Decode(&buf, damaged)
			}
		}})
	}
	return works
}

func edits(name string, edit func(e *p2.AllEdit, n int)) growth.Work {
	return growth.Work{Name: "many edits: " + name, Prepare: func(n int) func() {
		return func() {
			var buf view.Buffer
			var e p2.AllEdit
			e.Start(&buf)
			if edit(&e, n); buf.Err() != nil {
				panic(buf.Err())
			}
		}
	}}
}
