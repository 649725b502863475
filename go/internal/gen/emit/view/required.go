package view

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitCheckInitialized writes the search for absent required fields: first the message's own, then those of its
// messages, both by ascending number.
func (v *viewType) emitCheckInitialized() {
	for _, field := range v.Skipped(v.message) {
		if field.Presence == plan.Required {
			v.P("// CheckInitialized does not look for ", field.Name, ", which is left out.")
		}
	}
	if !v.NeedsRequired(v.message) {
		v.P("func (v *", v.name, ") CheckInitialized() error { return nil }")
		v.P()
		return
	}
	v.P("func (v *", v.name, ") CheckInitialized() error {\nif v == nil {\nv = new(", v.name, ")\n}")
	for _, field := range v.fields {
		if field.Presence == plan.Required {
			v.Printf("if %s {\nreturn v.raw.Missing(%q)\n}\n", v.hasNot(field), field.Name)
		}
	}
	for _, field := range v.fields {
		if field.Message == nil || !v.NeedsRequired(field.Message) {
			continue
		}
		switch {
		case field.Map != nil:
			v.checkMap(field)
		case field.IsRepeated():
			v.Printf("if %s.Len() > 0 {\n", v.slot(field))
			v.declareChild(field.Message)
			v.Printf("e := v.%sIter()\nfor n := 0; e.Next(); n++ {\n", v.goNames[field])
			v.checkChild(field.Name, "OpenElement(&e)", "n")
			v.P("}\n}")
		default:
			v.P("if ", v.has(field), " {")
			v.declareChild(field.Message)
			v.checkChild(field.Name, "OpenMessage("+v.messageOf(field)+")", "-1")
			v.P("}")
		}
	}
	v.P("return nil\n}\n")
}

// declareChild declares the view that is used for all elements. Inside the loop it would be allocated again for
// each element.
func (v *viewType) declareChild(child *plan.Message) {
	v.P("var c ", v.TypeName(child, emit.ViewSuffix))
}

func (v *viewType) checkChild(name, open, index string) {
	v.Code(`
		err := c.$open$
		if err == nil {
			err = c.CheckInitialized()
		}
		if err != nil {
			return v.raw.Within(err, "$field$", $index$)
		}
		`, "open", open, "field", name, "index", index)
}

// checkMap checks the entries that count: the last one of each key.
func (v *viewType) checkMap(field *plan.Field) {
	value := field.Map.Value
	key := v.Read(field.Map.Key, "e.Key()", "")
	values := []any{"slot", v.slot(field), "name", v.goNames[field], "type", v.GoType(field.Map.Key), "key", key, "field", field.Name}
	v.Code(`
		if $slot$.Len() > 0 {
		last := map[$type$]int{}
		e := v.$name$Iter()
		for n := 0; e.Next(); n++ {
			last[$key$] = n
		}
		survivor := 0`, values...)
	v.declareChild(value.Message)
	v.Code(`
		e = v.$name$Iter()
		for n := 0; e.Next(); n++ {
			if last[$key$] != n {
				continue
			}
			err := c.OpenMessage(e.Message())
			if err == nil {
				err = c.CheckInitialized()
			}
			if err != nil {
				return v.raw.Within(v.raw.Within(err, "value", -1), "$field$", survivor)
			}
			survivor++
		`, values...)
	v.P("}\n}")
}
