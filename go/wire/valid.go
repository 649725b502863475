package wire

// Valid reports whether input is a well-formed encoding of the message group[index], with its nested messages. It is
// Check without the offset and path: it only detects, and is fast.
func Valid(group []MessageTable, index int, input []byte, o Options) bool {
	if len(input) > o.Size() {
		return false
	}
	return validMessage(group, &group[index], input, 0, 0, o.Depth(), o.Strict) >= 0
}

// validMessage reads one message from position i to the end of b, or to the end tag of the group. levels is the
// number of levels that may open below it.
func validMessage(group []MessageTable, m *MessageTable, b []byte, i int, open uint32, levels int, strict bool) int {
	hint := 0 // the index of the field expected next: the same field again, or the following one
	for i < len(b) {
		var tag Tag
		if c := b[i]; c-8 < 0x78 && c&7 < 6 { // one byte, as in nearly all cases
			tag = Tag(c)
			i++
		} else if tag, i = ReadTag(b, i); i < 0 {
			return i
		}
		number := tag.Number()
		if hint >= len(m.Fields) || m.Fields[hint].Number != number {
			if hint++; hint >= len(m.Fields) || m.Fields[hint].Number != number {
				hint = m.Find(number)
			}
		}
		if hint < 0 || !m.Fields[hint].Matches(tag.Type()) {
			if tag.Type() == EndGroup {
				if number != open {
					return fail(GroupMismatch)
				}
				return i
			}
			if i = Skip(b, i, tag, levels); i < 0 {
				return i
			}
			hint = max(hint, 0)
			continue
		}
		if i = validField(group, &m.Fields[hint], b, i, tag, levels, strict); i < 0 {
			return i
		}
	}
	if open != 0 {
		return fail(Truncated)
	}
	return i
}

func validField(group []MessageTable, f *FieldTable, b []byte, i int, tag Tag, levels int, strict bool) int {
	switch tag.Type() {
	case VarintType:
		return SkipVarint(b, i)
	case StartGroup:
		if levels <= 0 {
			return fail(DepthExceeded)
		}
		group, child := f.child(group)
		return validMessage(group, child, b, i, tag.Number(), levels-1, strict)
	case BytesType:
		start, end := ReadBytes(b, i)
		if end < 0 {
			return end
		}
		switch f.Kind {
		case String:
			if (strict || f.Flags&VerifyUtf8 != 0) && !ValidUTF8(b[start:end]) {
				return fail(InvalidUtf8)
			}
		case Bytes:
		case Message:
			if levels <= 0 {
				return fail(DepthExceeded)
			}
			group, child := f.child(group)
			if code := validMessage(group, child, b[:end], start, 0, levels-1, strict); code < 0 {
				return code
			}
		default:
			if code := validPacked(f.Kind, b[start:end]); code != 0 {
				return fail(code)
			}
		}
		return end
	}
	return Skip(b, i, tag, levels)
}

func validPacked(k Kind, payload []byte) Code {
	switch k.Type() {
	case Fixed32Type:
		if len(payload)%4 != 0 {
			return Truncated
		}
	case Fixed64Type:
		if len(payload)%8 != 0 {
			return Truncated
		}
	default:
		_, _, code := CountVarints(payload)
		return code
	}
	return 0
}
