package wire_test

import (
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/growth"
	rt "github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/wire"
)

// FCE-2: time is in proportion to the input, whatever it is, damaged or not.
func TestWorkIsInProportionToInput(t *testing.T) {
	paths, err := wire.NewPaths([]uint32{1}, []uint32{18, 1}, []uint32{318, 2}, []uint32{319, 318, 9}, []uint32{911, 912, 1}, []uint32{922, 1, 3})
	if err != nil {
		t.Fatal(err)
	}
	deep := slices.Repeat([]uint32{3}, 100)
	table := []rt.MessageTable{{Name: "All", Fields: []rt.FieldTable{
		{Name: "child", Number: 18, Kind: wire.Message}, {Name: "all", Number: 19, Kind: wire.Message},
		{Name: "numbers", Number: 301, Kind: wire.Int32, Flags: rt.Repeated}, {Name: "children", Number: 318, Kind: wire.Message, Flags: rt.Repeated},
		{Name: "alls", Number: 319, Kind: wire.Message, Flags: rt.Repeated}, {Name: "item", Number: 911, Kind: wire.Group, Flags: rt.Repeated},
	}}}
	var works []growth.Work
	for shape, input := range growth.Shapes {
		works = append(works, growth.Work{Name: shape, Prepare: func(n int) func() {
			b := input(n)
			damaged := growth.Damaged(slices.Clone(b))
			return func() {
				for _, b := range [][]byte{b, damaged} {
					_, _, _ = wire.Find(b, 319, 318, 9)
					_, _, _ = wire.Find(b, append([]uint32{18}, deep...)...)
					for range wire.FindAll(b, 314) {
					}
					var found [6]wire.Decoder
					_ = wire.FindMany(b, paths, found[:])
					_ = rt.Check(table, 0, b, wire.Options{})
					_ = rt.Valid(table, 0, b, wire.Options{})
					d := wire.NewDecoder(b)
					d.SetMode(wire.Fast)
					decode(*d)
				}
			}
		}})
	}
	growth.Test(t, works)
}

// decode reads each record by the call that fits its number in the shapes.
func decode(d wire.Decoder) {
	var numbers []int32
	var unknown []byte
	for d.More() {
		number, kind, err := d.DecodeTag()
		if err != nil {
			return
		}
		switch {
		case kind == wire.StartGroup:
			nested, openErr := d.Group()
			if err = openErr; err == nil {
				decode(nested)
			}
		case number == 3 || number == 9 || number == 18 || number == 19 || number == 318 || number == 319 || number == 922:
			nested, openErr := d.Nested()
			if err = openErr; err == nil {
				decode(nested)
			}
		case number == 719:
			_, _, err = d.MapEntry(wire.String, wire.Message)
		case number == 301 || number == 401 || number == 417:
			numbers, err = d.DecodePackedInt32(numbers)
		default:
			var raw []byte
			raw, err = d.Skip()
			unknown = append(unknown, raw...)
		}
		if err != nil {
			return
		}
	}
}
