package writer

import (
	"unicode/utf8"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Functions for code that was generated with utf8=strict: they do not write a string that is not UTF-8, and set the
// sticky error wire.InvalidUtf8.

// PutChecked is PutString for text that must be UTF-8.
func (m Message) PutChecked(tag uint64, size int, text string) {
	if !isUTF8(text) {
		m.s.refuse(m.serial)
		return
	}
	m.PutString(tag, size, text)
}

// PutCheckedParts is PutParts for text that must be UTF-8 as a whole.
func (m Message) PutCheckedParts(tag uint64, size int, parts [][]byte) {
	var split [utf8.UTFMax]byte // the beginning of a character that continues in the next piece
	n := 0
	for _, part := range parts {
		for n > 0 && len(part) > 0 && !utf8.FullRune(split[:n]) {
			split[n] = part[0]
			n, part = n+1, part[1:]
		}
		if n > 0 && utf8.FullRune(split[:n]) {
			if !utf8.Valid(split[:n]) {
				m.s.refuse(m.serial)
				return
			}
			n = 0
		}
		whole := len(part) // without an incomplete character
		for tail := 1; tail < utf8.UTFMax && tail <= len(part) && n == 0; tail++ {
			if at := len(part) - tail; utf8.RuneStart(part[at]) {
				if !utf8.FullRune(part[at:]) {
					whole = at
				}
				break
			}
		}
		if !wire.ValidUTF8(part[:whole]) {
			m.s.refuse(m.serial)
			return
		}
		n += copy(split[n:], part[whole:])
	}
	if n > 0 {
		m.s.refuse(m.serial)
		return
	}
	m.PutParts(tag, size, parts)
}

// CheckedPart is StringPart for text that must be UTF-8.
func CheckedPart(number uint32, text string) Part {
	p := StringPart(number, text)
	p.refused = !isUTF8(text)
	return p
}

func isUTF8(text string) bool {
	return wire.ValidUTF8(unsafe.Slice(unsafe.StringData(text), len(text)))
}

// refuse handles text that must not be written.
func (s *stream) refuse(serial uint64) {
	if s.settle(serial) {
		s.fail(wire.InvalidUtf8, s.offset())
	}
}
