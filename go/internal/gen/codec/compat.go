package codec

import (
	"slices"
)

type CompatMethod struct{ Name, signature string }

// CompatMethods are the methods that csproto's generator adds, over the runtime's fast ones.
var CompatMethods = []CompatMethod{
	{"Size", "() int"},
	{"Marshal", "() ([]byte, error)"},
	{"MarshalTo", "(dest []byte) error"},
	{"Unmarshal", "(p []byte) error"},
}

// emitCompat adds csproto's methods, for compat=csproto, except those whose name means something else in the struct.
func (c *codecType) emitCompat() {
	if !c.Options.Csproto {
		return
	}
	for _, method := range CompatMethods {
		if reason := c.compatTaken(method.Name); reason != "" {
			c.P("// ", c.Name, " has no ", method.Name, " of csproto: ", reason, ".\n")
			c.Gen.Warn("message " + c.Message.Name + " has no " + method.Name + " of csproto: " + reason)
			continue
		}
		comment, call := c.compatBody(method.Name)
		c.P("// ", method.Name, " ", comment)
		c.P("func (m *", c.Name, ") ", method.Name, method.signature, " {\nreturn ", call, "\n}\n")
	}
}

// compatBody is what a method of csproto's does, and how.
func (c *codecType) compatBody(name string) (comment, call string) {
	switch name {
	case "Size":
		return "is SizeHot, under csproto's name.", "m.SizeHot()"
	case "Unmarshal":
		return "is UnmarshalHot, under csproto's name: it resets the message first.", "m.UnmarshalHot(p)"
	case "MarshalTo":
		return "writes the encoding to the beginning of dest, and nothing behind it.\n" +
				"// Too small a dest is an error, and unchanged.",
			Codec(c.File, "MarshalTo") + "(dest, m)"
	}
	if c.v1() { // the runtime calls it
		return "is MarshalHot, under csproto's name, with maps by key.\n" +
				"// If only required fields are absent, it gives bytes and an error.",
			CodecRuntime(c.File, "Marshal") + "(m)"
	}
	return "is MarshalHot, under csproto's name.", "m.MarshalHot()"
}

// compatTaken says why a message cannot have a method of csproto's, or gives "". What is hybrid has the same methods
// with both of its build tags: those that the open struct can have.
func (c *codecType) compatTaken(name string) string {
	if slices.Contains(c.GogoMethods, name) && c.Options.StockRuntime().Name == "gogo" {
		return "gogo's generator adds one"
	}
	if c.MessageSet && c.v1() {
		return "the runtime would ask it for the message set, and it asks the runtime"
	}
	if member := c.MemberCalled(name); member != "" && !c.IsAlwaysOpaque(c.Message) {
		return member + " has the name"
	}
	return ""
}
