package gen

// emitMarshal writes the methods that encode a message, for users.
func (c *codecType) emitMarshal() {
	bytes, options := "([]byte, error)", c.Codec("MarshalOptions")
	c.P("// MarshalHot gives the encoding, in memory of its own.")
	c.P("func (m *", c.name, ") MarshalHot() ", bytes, " {\nreturn ", c.Codec("Marshal"), "(m, ", options, "{})\n}\n")
	c.P("// MarshalAppendHot appends the encoding to b, as append does: nothing behind the result is touched.")
	c.P("func (m *", c.name, ") MarshalAppendHot(b []byte) ", bytes, " {")
	c.P("return ", c.Codec("MarshalAppend"), "(b, m, ", options, "{})\n}\n")
	c.P("// MarshalScratchHot is MarshalAppendHot with all of the room behind b, up to cap(b), as scratch, which is overwritten.")
	c.P("func (m *", c.name, ") MarshalScratchHot(b []byte) ", bytes, " {")
	c.P("return ", c.Codec("MarshalScratch"), "(b, m, ", options, "{})\n}\n")
	c.P("// MarshalHotOptions appends the encoding to b, as MarshalAppendHot does, by the rules of o.")
	c.P("func (m *", c.name, ") MarshalHotOptions(b []byte, o ", options, ") ", bytes, " {")
	c.P("return ", c.Codec("MarshalAppend"), "(b, m, o)\n}\n")
	c.emitEncode()
	c.emitSize()
}
