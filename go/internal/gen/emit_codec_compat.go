package gen

import "slices"

type compatMethod struct{ name, signature string }

// compatMethods are the methods that csproto's generator adds, over the runtime's fast ones.
var compatMethods = []compatMethod{
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
	for _, method := range compatMethods {
		if reason := c.compatTaken(method.name); reason != "" {
			c.P("// ", c.name, " has no ", method.name, " of csproto: ", reason, ".\n")
			c.gen.warn("message " + c.Message.Name + " has no " + method.name + " of csproto: " + reason)
			continue
		}
		comment, call := c.compatBody(method.name)
		c.P("// ", method.name, " ", comment)
		c.P("func (m *", c.name, ") ", method.name, method.signature, " {\nreturn ", call, "\n}\n")
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
			c.Codec("MarshalTo") + "(dest, m, " + c.Codec("MarshalOptions") + "{})"
	}
	if c.v1() { // the runtime calls it
		return "is MarshalHot, under csproto's name, with maps by key.\n" +
				"// If only required fields are absent, it gives bytes and an error.",
			c.CodecRuntime("Marshal") + "(m)"
	}
	return "is MarshalHot, under csproto's name.", "m.MarshalHot()"
}

// compatTaken says why a message cannot have a method of csproto's, or gives "". What is hybrid has the same methods
// with both of its build tags: those that the open struct can have.
func (c *codecType) compatTaken(name string) string {
	if slices.Contains(c.GogoMethods, name) && c.Options.runtime().name == "gogo" {
		return "gogo's generator adds one"
	}
	if c.MessageSet && c.v1() {
		return "the runtime would ask it for the message set, and it asks the runtime"
	}
	if member := c.memberCalled(name); member != "" && !c.isAlwaysOpaque(c.Message) {
		return member + " has the name"
	}
	return ""
}
