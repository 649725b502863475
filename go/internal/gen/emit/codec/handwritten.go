package codec

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Options of gogo leave a struct (typedecl=false) or its methods (marshaler=false) to code by hand, which the generator does not
// see. The compiler checks the methods that such code must or must not have: the names in its errors say the remedy.

// emitHandWritten writes these checks for a message.
func (c *codecType) emitHandWritten() {
	if r := c.Options.StockRuntime(); !r.Gogo {
		return
	}
	if !c.Hidden.Declared && c.Unknown != "" {
		m := "add_XXX_unrecognized_to_" + c.Name + "_or_set_goproto_unrecognized_to_false"
		c.P("// An error here: your struct ", c.Name, " has no XXX_unrecognized []byte for unknown fields. Add it, or drop unknown fields, with")
		c.P("// option (gogoproto.goproto_unrecognized) = false; in the message.")
		c.P("func _(", m, " *", c.Name, ") { _ = (*[]byte)(&", m, ".XXX_unrecognized) }\n")
	}
	if c.Options.Values { // reflection has neither of these
		m := "proto_Marshal_and_Unmarshal_do_not_call_the_method_by_hand_of_" + c.Name
		c.refuseMethods(c.Message, m, []string{"Marshal", "Unmarshal"}, "gogo's proto.Marshal and Unmarshal call it, and Google's would not. Remove it")
	}
	seen := map[*plan.Message]bool{}
	for _, field := range c.Declared {
		child := codecChild(field)
		if child == nil || seen[child] || c.Options.StockRuntime().CustomOf(field).IsForeign() {
			continue
		}
		seen[child] = true
		name := c.Gen.NamesOf(child.File).Messages[child]
		m, remedy := "make_"+name+"_a_customtype_because_"+c.Name+"_does_not_call_its_method_by_hand", "Remove it"
		if !c.Options.Values {
			m, remedy = "leave_out_"+c.Name+"_with_messages_because_"+name+"_has_its_own_method", "Leave out "+c.Message.Name+" with messages=, or remove it"
		}
		c.refuseMethods(child, m, []string{"Marshal", "MarshalTo", "MarshalToSizedBuffer", "Unmarshal"}, "gogo's methods of "+c.Message.Name+" call it, and the fast ones would not. "+remedy)
	}
}

// refuseMethods makes the compiler refuse methods by hand of a message, of those that its options turn off. The error has the name m.
func (c *codecType) refuseMethods(message *plan.Message, m string, methods []string, explanation string) {
	methods = slices.DeleteFunc(methods, func(name string) bool { return !slices.Contains(emit.HandWritten(message), name) })
	if len(methods) == 0 {
		return
	}
	c.P("// An error here: an option of gogo leaves a method of ", message.Name, " to code by hand. ", explanation, ", or name")
	c.P("// the type as the customtype of a bytes field, in place of the message.")
	c.P("func _() {\n", "type handWritten interface{ Marshal(); MarshalTo(); MarshalToSizedBuffer(); Unmarshal() }")
	c.P("var ", m, " struct {\n*", c.structName(message), "\nhandWritten\n}") // a method of both is ambiguous
	for _, method := range methods {
		c.P("_ = ", m, ".", method)
	}
	c.P("}\n")
}
