package gen

// emitRoot writes the methods that concern the message as a whole.
func (p *poolType) emitRoot() {
	p.Printf(`// Reset empties the message. Its memory stays for the next decode.
		func (m *%[1]s) Reset() {
			if m == nil {
				return
			}
			*m = %[1]s{hot: m.hot}
			m.hot.Reset()
		}

		// HiddenHot is for the runtime, as all that ends in Hot.
		func (m *%[1]s) HiddenHot() *%[2]s {
			if m == nil {
				return nil
			}
			return &m.hot
		}

		// TableHot describes the message to the table-driven readers.
		func (m *%[1]s) TableHot() ([]%[3]s, int) { return %[4]s, %[5]d }

		// SlabsHot makes the slabs of the message.
		func (m *%[1]s) SlabsHot() %[6]s { return new(%[7]s) }

		// RootHot decodes a whole message.
		func (m *%[1]s) RootHot(d *%[8]s, slabs %[6]s, b []byte, levels int) int {
			return m.DecodeHot(d, slabs.(*%[7]s), b, 0, levels)
		}
		`, p.name, p.Pool("Hidden"), p.Wire("MessageTable"), p.table, p.index, p.Pool("Slabs"), p.slabs(), p.Pool("Decoder"))
	if p.message == nil {
		return
	}
	p.P("// Unmarshal decodes b in place of what the message held, into memory that is used again. b is copied once.")
	p.P("// After an error the message is empty.")
	p.P("func (m *", p.name, ") Unmarshal(b []byte) error {")
	p.emitAgain("memory.Copy(b)")
	p.P("return ", p.Pool("Unmarshal"), "(m, b, ", p.Pool("Options"), "{})\n}\n")
	p.P("// UnmarshalAlias is Unmarshal without the copy: strings and bytes are borrowed from b, which must not change")
	p.P("// while the message is in use.")
	p.P("func (m *", p.name, ") UnmarshalAlias(b []byte) error {")
	p.emitAgain("b")
	p.P("return ", p.Pool("Unmarshal"), "(m, b, ", p.Pool("Options"), "{Mode: ", p.Pool("Alias"), "})\n}\n")
	p.Printf(`		// UnmarshalOwned is Unmarshal into fresh memory: what it gives may be kept.
		func (m *%[1]s) UnmarshalOwned(b []byte) error { return %[2]s(m, b, %[3]s{Mode: %[5]s}) }

		// UnmarshalWith decodes with limits and rules.
		func (m *%[1]s) UnmarshalWith(b []byte, o %[3]s) error { return %[2]s(m, b, o) }

		// UnknownFields iterates over what the schema does not know, extensions included.
		func (m *%[1]s) UnknownFields() %[6]s { return m.HiddenHot().UnknownFields() }

		// SetUnknownFields makes encoded records the message's unknown fields; none clear them. They are borrowed, and
		// refused when they are not well-formed.
		func (m *%[1]s) SetUnknownFields(records []byte) error { return m.HiddenHot().SetUnknown(records) }

		// KeptMemory is how many bytes the message keeps for its next decode.
		func (m *%[1]s) KeptMemory() int { return m.HiddenHot().KeptMemory() }

		// Shrink gives that memory back when it is more than limit bytes. The message stays as it is.
		func (m *%[1]s) Shrink(limit int) { m.HiddenHot().Shrink(limit) }

		`, p.name, p.Pool("Unmarshal"), p.Pool("Options"), p.Pool("Alias"), p.Pool("Owned"), p.Pool("UnknownFields"))
}

// emitAgain writes the decode that is usual, of a good message into memory that an earlier one has left, in straight
// line: small messages take half the time. All else the runtime sees to, from the start.
func (p *poolType) emitAgain(input string) {
	p.P("m.Reset()")
	p.P("if memory := m.HiddenHot().Again(b); memory != nil {")
	p.P("s := memory.SlabsHot().(*", p.slabs(), ")")
	if p.hasSlabs(p.message) {
		p.P("s.EachHot(memory.RewindHot())")
	}
	p.P("if m.DecodeHot(memory.DecoderHot(), s, ", input, ", 0, ", p.Wire("DefaultDepth"), ") == 0 {")
	if p.Options.SortedMaps {
		p.P("memory.SettleHot()")
	}
	if p.requires() {
		p.P("if m.MissingHot(false) == \"\" {\nreturn nil\n}")
	} else {
		p.P("return nil")
	}
	p.P("}\n}")
}

// emitMarshal writes the methods that write the message as a whole.
func (p *poolType) emitMarshal() {
	missing := func(none string) string {
		if !p.requires() {
			return ""
		}
		return "if !o.AllowPartial {\nif path := m.MissingHot(true); path != \"\" {\nreturn " + none + ", " + p.Pool("Missing") + "(path)\n}\n}\n"
	}
	if p.message == nil {
		return
	}
	p.Printf(`// Marshal encodes the message into memory of its own, of the exact size.
		func (m *%[1]s) Marshal() ([]byte, error) {
			var o %[2]s
			%[3]svar e %[5]s
			e.StartScratch(o)
			i := m.EncodeHot(&e, len(e.B))
			return e.Exact(i, %[6]s, %[7]d)
		}

		// MarshalAppend appends the encoding of the message to dst, as append does: nothing behind the result is touched.
		func (m *%[1]s) MarshalAppend(dst []byte) ([]byte, error) { return m.MarshalWith(dst, %[2]s{}) }

		// MarshalWith is MarshalAppend with rules.
		func (m *%[1]s) MarshalWith(dst []byte, o %[2]s) ([]byte, error) {
			%[4]svar e %[5]s
			e.StartScratch(o)
			i := m.EncodeHot(&e, len(e.B))
			return e.Copy(dst, i, %[6]s, %[7]d)
		}

		// MarshalScratch is MarshalAppend with all of the room behind dst, up to cap(dst), as scratch, which is overwritten.
		// It is fastest when there are 64 bytes more than the message takes.
		func (m *%[1]s) MarshalScratch(dst []byte) ([]byte, error) {
			var o %[2]s
			%[4]svar e %[5]s
			e.Start(dst[len(dst):cap(dst)], o)
			i := m.EncodeHot(&e, len(e.B))
			return e.Append(dst, i, %[6]s, %[7]d)
		}

		// MarshalToSizedBuffer encodes the message into the end of b, where nothing has to be moved, and gives its size; all
		// of b may be overwritten. It fails with BufferExhausted when b is too small, and is fastest when b has 64 bytes more
		// than it takes.
		func (m *%[1]s) MarshalToSizedBuffer(b []byte) (n int, err error) {
			var o %[2]s
			%[9]svar e %[5]s
			e.Start(b, o)
			i := m.EncodeHot(&e, len(e.B))
			return e.Fill(b, i, %[6]s, %[7]d)
		}

		// Size is the size of the encoding.
		func (m *%[1]s) Size() int { return m.SizeHot() }

		// Clone gives a copy that shares nothing with the message.
		func (m *%[1]s) Clone() *%[1]s {
			if m == nil {
				return nil
			}
			c := new(%[1]s)
			%[8]s(c, m)
			return c
		}

		`, p.name, p.Pool("MarshalOptions"), missing("nil"), missing("dst"), p.Pool("Encoder"), p.table, p.index, p.Pool("Clone"), missing("0"))
}
