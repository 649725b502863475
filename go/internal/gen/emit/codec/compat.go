package codec

import (
	"slices"
)

type CompatMethod struct{ Name, signature string }

// CompatMethods are the methods of csproto's generator. They call the fast methods of the runtime.
var CompatMethods = []CompatMethod{
	{"Size", "() int"},
	{"Marshal", "() ([]byte, error)"},
	{"MarshalTo", "(dest []byte) error"},
	{"Unmarshal", "(p []byte) error"},
}

// emitCompat adds csproto's methods, for compat=csproto. It leaves out those whose name means something else in
// the struct.
func (c *codecType) emitCompat() {
	if !c.Options.Csproto {
		return
	}
	for _, method := range CompatMethods {
		if reason := c.compatTaken(method.Name); reason != "" {
			c.P("// ", c.Name, " lacks csproto's ", method.Name, ": ", reason, ".\n")
			c.Gen.Warn("message " + c.Message.Name + " lacks csproto's " + method.Name + ": " + reason)
			continue
		}
		comment, call := c.compatBody(method.Name)
		c.P("// ", method.Name, " ", comment)
		c.P("func (m *", c.Name, ") ", method.Name, method.signature, " {\nreturn ", call, "\n}\n")
	}
}

// compatBody returns the comment and the body of one of csproto's methods.
func (c *codecType) compatBody(name string) (comment, call string) {
	switch name {
	case "Size":
		return "is SizeHot under csproto's name.", "m.SizeHot()"
	case "Unmarshal":
		return "is UnmarshalHot under csproto's name. It resets the message first.", "m.UnmarshalHot(p)"
	case "MarshalTo":
		return "writes the encoding to the beginning of dest, and leaves the rest unchanged.\n" +
				"// If dest is too small, MarshalTo returns an error and writes nothing.",
			Codec(c.File, "MarshalTo") + "(dest, m)"
	}
	if c.v1() { // the runtime calls it
		return "is MarshalHot under csproto's name, with maps sorted by key.\n" +
				"// If only required fields are absent, it returns the bytes and an error.",
			CodecRuntime(c.File, "Marshal") + "(m)"
	}
	return "is MarshalHot under csproto's name.", "m.MarshalHot()"
}

// compatTaken returns the reason why a message cannot have a method of csproto's, or "". A hybrid message has the
// same methods with both of its build tags: those that the open struct can have.
func (c *codecType) compatTaken(name string) string {
	if slices.Contains(c.Options.StockRuntime().GogoMethods(c.Message), name) {
		return "gogo's generator adds a method of that name"
	}
	if c.MessageSet && c.v1() {
		return "the runtime would call it for the message set, and it calls the runtime"
	}
	if member := c.MemberCalled(name); member != "" && !c.IsAlwaysOpaque(c.Message) {
		return member + " has that name"
	}
	return ""
}
