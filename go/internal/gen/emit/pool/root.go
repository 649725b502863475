package pool

// emitRoot writes the methods of the message as a whole. Most of them call the message's Ref.
func (p *poolType) emitRoot() {
	decode := "m.RefHot().UnmarshalAs"
	if p.unmarshals() {
		decode = "m.unmarshalHot"
	}
	p.Printf(`func (m *%[1]s) RefHot() %[2]s { return %[3]s(&%[4]s, %[5]s(m)) }

		func (m *%[1]s) Reset() {
			if m != nil {
				*m = %[1]s{hot: m.hot}
				m.hot.Reset()
			}
		}

		func (m *%[1]s) Unmarshal(b []byte) error { return %[6]s(b, %[7]s) }

		func (m *%[1]s) UnmarshalAlias(b []byte) error { return %[6]s(b, %[8]s) }

		func (m *%[1]s) UnmarshalOwned(b []byte) error { return m.RefHot().UnmarshalAs(b, %[9]s) }

		func (m *%[1]s) UnmarshalWith(b []byte, o %[10]s) error { return m.RefHot().Unmarshal(b, o) }

		func (m *%[1]s) UnknownFields() %[11]s { return m.RefHot().UnknownFields() }

		func (m *%[1]s) SetUnknownFields(records []byte) error { return m.RefHot().SetUnknown(records) }

		func (m *%[1]s) KeptMemory() int { return m.RefHot().KeptMemory() }

		func (m *%[1]s) Shrink(limit int) { m.RefHot().Shrink(limit) }

		func (m *%[1]s) Equal(o *%[1]s) bool { return m.RefHot().Equal(o.RefHot()) }

		`, p.name, p.Pool("Ref"), p.Pool("RefOf"), layoutOf(p.File, p.message), p.Ident("unsafe", "Pointer"), decode,
		p.Pool("Reuse"), p.Pool("Alias"), p.Pool("Owned"), p.Pool("Options"), p.Pool("UnknownFields"))
	if p.unmarshals() {
		p.emitUnmarshal()
	}
}

// unmarshals reports whether a message has code in place of Ref.UnmarshalAs: one that is often decoded by itself, or that has
// code that looks for its required fields.
func (p *poolType) unmarshals() bool {
	return p.hasComplete(p.message) || !p.decodesByTable(p.message) && p.Begins(p.message)
}

// emitUnmarshal writes that code.
func (p *poolType) emitUnmarshal() {
	p.Printf(`func (m *%s) unmarshalHot(b []byte, mode %s) error {
			m.Reset()
			if d, s, b := m.RefHot().Again(b, mode); d != nil && m.DecodeHot(d, s, b, -1, %s+1) >= 0`, p.name, p.Pool("Mode"), p.Wire("DefaultDepth"))
	if p.Options.SortedMaps {
		p.Printf(" && d.SettleHot()")
	}
	if p.hasComplete(p.message) {
		p.Printf(" && m.completeHot()")
	} else if p.requires() {
		p.Printf(` && m.RefHot().Missing(false) == ""`)
	}
	p.Printf(` {
				return nil
			}
			return m.RefHot().Unmarshal(b, %s{Mode: mode})
		}

		`, p.Pool("Options"))
}

// frontRoom is the size of the room in front of one that is nearly full: more than its last numbers and the next ones need.
const frontRoom = 128

// emitMarshal writes the methods that write the message as a whole.
func (p *poolType) emitMarshal() {
	// absent is the check for required fields; none is the first result if one is missing.
	absent := func(none, unless string) string {
		if !p.requires() {
			return ""
		}
		look := "if err := m.RefHot().Absent(); err != nil" + unless + " {\nreturn " + none + ", err\n}\n"
		if p.hasComplete(p.message) {
			look = "if m == nil || !m.completeHot() {\n" + look + "}\n"
		}
		return look
	}
	options := p.Pool("MarshalOptions")
	p.Printf(`func (m *%[1]s) MarshalWith(dst []byte, o %[2]s) ([]byte, error) { %[3]sreturn m.RefHot().MarshalWith(dst, o) }

		`, p.name, options, absent("dst", " && !o.AllowPartial"))
	if p.encodesByTable(p.message) || !p.Begins(p.message) {
		p.Printf(`func (m *%[1]s) Marshal() ([]byte, error) { %[2]sreturn m.RefHot().Marshal() }

		func (m *%[1]s) MarshalAppend(dst []byte) ([]byte, error) { return m.MarshalWith(dst, %[3]s{}) }

		func (m *%[1]s) MarshalScratch(dst []byte) ([]byte, error) { %[4]sreturn m.RefHot().MarshalScratch(dst) }

		func (m *%[1]s) MarshalToSizedBuffer(b []byte) (n int, err error) { %[5]sreturn m.RefHot().MarshalToSizedBuffer(b) }

		`, p.name, absent("nil", ""), options, absent("dst", ""), absent("0", ""))
	} else {
		// The message is encoded into room on the stack, or in place. One without a bound goes another way if it is large.
		room, fresh, large, huge := max(p.roomFor(p.message), most), "", "", ""
		if room == fewBytes {
			sized := func(is, call string) string {
				return "if r := m.RefHot(); r." + is + "() {\nreturn r." + call + ")\n}\n"
			}
			fresh, huge = sized("IsLarge", "MarshalLarge(m.Size"), sized("IsHuge", "AppendLarge(dst, m.Size")
			if large = sized("IsLarge", "AppendLarge(dst, m.Size"); p.checks(p.message) {
				large = sized("IsLarge", "AppendLarge(dst, nil")
			}
		}
		p.Printf(`func (m *%[1]s) Marshal() ([]byte, error) {
			%[2]s%[8]svar room [%[6]d]byte
			e := %[5]s(room[:])
			return e.Fresh(m.EncodeHot(&e, len(room)), m.RefHot())
		}

		func (m *%[1]s) MarshalAppend(dst []byte) ([]byte, error) {
			%[3]s%[9]svar room [%[6]d]byte
			e := %[5]s(room[:])
			return e.Append(dst, m.EncodeHot(&e, len(room)), m.RefHot())
		}

		func (m *%[1]s) MarshalScratch(dst []byte) ([]byte, error) {
			if cap(dst)-len(dst) < %[6]d {
				return m.MarshalAppend(dst)
			}
			%[3]s%[10]se := %[5]s(dst[len(dst):cap(dst)])
			return e.Append(dst, m.EncodeHot(&e, len(e.B)), m.RefHot())
		}

		func (m *%[1]s) MarshalToSizedBuffer(b []byte) (n int, err error) {
			%[4]svar front [%[11]d]byte
			e := %[7]s(b, front[:])
			return e.Fill(b, m.EncodeHot(&e, len(b)), m.RefHot())
		}

		`, p.name, absent("nil", ""), absent("dst", ""), absent("0", ""), p.Pool("Over"), room, p.Pool("Into"), fresh, large, huge, min(room, frontRoom))
	}
	if p.encodesByTable(p.message) {
		p.P("func (m *", p.name, ") Size() int { return m.RefHot().Size() }\n")
	} else {
		p.emitSize()
	}
	p.Printf(`func (m *%[1]s) Clone() *%[1]s { return (*%[1]s)(m.RefHot().Clone()) }

		`, p.name)
}
