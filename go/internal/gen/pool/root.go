package pool

// emitRoot writes the methods that concern the message as a whole.
func (p *poolType) emitRoot() {
	pointer := p.Ident("unsafe", "Pointer")
	p.Printf(`func (m *%[1]s) Reset() {
			if m != nil {
				*m = %[1]s{hot: m.hot}
				m.hot.Reset()
			}
		}

		func (m *%[1]s) HiddenHot() *%[2]s {
			if m == nil {
				return nil
			}
			return &m.hot
		}

		func (*%[1]s) LayoutHot() *%[3]s { return &%[4]s }

		`, p.name, p.Pool("Hidden"), p.Pool("Layout"), layoutOf(p.File, p.message))
	p.emitUnmarshal("Unmarshal", "Reuse")
	p.emitUnmarshal("UnmarshalAlias", "Alias")
	p.Printf(`func (m *%[1]s) UnmarshalOwned(b []byte) error { return %[2]s(m, b, %[3]s{Mode: %[4]s}) }

		func (m *%[1]s) UnmarshalWith(b []byte, o %[3]s) error { return %[2]s(m, b, o) }

		func (m *%[1]s) UnknownFields() %[5]s { return m.HiddenHot().UnknownFields() }

		func (m *%[1]s) SetUnknownFields(records []byte) error { return m.HiddenHot().SetUnknown(records) }

		func (m *%[1]s) KeptMemory() int { return m.HiddenHot().KeptMemory() }

		func (m *%[1]s) Shrink(limit int) { m.HiddenHot().Shrink(limit) }

		func (m *%[1]s) Equal(o *%[1]s) bool { return %[6]s.EqualHot(%[7]s(m), %[7]s(o)) }

		`, p.name, p.Pool("Unmarshal"), p.Pool("Options"), p.Pool("Owned"), p.Pool("UnknownFields"), layoutOf(p.File, p.message), pointer)
}

// emitUnmarshal writes a decode whose usual case, of a good message into memory that an earlier one has left, calls the
// message's own code. All else the runtime sees to, from the start.
func (p *poolType) emitUnmarshal(name, mode string) {
	p.P("func (m *", p.name, ") ", name, "(b []byte) error {\nm.Reset()")
	input := "b"
	if mode == "Reuse" {
		input = "d.Copy(b)"
	}
	p.Printf("if d, s := m.HiddenHot().Again(b); d != nil && m.DecodeHot(d, (*%s)(s), %s, 0, %s) == 0", p.slabs(), input, p.Wire("DefaultDepth"))
	if p.Options.SortedMaps {
		p.Printf(" && d.SettleHot()")
	}
	if p.hasComplete(p.message) {
		p.Printf(" && m.completeHot()")
	} else if p.requires() {
		p.Printf(" && %s == \"\"", p.missing(p.message, "m", "false"))
	}
	p.P(" {\nreturn nil\n}")
	p.P("return ", p.Pool("Unmarshal"), "(m, b, ", p.Pool("Options"), "{Mode: ", p.Pool(mode), "})\n}\n")
}

// emitMarshal writes the methods that write the message as a whole.
func (p *poolType) emitMarshal() {
	missing := func(none, unless string) string {
		if !p.requires() {
			return ""
		}
		look := "if path := " + p.missing(p.message, "m", "true") + "; path != \"\"" + unless + " {\nreturn " + none + ", " + p.Pool("Missing") + "(path)\n}\n"
		if p.hasComplete(p.message) {
			look = "if m == nil || !m.completeHot() {\n" + look + "}\n"
		}
		return look
	}
	// An encoder is on the stack where all that is called is known.
	start, e := "var e "+p.Pool("Encoder")+"\ne.Start(", "&e"
	if p.ReachesTable(p.message) {
		start, e = "e := "+p.Pool("Over")+"(", "e"
	}
	p.Printf(`func (m *%[1]s) Marshal() ([]byte, error) {
			%[2]se := %[3]s(%[4]s{})
			return e.Exact(m.EncodeHot(e, len(e.B)), &%[5]s)
		}

		func (m *%[1]s) MarshalAppend(dst []byte) ([]byte, error) { return m.MarshalWith(dst, %[4]s{}) }

		func (m *%[1]s) MarshalWith(dst []byte, o %[4]s) ([]byte, error) {
			%[6]se := %[3]s(o)
			return e.Copy(dst, m.EncodeHot(e, len(e.B)), &%[5]s)
		}

		func (m *%[1]s) MarshalScratch(dst []byte) ([]byte, error) {
			%[7]s%[8]sdst[len(dst):cap(dst)], %[4]s{})
			return e.Append(dst, m.EncodeHot(%[9]s, len(e.B)), &%[5]s)
		}

		func (m *%[1]s) MarshalToSizedBuffer(b []byte) (n int, err error) {
			%[10]s%[8]sb, %[4]s{})
			return e.Fill(b, m.EncodeHot(%[9]s, len(e.B)), &%[5]s)
		}

		func (m *%[1]s) Size() int { return %[5]s.SizeHot(%[11]s(m)) }

		func (m *%[1]s) Clone() *%[1]s {
			if m == nil {
				return nil
			}
			return (*%[1]s)(%[5]s.CloneHot(%[11]s(m)))
		}

		`, p.name, missing("nil", ""), p.Pool("Scratch"), p.Pool("MarshalOptions"), layoutOf(p.File, p.message), missing("dst", " && !o.AllowPartial"),
		missing("dst", ""), start, e, missing("0", ""), p.Ident("unsafe", "Pointer"))
}
