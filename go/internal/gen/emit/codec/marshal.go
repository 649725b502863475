package codec

// emitMarshal writes the methods with which users encode a message. Package codec documents them.
func (c *codecType) emitMarshal() {
	bytes, options := "([]byte, error)", Codec(c.File, "MarshalOptions")
	method := func(name, parameters, body string) {
		c.P("func (m *", c.Name, ") ", name, "(", parameters, ") ", bytes, " { return ", Codec(c.File, body), " }")
	}
	method("MarshalHot", "", "Marshal(m)")
	method("MarshalAppendHot", "b []byte", "MarshalAppend(b, m)")
	method("MarshalScratchHot", "b []byte", "MarshalScratch(b, m)")
	method("MarshalHotOptions", "b []byte, o "+options, "MarshalWith(b, m, o)")
	c.P()
	c.emitEncode()
	c.emitSize()
}
