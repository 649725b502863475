package codec

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Options of gogo leave a struct (typedecl=false) or its methods (marshaler=false) to code by hand, which the generator does not
// see. What such code must have or must not have, the compiler checks: the names in its errors say the remedy.

// emitHandWritten writes these checks for a message.
func (c *codecType) emitHandWritten() {
	if r := c.Options.StockRuntime(); !r.Gogo {
		return
	}
	if !c.Hidden.Declared && c.Unknown != "" {
		m := "add_XXX_unrecognized_to_" + c.Name + "_or_set_goproto_unrecognized_to_false"
		c.P("// An error here: your struct ", c.Name, " has no XXX_unrecognized []byte for unknown fields. Add it, or drop unknown fields, with")
		c.P("// option (gogoproto.goproto_unrecognized) = false; in the message.")
		c.P("func _(", m, " *", c.Name, ") { _ = ", m, ".XXX_unrecognized }\n")
	}
	if !c.Options.Values {
		c.refuseHandWritten()
	}
}

// refuseHandWritten makes the compiler refuse methods by hand of the messages in this one, which gogo's methods of this one call,
// and its fast methods do not.
func (c *codecType) refuseHandWritten() {
	seen := map[*plan.Message]bool{}
	for _, field := range c.Declared {
		child := codecChild(field)
		if child == nil || seen[child] || c.Options.StockRuntime().CustomOf(field).IsForeign() {
			continue
		}
		seen[child] = true
		methods := slices.DeleteFunc(emit.HandWritten(child), func(method string) bool { return method == "Size" }) // goes with another one
		if len(methods) == 0 {
			continue
		}
		m := "leave_out_" + c.Name + "_with_messages_because_" + c.Gen.NamesOf(child.File).Messages[child] + "_has_its_own_method"
		c.P("// An error here: the option marshaler or unmarshaler of ", child.Name, " is false, and it has such a method by hand, which the")
		c.P("// fast methods of ", c.Message.Name, " would not call. Leave out ", c.Message.Name, " with messages=, or remove the method.")
		c.P("func _() {\n", "type handWritten interface{ Marshal(); MarshalTo(); MarshalToSizedBuffer(); Unmarshal() }")
		c.P("var ", m, " struct {\n*", c.structName(child), "\nhandWritten\n}") // a method of both is ambiguous
		for _, method := range methods {
			c.P("_ = ", m, ".", method)
		}
		c.P("}\n")
	}
}
