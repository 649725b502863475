package pool

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// requiredFields returns the presence bits of required fields, the fields whose messages have required fields, and
// whether there are required fields without a bit in the first word.
func (p *poolType) requiredFields() (must uint32, inner []int, more bool) {
	for k, field := range p.fields {
		bit, has := p.bits[field]
		switch {
		case field.Presence != plan.Required:
		case has && bit < 32 && !isPointer(field):
			must |= 1 << bit
		default:
			more = true
		}
		child := field.Message
		if field.Map != nil {
			child = field.Map.Value.Message
		}
		if child != nil && p.NeedsRequired(child) {
			inner = append(inner, k)
		}
	}
	return must, inner, more
}

// emitRequired writes these into the layout, and returns more.
func (p *poolType) emitRequired() (more bool) {
	must, inner, more := p.requiredFields()
	if must != 0 {
		p.Printf(", Must: %#x", must)
	}
	if len(inner) > 0 {
		p.Printf(", Inner: []uint16{%s}", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(inner)), ", "), "[]"))
	}
	return more
}

// hasComplete reports whether a message has completeHot.
func (p *poolType) hasComplete(m *plan.Message) bool {
	return p.NeedsRequired(m) && m.File.Requested && p.IsSelected(m) && !p.decodesByTable(m) && p.Gen.PackageOf(m.File).Path == p.In.Path
}

// emitComplete writes whether a straight message has all required fields. The layout finds the one that is absent.
func (p *poolType) emitComplete() {
	if !p.hasComplete(p.message) {
		return
	}
	p.P("func (m *", p.name, ") completeHot() bool {")
	must, inner, more := p.requiredFields()
	word, bits := "m.has", fmt.Sprintf("%#x", must)
	if p.words > 1 {
		word += "[0]"
	}
	if more {
		p.P(`return m.RefHot().Missing(true) == ""`, "\n}\n")
		return
	}
	if len(inner) == 0 {
		p.Code("return $word$&$must$ == $must$\n}\n\n", "word", word, "must", bits)
		return
	}
	if must != 0 {
		p.Code("if $word$&$must$ != $must$ {\nreturn false\n}", "word", word, "must", bits)
	}
	for _, k := range inner {
		field := p.fields[k]
		child, slot := field.Message, p.slot(field)
		incomplete := func(value string) string {
			if p.hasComplete(child) {
				return "!" + value + ".completeHot()"
			}
			return value + `.RefHot().Missing(true) != ""`
		}
		switch {
		case field.Map != nil:
			p.P(`if m.RefHot().Missing(true) != "" {`, "\nreturn false\n}")
		case field.IsRepeated():
			p.P("for n := range ", slot, " {\nif ", incomplete(slot+"[n]"), " {\nreturn false\n}\n}")
		default:
			p.P("if ", p.has(field), " && ", incomplete(slot), " {\nreturn false\n}")
		}
	}
	p.P("return true\n}\n")
}
