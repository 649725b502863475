package codec

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitMissing writes the search for absent required fields: first the message's own, then those of its messages,
// both by ascending number.
func (c *codecType) emitMissing() {
	if !c.NeedsRequired(c.Message) {
		return
	}
	c.P("// MissingHot returns the path of the first required field that is absent, or \"\".")
	c.P("func (m *", c.Name, ") MissingHot() string {")
	first := ""
	for _, field := range c.StockFields {
		if first == "" && field.Presence == plan.Required {
			first = field.Name
		}
	}
	c.Printf("if m == nil {\nreturn %q\n}\n", first)
	for _, field := range c.StockFields {
		if field.Presence == plan.Required && !c.isAlways(field) {
			c.Printf("if %s {\nreturn %q\n}\n", c.isAbsent(field), field.Name)
		}
	}
	for _, field := range c.StockFields {
		if child := codecChild(field.Field); child != nil && c.NeedsRequired(child) && !c.isOwn(field) {
			c.missingIn(field, child)
		}
	}
	c.P("return \"\"\n}\n")
}

func (c *codecType) missingIn(field *emit.StockField, child *plan.Message) {
	look := func(target, name, index string) {
		call := target + ".MissingHot()"
		if !c.isLocal(child) {
			call = CodecRuntime(c.File, "Missing") + "(" + target + ")"
		}
		c.Printf("if path := %s; path != \"\" {\nreturn %s(%q, %s, path)\n}\n", call, Codec(c.File, "Within"), name, index)
	}
	slot, element := field.StockSlot, field.Field
	if field.Map != nil {
		element = field.Map.Value
	}
	message := func(place string) string { return c.message(element, c.operand(element, place)) }
	switch {
	case field.Store == emit.StoreMap:
		c.P("for _, value := range ", slot, " {")
		look(message("value"), field.Name+".value", "-1")
		c.P("}")
	case field.Custom.IsPayload() && field.Store == emit.StoreList:
		c.P("for n := range ", slot, " {")
		look(message(slot+"[n]"), field.Name, "n")
		c.P("}")
	case field.Custom.IsValue():
		look(message(slot), field.Name, "-1")
	case field.Boxed:
		c.P("if ", slot, " != nil {\nfor n, elem := range *", slot, " {")
		look("elem", field.Name, "n")
		c.P("}\n}")
	case field.Store == emit.StoreList:
		c.P("for n, elem := range ", slot, " {")
		look("elem", field.Name, "n")
		c.P("}")
	case field.Oneof != nil:
		c.P("if w, _ := ", field.Oneof.StockSlot, ".(*", field.Wrapper, "); w != nil {")
		look(message(slot), field.Name, "-1")
		c.P("}")
	default:
		c.resolveLazy(field)
		c.P("if ", slot, " != nil {")
		look(message(slot), field.Name, "-1")
		c.P("}")
	}
}

// isAlways reports whether the struct does not show that a field is absent.
func (c *codecType) isAlways(field *emit.StockField) bool {
	return field.Always || field.Custom.IsValue() && c.unlessNil(field) == ""
}

// isOwn reports whether a field's message is a type of the user's, or of Go.
func (c *codecType) isOwn(field *emit.StockField) bool {
	return field.Custom.IsPayload() && field.Custom.Kind != emit.CustomMessage
}

// isAbsent is the condition that an optional or required field is absent.
func (c *codecType) isAbsent(field *emit.StockField) string {
	if field.Bit >= 0 {
		return "!(" + c.hasBit(field) + ")"
	}
	if has := c.unlessNil(field); has != "" {
		return "!(" + has + ")"
	}
	return field.StockSlot + " == nil"
}

// resolveLazy decodes a field of an opaque struct that the runtime has left encoded.
func (c *codecType) resolveLazy(field *emit.StockField) {
	if field.Lazy && field.Bit >= 0 {
		c.Printf("if %s == nil && %s {\n%s.UnmarshalField(m, %d)\n}\n", field.StockSlot, c.hasBit(field),
			c.Ident("google.golang.org/protobuf/runtime/protoimpl", "X"), field.Number)
	}
}
