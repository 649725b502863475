package pool

// emitRoot writes the methods of the message as a whole. Most of them call the message's Ref.
func (p *poolType) emitRoot() {
	decode := "m.RefHot().UnmarshalAs"
	if p.unmarshals() {
		decode = "m.unmarshalHot"
	}
	p.Code(`
		func (m *$type$) RefHot() $pool.Ref$ { return $pool.RefOf$(&$layout$, $unsafe.Pointer$(m)) }

		func (m *$type$) Reset() {
			if m != nil {
				*m = $type${hot: m.hot}
				m.hot.Reset()
			}
		}

		func (m *$type$) Unmarshal(b []byte) error { return $decode$(b, $pool.Reuse$) }

		func (m *$type$) UnmarshalAlias(b []byte) error { return $decode$(b, $pool.Alias$) }

		func (m *$type$) UnmarshalOwned(b []byte) error { return m.RefHot().UnmarshalAs(b, $pool.Owned$) }

		func (m *$type$) UnmarshalWith(b []byte, o $pool.Options$) error { return m.RefHot().Unmarshal(b, o) }

		func (m *$type$) UnknownFields() $pool.UnknownFields$ { return m.RefHot().UnknownFields() }

		func (m *$type$) SetUnknownFields(records []byte) error { return m.RefHot().SetUnknown(records) }

		func (m *$type$) KeptMemory() int { return m.RefHot().KeptMemory() }

		func (m *$type$) Shrink(limit int) { m.RefHot().Shrink(limit) }

		func (m *$type$) Equal(o *$type$) bool { return m.RefHot().Equal(o.RefHot()) }

		`, "layout", layoutOf(p.File, p.message), "decode", decode)
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
	complete := ""
	if p.Options.SortedMaps {
		complete += " && d.SettleHot()"
	}
	if p.hasComplete(p.message) {
		complete += " && m.completeHot()"
	} else if p.requires() {
		complete += ` && m.RefHot().Missing(false) == ""`
	}
	p.Code(`
		func (m *$type$) unmarshalHot(b []byte, mode $pool.Mode$) error {
			m.Reset()
			if d, s, b := m.RefHot().Again(b, mode); d != nil && m.DecodeHot(d, s, b, -1, $wire.DefaultDepth$+1) >= 0$complete$ {
				return nil
			}
			return m.RefHot().Unmarshal(b, $pool.Options${Mode: mode})
		}

		`, "complete", complete)
}

// frontRoom is the size of the room in front of one that is nearly full: more than its last numbers and the next ones need.
const frontRoom = 128

// emitMarshal writes the methods that write the message as a whole.
func (p *poolType) emitMarshal() {
	p.Code(`
		func (m *$type$) MarshalWith(dst []byte, o $pool.MarshalOptions$) ([]byte, error) { $absent$return m.RefHot().MarshalWith(dst, o) }

		`, "absent", p.absent("dst", " && !o.AllowPartial"))
	if p.encodesByTable(p.message) || !p.Begins(p.message) {
		p.Code(`
			func (m *$type$) Marshal() ([]byte, error) { $absentNil$return m.RefHot().Marshal() }

			func (m *$type$) MarshalAppend(dst []byte) ([]byte, error) { return m.MarshalWith(dst, $pool.MarshalOptions${}) }

			func (m *$type$) MarshalScratch(dst []byte) ([]byte, error) { $absentDst$return m.RefHot().MarshalScratch(dst) }

			func (m *$type$) MarshalToSizedBuffer(b []byte) (n int, err error) { $absent0$return m.RefHot().MarshalToSizedBuffer(b) }

			`, "absentNil", p.absent("nil", ""), "absentDst", p.absent("dst", ""), "absent0", p.absent("0", ""))
	} else {
		p.emitMarshalInPlace()
	}
	if p.encodesByTable(p.message) {
		p.P("func (m *", p.name, ") Size() int { return m.RefHot().Size() }\n")
	} else {
		p.emitSize()
	}
	p.Code("func (m *$type$) Clone() *$type$ { return (*$type$)(m.RefHot().Clone()) }\n\n")
}

// absent is the check for required fields; none is the first result if one is missing.
func (p *poolType) absent(none, unless string) string {
	if !p.requires() {
		return ""
	}
	look := "if err := m.RefHot().Absent(); err != nil" + unless + " {\nreturn " + none + ", err\n}\n"
	if p.hasComplete(p.message) {
		look = "if m == nil || !m.completeHot() {\n" + look + "}\n"
	}
	return look
}

// emitMarshalInPlace writes these methods for a message that is encoded into room on the stack, or in place. One without a bound
// goes another way if it is large.
func (p *poolType) emitMarshalInPlace() {
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
	p.Code(`
		func (m *$type$) Marshal() ([]byte, error) {
			$absentNil$$fresh$var room [$room$]byte
			e := $pool.Over$(room[:])
			return e.Fresh(m.EncodeHot(&e, len(room)), m.RefHot())
		}

		func (m *$type$) MarshalAppend(dst []byte) ([]byte, error) {
			$absentDst$$large$var room [$room$]byte
			e := $pool.Over$(room[:])
			return e.Append(dst, m.EncodeHot(&e, len(room)), m.RefHot())
		}

		func (m *$type$) MarshalScratch(dst []byte) ([]byte, error) {
			if cap(dst)-len(dst) < $room$ {
				return m.MarshalAppend(dst)
			}
			$absentDst$$huge$e := $pool.Over$(dst[len(dst):cap(dst)])
			return e.Append(dst, m.EncodeHot(&e, len(e.B)), m.RefHot())
		}

		func (m *$type$) MarshalToSizedBuffer(b []byte) (n int, err error) {
			$absent0$var front [$front$]byte
			e := $pool.Into$(b, front[:])
			return e.Fill(b, m.EncodeHot(&e, len(b)), m.RefHot())
		}

		`, "absentNil", p.absent("nil", ""), "absentDst", p.absent("dst", ""), "absent0", p.absent("0", ""),
		"room", room, "front", min(room, frontRoom), "fresh", fresh, "large", large, "huge", huge)
}
