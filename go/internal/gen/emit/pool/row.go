package pool

import (
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// isRow reports whether the elements of a repeated field are small flat messages of this run. An element in the
// usual layout, each field once and in order, is decoded in place, without a call.
func (p *poolType) isRow(field *plan.Field) bool {
	m := field.Message
	if m == nil || !p.loops(field) || field.Delimited || m.MessageSet || m.File != p.Plan || !p.IsSelected(m) {
		return false
	}
	fields := p.Fields(m)
	return len(fields) > 0 && len(fields) <= emit.MostRowFields && !slices.ContainsFunc(fields, func(f *plan.Field) bool {
		return f.IsRepeated() || f.HasPresence() || f.Type == plan.TypeMessage || emit.IsClosed(f) || len(f.Tag) > 1
	})
}

// isTextRow reports whether a row consists of checked strings only. Consecutive rows are checked together, tags
// and lengths included: below 128 these are ASCII as the text is, nearly always.
func (p *poolType) isTextRow(field *plan.Field) bool {
	return p.isRow(field) && !slices.ContainsFunc(p.Fields(field.Message), func(f *plan.Field) bool {
		return f.Type != plan.TypeString || !p.Verify(f)
	})
}

// isPair reports whether a row is two checked strings.
func (p *poolType) isPair(field *plan.Field) bool {
	return p.isTextRow(field) && len(p.Fields(field.Message)) == 2 && len(field.Tag) == 1 && !p.isRecursive()
}

// decodeRow decodes the row whose length is at i into list[n]. The loop ends at a row in another layout than the usual one:
// decodeRest reads it.
func (p *poolType) decodeRow(field *plan.Field) {
	p.Code(`
		from, length := i+1, i
		if i = $pool.End$(b, i); uint(i) > uint(len(b)) {
			if from, i = $wire.ReadBytes$(b, length); i < 0 {
				return -1
			}
		}
		row := b[from:i:i]
		`)
	p.decodeInTurn(field)
	p.P("list, i = s.", p.slabName("of", field), ".Return(d, list), start\nbreak\n}")
}

// decodeRest reads the row at start, in another layout than the usual one, with its own decoder; before that pairs in either
// order, as many as there are.
func (p *poolType) decodeRest(field *plan.Field, at string) {
	m := field.Message
	names, _ := PoolMembers(p.File, m)
	fields := p.Fields(m)
	p.P("if i == start {")
	p.reopenList(field)
	if p.isPair(field) {
		p.Code(`
			if !$pool.Is$(b, i+2, $first$) { // the first string does not come first
				list, i = $pool.Pairs$(d, &s.$slab$, list, b, i, $tag$, $first$, $second$, $unsafe.Offsetof$(list[0].$name$))
			}
			if i == start {`, "slab", p.slabName("of", field), "tag", emit.ByteList(field.Tag), "name", names[fields[0]],
			"first", emit.ByteList(fields[0].Tag), "second", emit.ByteList(fields[1].Tag))
	}
	p.P("_, i = ", p.Wire("ReadTag"), "(b, i) // the first one may be padded")
	p.ensure(field)
	p.P("n := len(list)\nlist = list[:n+1]\nlist[n] = ", PoolMessage(p.File, m), "{}")
	p.Printf("i = list[n].DecodeHot(d, %s, b, i, levels)\n", at)
	if p.isPair(field) {
		p.P("}")
	}
	p.closeList(field)
	p.P("}")
}

// decodeInTurn reads the fields of a row in their order.
func (p *poolType) decodeInTurn(field *plan.Field) {
	m := field.Message
	names, _ := PoolMembers(p.File, m)
	literal := ""
	fields := p.Fields(m)
	for n, f := range fields {
		v := "v" + emit.Itoa(n)
		p.P("var ", v, " ", p.GoType(f))
		literal += names[f] + ": " + v + ", "
		p.decodeNext(field, f, v)
	}
	p.P("if len(row) == 0 {\nlist[n] = ", PoolMessage(p.File, m), "{", literal, "}\n} else {")
}

// decodeNext reads the field f of a row into v if it comes next.
func (p *poolType) decodeNext(field, f *plan.Field, v string) {
	tag := emit.ByteList(f.Tag)
	switch f.WireType {
	case 2:
		p.P("if len(row) >= 2 && row[0] == ", tag, " && row[1] < 0x80 {")
		p.P("if end := 2 + int(row[1]); end <= len(row) {")
		if f.Type == plan.TypeBytes {
			p.P(v, " = row[2:end:end]\nrow = row[end:]\n}\n}")
			return
		}
		if !p.isTextRow(field) {
			valid := "d.ValidStrict"
			if p.Verify(f) {
				valid = "d.Valid"
			}
			p.P("if !", valid, "(row[2:end]) {\nreturn -1\n}")
		}
		p.P(v, " = ", p.Pool("String"), "(row[2:end])\nrow = row[end:]\n}\n}")
	case 0:
		p.P("if len(row) > 0 && row[0] == ", tag, " {")
		p.P("x, next := ", p.Wire("ReadVarint"), "(b[i-len(row):], 1) // faster with the bytes after the row\nif uint(next) > uint(len(row)) {\nreturn -1\n}")
		p.P(v, " = ", p.FromVarint(f, "x"), "\nrow = row[next:]\n}")
	default:
		width, read := 8, "Uint64"
		if f.WireType == 5 {
			width, read = 4, "Uint32"
		}
		p.P("if len(row) > ", width, " && row[0] == ", tag, " {")
		p.P(v, " = ", p.FromFixed(f, p.Ident("encoding/binary", "LittleEndian")+"."+read+"(row[1:])"), "\nrow = row[", width+1, ":]\n}")
	}
}

// checkRows checks the strings of the rows from first on, in one pass over b from begin to i.
func (p *poolType) checkRows(field *plan.Field) {
	p.P("if !d.ValidRun(b[begin:i]) && !", p.validRows(field, "b[begin:i], list[first:]"), " {\nreturn -1\n}")
}

// validRows is the condition that the strings of rows are valid, whose records are a run of bytes.
func (p *poolType) validRows(field *plan.Field, runAndRows string) string {
	names, _ := PoolMembers(p.File, field.Message)
	fields := p.Fields(field.Message)
	return p.Pool("ValidRows") + "(d, " + runAndRows + ", " + p.Ident("unsafe", "Offsetof") + "(list[0]." + names[fields[0]] + "), " + emit.Itoa(len(fields)) + ")"
}

// encodeRows writes rows of strings, and checks all of the text in one pass. Short strings are written in place if
// there is room for the whole row. Other rows go through their own encoder, which checks its text itself.
func (p *poolType) encodeRows(field *plan.Field) {
	list := p.slot(field)
	names, _ := PoolMembers(p.File, field.Message)
	fields := p.Fields(field.Message)
	var sizes, lengths []string
	for _, f := range fields {
		lengths = append(lengths, "len(row."+names[f]+")")
	}
	sizes = append(slices.Clone(lengths), emit.Itoa((len(fields)+1)*most))
	p.P("if len(", list, ") > 0 {\nb = e.B\nbefore := len(b) - i")
	p.P("for n := len(", list, ") - 1; n >= 0; n-- {\nrow := &", list, "[n]")
	p.P("if ", strings.Join(lengths, "|"), " >= 0x80 || i < ", strings.Join(sizes, "+"), " || !row.hot.IsEmpty() {")
	p.encodeOne(field, "row")
	p.P("b = e.B\ncontinue\n}\nend := i")
	for _, f := range slices.Backward(fields) {
		text := "row." + names[f]
		p.P("if len(", text, ") > 0 {\ni -= len(", text, ")\ncopy(b[i:], ", text, ")")
		p.P("i -= 2\nb[i], b[i+1] = ", emit.ByteList(f.Tag), ", byte(len(", text, "))\n}")
	}
	if len(field.Tag) == 1 {
		p.P("if size := end - i; size < 0x80 {\ni -= 2\nb[i], b[i+1] = ", emit.ByteList(field.Tag), ", byte(size)\ncontinue\n}")
	}
	p.P("i = e.Length(i, len(b)-end)")
	p.putTag(field.Tag)
	p.P("}\nif !e.IsASCII(i, before) {\nfor n := range ", list, " {")
	for _, f := range fields {
		p.P("e.Check(", list, "[n].", names[f], ")")
	}
	p.P("}\n}\n}")
}
