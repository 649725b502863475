package view

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// The kinds of a field and of its presence: the numbers of layout.go in go/view that go/pool's does not have.
const (
	slotMember  = 1 << 8
	slotNested  = 1 << 9
	slotPresent = 1 << 10
)

// slotSizes are the sizes of the slots, in words.
var slotSizes = map[string]int{"uint32": 1, "Span": 2, "Sub": 2, "Choice": 3, "Run": 4}

// slotKind is the type of a field's slot in package view, or uint32.
func slotKind(field *plan.Field) string {
	switch {
	case field.IsRepeated():
		return "Run"
	case field.Type == plan.TypeMessage:
		return "Sub"
	case emit.IsText(field):
		return "Span"
	}
	return "uint32"
}

// slotPlaces are the places of the slots, in bytes, in the order that emitType writes them, and how many words they have.
func (v *viewType) slotPlaces() (fields map[*plan.Field]int, words int) {
	fields = map[*plan.Field]int{}
	for _, field := range v.fields {
		if field.Oneof == nil {
			fields[field] = 4 * words
			words += slotSizes[slotKind(field)]
		}
	}
	for _, oneof := range v.oneofs {
		for _, field := range oneof.Fields {
			fields[field] = 4 * words
		}
		words += slotSizes["Choice"]
	}
	return fields, words
}

// readsByTable reports whether the runtime's loop scans the message. An extension is never straight.
func (v *viewType) readsByTable() bool { return v.message == nil || v.ByTable(v.message) }

// emitLayout writes the view.Layout, and the scan of a straight message unless another message of the file has the same.
func (v *viewType) emitLayout() {
	scan := v.View("ByTable")
	if !v.readsByTable() {
		scan = v.sharedScan()
	}
	v.Printf("var %s = %s{Tables: %s, ", v.layout, v.View("Layout"), v.table)
	if v.index != 0 {
		v.Printf("Index: %d, ", v.index)
	}
	v.Printf("Scan: %s, ", scan)
	v.Printf("Size: %s(%s{})", v.Ident("unsafe", "Sizeof"), v.name)
	if len(v.fields) > 0 && (v.readsByTable() || v.Options.Has("edit")) {
		v.emitLayoutFields()
	}
	v.P("}\n")
}

func (v *viewType) emitLayoutFields() {
	places, _ := v.slotPlaces()
	var maps []string
	v.P(", Fields: []", v.View("Field"), "{")
	for _, field := range v.fields {
		kind, wireType := v.LayoutKind(field), field.WireType
		switch {
		case field.Map != nil:
			kind = emit.LayoutMap | emit.LayoutList | len(maps)<<16
			maps = append(maps, "&"+v.maps[field])
		case field.IsRepeated():
			kind |= emit.LayoutList
		}
		if field.Packed {
			wireType = 2
		}
		if field.Oneof != nil {
			kind |= slotMember
		}
		if field.IsRepeated() || field.Oneof != nil || field.Type == plan.TypeMessage || emit.IsClosed(field) {
			kind |= slotNested
		}
		if field.HasPresence() {
			kind |= slotPresent
		}
		v.P("{", emit.TagValue(field.Number, wireType), ", ", places[field], ", ", kind, "},")
	}
	v.Printf("}")
	if len(maps) > 0 {
		v.Printf(", Maps: []*%s{", v.View("MapSpec"))
		for i, spec := range maps {
			if i > 0 {
				v.Printf(", ")
			}
			v.Printf("%s", spec)
		}
		v.Printf("}")
	}
}

// fieldIndex is the index of a field in the message's layout and table.
func (v *viewType) fieldIndex(field *plan.Field) int { return slices.Index(v.fields, field) }
