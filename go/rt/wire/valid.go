package wire

import "encoding/binary"

// Valid reports whether input is a well-formed encoding of the message group[index], with its nested messages. It is
// Check without the offset and path: it only detects, and is fast.
func Valid(group []MessageTable, index int, input []byte, o Options) bool {
	if len(input) > o.Size() {
		return false
	}
	return validMessage(group, &group[index], input, 0, len(input), 0, o.Depth(), o.Strict) >= 0
}

// validMessage reads one message from position i to end, or to the end tag of the group open. levels is the number of
// levels that may open below it. It has all of the input in b, because a varint is read faster when bytes follow it; so
// a record may go past the end of its message, which is an error.
func validMessage(group []MessageTable, m *MessageTable, b []byte, i, end int, open uint32, levels int, strict bool) int {
	fields := m.Fields
	hint := 0 // the index of the field expected next: the same field again, or the following one
	for i < end {
		start := i
		var tag Tag
		if c := b[i]; c-8 < 0x78 && c&7 < 6 { // one byte, as in nearly all cases
			tag = Tag(c)
			i++
		} else if tag, i = ReadTag(b, i); i < 0 {
			return i
		}
		// Its field; none means an unknown record, or the end of this group.
		number := tag.Number()
		if hint >= len(fields) || fields[hint].Number != number {
			if hint++; hint >= len(fields) || fields[hint].Number != number {
				hint = m.Find(number)
			}
		}
		if hint < 0 || fields[hint].Kind.Type() != tag.Type() && !fields[hint].Matches(tag.Type()) {
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
		// Numbers and groups.
		f := &fields[hint]
		switch tag.Type() {
		case BytesType:
		case VarintType:
			if uint(i) < uint(len(b)) && b[i] < 0x80 {
				i++
			} else if i = skipLongVarint(b, i); i < 0 {
				return i
			}
			continue
		case Fixed64Type:
			i += 8
			continue
		case Fixed32Type:
			i += 4
			continue
		default:
			if levels <= 0 {
				return fail(DepthExceeded)
			}
			group, child := f.child(group)
			if i = validMessage(group, child, b, i, end, number, levels-1, strict); i < 0 {
				return i
			}
			continue
		}
		// What has a length: text, messages (pairs of strings in a run) and packed numbers.
		from := i + 1
		if uint(i) < uint(len(b)) && b[i] < 0x80 {
			i = from + int(b[i])
		} else if from, i = ReadBytes(b, i); i < 0 {
			return i
		}
		if i > end {
			break
		}
		switch f.Kind {
		case String:
			if (strict || f.Flags&VerifyUtf8 != 0) && !ValidUTF8(b[from:i]) {
				return fail(InvalidUtf8)
			}
		case Bytes:
		case Message:
			if levels <= 0 {
				return fail(DepthExceeded)
			}
			group, child := f.child(group)
			if tag < 0x80 && child.isPair(strict) {
				next := validPairs(b[:end], start, byte(tag))
				for next < end && b[next] == byte(tag) {
					after := validPair(b[:end], next, levels-1)
					if after == 0 {
						break
					}
					next = validPairs(b[:end], after, byte(tag))
				}
				if next > start {
					i = next
					continue
				}
			}
			if code := validMessage(group, child, b, from, i, 0, levels-1, strict); code < 0 {
				return code
			}
		default:
			if code := validPacked(f.Kind, b[from:i]); code != 0 {
				return fail(code)
			}
		}
	}
	if open != 0 || i > end {
		return fail(Truncated)
	}
	return i
}

// isPair reports whether the message has two checked strings, with the numbers 1 and 2: a label, an attribute, an entry of
// a map from strings to strings.
func (m *MessageTable) isPair(strict bool) bool {
	if len(m.Fields) != 2 {
		return false
	}
	first, second := &m.Fields[0], &m.Fields[1]
	return first.Kind == String && second.Kind == String && first.Number == 1 && second.Number == 2 &&
		(strict || first.Flags&second.Flags&VerifyUtf8 != 0)
}

// validPairs checks pairs while they follow each other, in records that begin with tag, which is of one byte. Each has both strings once, and is
// shorter than 128 bytes. It returns the start of the first record that is something else.
func validPairs(b []byte, start int, tag byte) int {
	for len(b)-start >= 10 && b[start] == tag {
		n := int(b[start+1])
		if n < 8 || n >= 0x80 || n > len(b)-start-2 {
			break
		}
		pair := b[start+2 : start+2+n]
		seen := binary.LittleEndian.Uint64(pair[n-8:])
		for words := pair; len(words) >= 8; words = words[8:] {
			seen |= binary.LittleEndian.Uint64(words)
		}
		// If the pair is ASCII, its lengths are single bytes, too.
		middle := 2 + int(pair[1])
		if middle > n-2 || pair[0]^pair[middle] != 0x0a^0x12 || pair[0] != 0x0a && pair[0] != 0x12 || middle+2+int(pair[middle+1]) != n {
			break
		}
		if seen&msbs != 0 && (pair[1] >= 0x80 || pair[middle+1] >= 0x80 || !ValidUTF8(pair[2:middle]) || !ValidUTF8(pair[middle+2:])) {
			break
		}
		start += 2 + n
	}
	return start
}

// validPair checks a pair that may have unknown fields after its strings, in a record whose tag has one byte. levels may open below it. It returns
// the position after it, or 0 if the record is something else.
func validPair(b []byte, start, levels int) int {
	if len(b)-start < 6 || b[start+1] >= 0x80 || int(b[start+1]) > len(b)-start-2 {
		return 0
	}
	pair := b[start+2 : start+2+int(b[start+1])]
	i := 0
	for number := range 2 {
		if i > len(pair)-2 || pair[i] != 0x0a && pair[i] != 0x12 || number == 1 && pair[i] == pair[0] || pair[i+1] >= 0x80 || int(pair[i+1]) > len(pair)-i-2 {
			return 0
		}
		from := i + 2
		if i = from + int(pair[i+1]); !ValidUTF8(pair[from:i]) {
			return 0
		}
	}
	for i < len(pair) {
		field, next := ReadTag(pair, i)
		if next < 0 || field.Number() <= 2 {
			return 0
		}
		if i = Skip(pair, next, field, levels); i < 0 {
			return 0
		}
	}
	return start + 2 + len(pair)
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
