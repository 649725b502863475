package lazyproto_test

import (
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/compat/lazyproto"
	"github.com/hotpb/hotpb/go/internal/growth"
	"github.com/hotpb/hotpb/go/wire"
)

// FCE-2: time is in proportion to the input, whatever it is, damaged or not.
func TestWorkIsInProportionToInput(t *testing.T) {
	child := []uint32{1, 2, 4, 8}
	def := lazyproto.NewDef(1, 14, 301, 302, 314, 401, 413, 417, 60_000, 70_000)
	def.NestedTag(18, child...)
	def.NestedTag(318, child...).NestedTag(9, child...)
	def.NestedTag(319, 1, 301).NestedTag(318, child...)
	def.NestedTag(614, 1, 2)
	def.NestedTag(719, 1).NestedTag(2, 1)
	def.NestedTag(818, 1, 9)
	def.NestedTag(911, 1, 2).NestedTag(912, 1)
	def.NestedTag(922).NestedTag(1, 2, 3)
	decoder, err := lazyproto.NewDecoder(def, lazyproto.WithMode(wire.Fast), lazyproto.WithUTF8())
	if err != nil {
		t.Fatal(err)
	}
	var works []growth.Work
	for shape, input := range growth.Shapes {
		works = append(works, growth.Work{Name: shape, Prepare: func(n int) func() {
			b := input(n)
			damaged := growth.Damaged(slices.Clone(b))
			return func() {
				if r, err := decoder.Decode(b); err == nil {
					visit(r)
					_ = r.Close()
				}
				_, _ = decoder.Decode(damaged)
			}
		}})
	}
	growth.Test(t, works)
}

// visit calls the getters of all defined fields, and of those in their messages.
func visit(r *lazyproto.DecodeResult) {
	r.Range(func(tag uint32, field *lazyproto.FieldData) bool {
		_, _ = field.Int32Value()
		_, _ = field.Int64Values()
		_, _ = field.StringValue()
		_, _ = field.BytesValues()
		if _, err := r.NestedResult(tag); err != nil {
			return true
		}
		_, _ = r.FieldData(tag, 1)
		elements, _ := r.NestedResults(tag)
		for _, element := range elements {
			visit(element)
		}
		return true
	})
}
