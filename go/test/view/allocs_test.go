package view_test

import (
	"testing"

	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
)

// sink keeps results alive without making them escape.
var sink int

// keep makes a slice escape.
var keep []byte

// VIW-1, VIW-2, VIW-28
func TestNoAccessorAllocates(t *testing.T) {
	input := oneOfEach()
	var v p2.AllView
	if err := v.Decode(input); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var reused p2.AllView
	var child p2.ChildView
	circle := decode(t, message(19), message(319), message(319, message(319)), message(719, text(1, "key"), message(2, message(319))))
	for name, access := range map[string]func(){
		"decode":   func() { must(reused.Decode(input)) },
		"validate": func() { must(v.Validate()) },
		"numbers": func() {
			sink += int(v.SingleInt32()) + int(v.SingleInt64()) + int(v.SingleSint32()) + int(v.SingleFixed32()) + int(v.SingleFixed64()) +
				int(v.SingleFloat()) + int(v.SingleDouble())
		},
		"bool, enum, presence": func() {
			if v.SingleBool() && v.HasSingleBool() && v.SingleClosed() != 0 && !v.HasSingleUint32() {
				sink++
			}
		},
		"string and bytes":    func() { sink += len(v.SingleString()) + len(v.SingleBytes()) },
		"default of a string": func() { sink += len(v.DefaultString()) },
		"default of bytes":    func() { keep = v.DefaultBytes() },
		"message":             func() { c, err := v.SingleChild(); must(err); sink += int(c.Id()) },
		"message, used again": func() { must(v.SingleChildInto(&child)); sink += len(child.Name()) },
		"group":               func() { c, err := v.Data(); must(err); sink += len(c.SingleString()) },
		"repeated numbers": func() {
			for x := range v.RepeatedInt32() {
				sink += int(x)
			}
			sink += v.RepeatedInt32Len() + int(v.RepeatedInt32Nth(2))
		},
		"packed numbers": func() {
			for x := range v.PackedInt32() {
				sink += int(x)
			}
			for x := range v.PackedFixed32() {
				sink += int(x)
			}
			sink += int(v.PackedFixed32Nth(3))
		},
		"an iterator resumed": func() {
			numbers := v.PackedInt32Iter()
			numbers.Next()
			place := numbers
			for numbers.Next() {
				sink += int(numbers.Value())
			}
			for place.Next() {
				sink += int(place.Value())
			}
		},
		"repeated enums": func() {
			for x := range v.RepeatedClosed() {
				sink += int(x)
			}
		},
		"repeated strings": func() {
			for x := range v.RepeatedString() {
				sink += len(x)
			}
			for x := range v.RepeatedBytes() {
				sink += len(x)
			}
			sink += len(v.RepeatedStringNth(1))
		},
		"repeated messages": func() {
			for c, err := range v.RepeatedChild() {
				must(err)
				sink += int(c.Id())
			}
			c, err := v.RepeatedChildNth(1)
			must(err)
			sink += int(c.Id())
		},
		"repeated messages, one view for all": func() {
			for children := v.RepeatedChildIter(); children.Next(); {
				must(child.OpenElement(&children))
				sink += int(child.Id())
			}
		},
		"maps": func() {
			for key, value := range v.KeyInt32() {
				sink += int(key + value)
			}
			for key, value := range v.KeyString() {
				sink += len(key) + len(value)
			}
			value, ok := v.KeyStringFind("key")
			if !ok {
				t.Fatal("the key is not found")
			}
			sink += len(value)
		},
		"maps to messages": func() {
			for key, value := range v.ValueChild() {
				must(child.OpenMessage(value))
				sink += int(key) + int(child.Id())
			}
			c, ok, err := v.ValueChildFind(3)
			must(err)
			if !ok {
				t.Fatal("the key is not found")
			}
			sink += int(c.Id())
		},
		"oneofs": func() {
			if v.WhichKind() == 814 {
				sink += len(v.OneofString())
			}
		},
		"unknown fields": func() {
			for unknowns := v.UnknownFields(); unknowns.Next(); {
				sink += int(unknowns.Field().Number)
			}
		},
		"extensions": func() {
			x, err := p2.E_ExtInt32.Get(&v)
			must(err)
			c, err := p2.E_ExtChild.Get(&v)
			must(err)
			numbers, err := p2.E_ExtPackedFixed32.Get(&v)
			must(err)
			for numbers.Next() {
				sink += int(numbers.Value())
			}
			sink += int(x) + int(c.Id())
		},
		"message-set items": func() {
			set, err := v.MessageSet()
			must(err)
			item, err := p2.E_ItemAItemA.Get(&set)
			must(err)
			sink += int(item.Id())
		},
		"required fields":            func() { must(v.CheckInitialized()) },
		"required fields in circles": func() { must(circle.CheckInitialized()) },
	} {
		if n := testing.AllocsPerRun(50, access); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
