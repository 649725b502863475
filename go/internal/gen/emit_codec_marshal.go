package gen

// emitMarshal writes the methods that encode a message, for users. Package codec documents them.
func (c *codecType) emitMarshal() {
	bytes, options := "([]byte, error)", c.Codec("MarshalOptions")
	method := func(name, parameters, body string) {
		c.P("func (m *", c.name, ") ", name, "(", parameters, ") ", bytes, " { return ", c.Codec(body), " }")
	}
	method("MarshalHot", "", "Marshal(m, "+options+"{})")
	method("MarshalAppendHot", "b []byte", "MarshalAppend(b, m, "+options+"{})")
	method("MarshalScratchHot", "b []byte", "MarshalScratch(b, m, "+options+"{})")
	method("MarshalHotOptions", "b []byte, o "+options, "MarshalAppend(b, m, o)")
	c.P()
	c.emitEncode()
	c.emitSize()
}
