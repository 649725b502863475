package view

import (
	"sort"
	"strconv"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// sharedScan returns the name of the message's scan, and writes it if it is the first of its kind in the file. Views whose
// slots and scans are alike share one: it reads any of them as the first.
func (v *viewType) sharedScan() string {
	start := v.Body.Len()
	v.emitScan()
	body := string(v.Body.Bytes()[start:])
	v.Body.Truncate(start)
	alike := v.slots() + body
	if scan := v.scans[alike]; scan != "" {
		return scan
	}
	scan := v.Names.Claim("scan"+v.name, "the scan of "+v.name)
	v.scans[alike] = scan
	v.P("func ", scan, "(_ *", v.View("Layout"), ", r *", v.View("Raw"), ") bool {")
	v.P("v := (*", v.name, ")(", v.Ident("unsafe", "Pointer"), "(r))")
	v.P(body)
	return scan
}

// emitScan writes the body of the pass over one message level: a section of straight-line code for each field, and a dispatch
// by tag. Each section ends with a guess at the next field: the same field if it is repeated, then the one that
// follows. The dispatch serves wrong guesses. A section that leaves i negative or beyond the end has failed: then
// no guess fits, and next returns false.
func (v *viewType) emitScan() {
	if _, words := v.slotPlaces(); words > 0 {
		v.Code("*(*[$words$]uint32)(r.Slots()) = [$words$]uint32{}", "words", words)
	}
	v.P("b := r.Bytes()")
	v.P("var i, start int")
	v.P("var tag ", v.Wire("Tag"))
	v.emitScanVariables()
	v.Code(`
		next:
			if uint(i) >= uint(len(b)) {
				return i == len(b)
			}
			start = i
			if tag, i = $wire.ReadTag$(b, i); i < 0 {
				return false
			}
		`)
	if len(v.fields) > 0 {
		v.P("switch tag {")
		for _, field := range v.fields {
			v.Printf("case %d:\ngoto %s\n", emit.TagValue(field.Number, field.WireType), emit.Label(field, false))
			if emit.Packable(field) {
				v.Printf("case %d:\ngoto %s\n", emit.TagValue(field.Number, 2), emit.Label(field, true))
			}
		}
		v.P("}")
	}
	v.scanDropped()
	v.Code(`
		if i = v.raw.Skip(start, i, tag); i < 0 {
			return false
		}
		goto next
		`)
	for i, field := range v.fields {
		after := ""
		if i+1 < len(v.fields) {
			after = emit.Label(v.fields[i+1], false)
		}
		if emit.Packable(field) {
			v.emitSection(field, false, emit.Label(field, true))
			v.emitSection(field, true, after)
		} else {
			v.emitSection(field, false, after)
		}
	}
	v.P("}")
}

// scanDropped skips the records of fields that are left out, whatever their wire type: none of them is unknown to
// the schema.
func (v *viewType) scanDropped() {
	if v.message == nil || len(v.Dropped(v.message)) == 0 {
		return
	}
	v.Code(`
		switch tag.Number() {
		case $dropped$: // left out
			if i = v.raw.Drop(i, tag); i < 0 {
				return false
			}
			goto next
		}
		`, "dropped", emit.NumberList(v.Dropped(v.message)))
}

// fieldFrom returns the first field at a slot or after it.
func (v *viewType) fieldFrom(slot int) *plan.Field {
	at := sort.Search(len(v.fields), func(i int) bool { return v.fields[i].Slot >= slot })
	if at == len(v.fields) {
		return nil
	}
	return v.fields[at]
}

// emitScanVariables declares what the sections need: goto may not jump over a declaration.
func (v *viewType) emitScanVariables() {
	var from, count, end, known, ok bool
	for _, field := range v.fields {
		closed := field.Enum != nil && field.Enum.Closed
		end = end || closed
		if emit.Packable(field) && closed {
			from, count, ok = true, true, true
		}
		if emit.IsText(field) && !unnoted(field) || field.Map != nil {
			from = true
		}
		if field.Map != nil {
			ok = true
			known = known || closedMap(field)
		}
	}
	for _, variable := range []struct {
		needed bool
		text   string
	}{
		{from, "var from int // the start of a payload"},
		{end, "var end int"},
		{count, "var n int"},
		{known, "var known bool"},
		{ok, "var ok bool"},
	} {
		if variable.needed {
			v.P(variable.text)
		}
	}
}

// closedMap reports whether the entries of a map may be unknown fields.
func closedMap(field *plan.Field) bool {
	return field.Map.Value.Enum != nil && field.Map.Value.Enum.Closed
}

// emitSection writes a field's section. after is the label of the section below.
func (v *viewType) emitSection(field *plan.Field, packed bool, after string) {
	v.P()
	v.P(emit.Label(field, packed), ":")
	switch {
	case packed:
		v.scanPacked(field)
	case field.Map != nil:
		v.scanMap(field)
	case inOneCall(field):
		v.scanRecords(field)
	case field.Type == plan.TypeMessage:
		v.scanMessage(field)
	case emit.IsText(field):
		v.scanText(field)
	default:
		v.scanNumber(field)
	}
	for n, slot := range field.Next {
		next := v.fieldFrom(slot)
		if next == nil || len(next.Tag) > 2 || next == field && inOneCall(field) {
			continue
		}
		comes, target := v.comes(next.Tag), emit.Label(next, next.Packed)
		if n == len(field.Next)-1 && target == after {
			v.Printf("if !%s {\ngoto next\n}\n%s\n", comes, pass(next))
			return
		}
		v.Printf("if %s {\n%s\ngoto %s\n}\n", comes, pass(next), target)
	}
	v.P("goto next")
}

// comes is the condition that a tag is next.
func (v *viewType) comes(tag []byte) string {
	if len(tag) == 1 {
		return v.View("Comes") + "(b, i, " + emit.ByteList(tag) + ")"
	}
	return v.View("ComesLong") + "(b, i, " + emit.ByteList(tag) + ")"
}

// pass advances beyond a tag to the field's section, which may need the tag's position.
func pass(field *plan.Field) string {
	step := strconv.Itoa(len(field.Tag))
	if field.IsRepeated() || field.Type == plan.TypeMessage || emit.IsClosed(field) {
		return "start, i = i, i+" + step
	}
	if step == "1" {
		return "i++"
	}
	return "i += " + step
}

func (v *viewType) scanPacked(field *plan.Field) {
	switch {
	case field.Enum != nil && field.Enum.Closed:
		v.Code(`
			if from, i = $wire.ReadBytes$(b, i); i < 0 {
				return false
			}
			if n, ok = v.raw.ScanClosed(start, from, i, $closed$); !ok {
				return false
			}
			if n > 0 {
				$slot$.Add(start, i, n)
			}
			`, "closed", v.ClosedTable(field), "slot", v.slot(field))
	case field.WireType == 0:
		v.Printf("i = %s.AddVarints(b, start, i)\n", v.slot(field))
	case field.WireType == 1:
		v.Printf("i = %s.AddFixed(b, start, i, 8)\n", v.slot(field))
	default:
		v.Printf("i = %s.AddFixed(b, start, i, 4)\n", v.slot(field))
	}
}

func (v *viewType) scanMap(field *plan.Field) {
	known := "_"
	if closedMap(field) {
		known = "known"
	}
	v.Code(`
		if from, i = $wire.ReadBytes$(b, i); i < 0 {
			return false
		}
		if $known$, ok = v.raw.ScanEntry(from, i, &$map$); !ok {
			return false
		}
		`, "known", known, "map", v.maps[field])
	if !closedMap(field) {
		v.Printf("%s.Add(start, i, 1)\n", v.slot(field))
		return
	}
	v.Code(`
		if known {
			$slot$.Add(start, i, 1)
		} else {
			v.raw.KeepUnknown(start, i)
		}
		`, "slot", v.slot(field))
}

// inOneCall reports whether one call of the runtime notes all records of a field that follow each other.
func inOneCall(field *plan.Field) bool {
	return field.IsRepeated() && field.Map == nil && len(field.Tag) == 1 &&
		(field.Type == plan.TypeMessage && !field.Delimited || field.Type == plan.TypeBytes)
}

func (v *viewType) scanRecords(field *plan.Field) {
	v.Printf("i = %s.AddRecords(b, start, %s)\n", v.slot(field), emit.ByteList(field.Tag))
}

func (v *viewType) scanMessage(field *plan.Field) {
	if field.Delimited {
		v.Code("if i = v.raw.SkipGroup(i, $number$); i < 0 {\nreturn false\n}", "number", field.Number)
	} else {
		v.Printf("_, i = %s(b, i)\n", v.Wire("ReadBytes"))
	}
	switch {
	case field.Oneof != nil:
		v.Printf("%s.AddSub(%d, start, i)\n", v.slot(field), field.Number)
	case field.IsRepeated():
		v.Printf("%s.Add(start, i, 1)\n", v.slot(field))
	default:
		v.Printf("%s.Add(start, i)\n", v.slot(field))
	}
}

// unnoted reports that nothing needs the position where the payload of a field starts.
func unnoted(field *plan.Field) bool { return field.Type == plan.TypeBytes && field.IsRepeated() }

func (v *viewType) scanText(field *plan.Field) {
	from := "from"
	if unnoted(field) {
		from = "_"
	}
	read := from + ", i = " + v.Wire("ReadBytes") + "(b, i)"
	if field.Type == plan.TypeString {
		invalid := "!" + v.Wire("ValidUTF8") + "(b[from:i])"
		if !v.Verify(field) {
			invalid = "v.raw.Strict() && " + invalid
		}
		v.Printf("if %s; i < 0 || %s {\nreturn false\n}\n", read, invalid)
	} else {
		v.P(read)
	}
	switch {
	case field.Oneof != nil:
		v.Printf("%s.SetSpan(%d, from, i)\n", v.slot(field), field.Number)
	case field.IsRepeated():
		v.Printf("%s.Add(start, i, 1)\n", v.slot(field))
	default:
		v.Printf("%s = %s(from, i)\n", v.slot(field), v.View("MakeSpan"))
	}
}

func (v *viewType) scanNumber(field *plan.Field) {
	note := v.slot(field) + " = uint32(i)"
	switch {
	case field.Oneof != nil:
		note = v.slot(field) + ".SetScalar(" + emit.Itoa(field.Number) + ", i)"
	case field.IsRepeated():
		note = v.slot(field) + ".Add(start, i, 1)"
	}
	if field.Enum != nil && field.Enum.Closed {
		if field.IsRepeated() {
			note = v.slot(field) + ".Add(start, end, 1)"
		}
		v.Code(`
			if end = $wire.SkipVarint$(b, i); end < 0 {
				return false
			}
			if $closed$.Has(int32(v.raw.Varint(uint32(i)))) {
				$note$
			} else {
				v.raw.KeepUnknown(start, end)
			}
			i = end
			`, "closed", v.ClosedTable(field)[1:], "note", note)
		return
	}
	if !field.IsRepeated() {
		v.P(note)
	}
	switch field.WireType {
	case 0:
		v.Printf("i = %s(b, i)\n", v.Wire("SkipVarint"))
	case 1:
		v.P("i += 8")
	default:
		v.P("i += 4")
	}
	if field.IsRepeated() {
		v.P(note)
	}
}
