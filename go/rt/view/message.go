package view

import (
	"iter"
	"slices"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Message is a nested message that has not been opened yet: pass it to OpenMessage of its view type. If it came in
// several records, opening merges them.
type Message struct {
	b          []byte
	start, end uint32 // of the message, or of its records if there are several
	tag        wire.Tag
	item       uint32 // number of a message-set item
	several    bool
	rules
}

// Several reports whether the message came in more than one record.
func (m Message) Several() bool { return m.several }

// records returns an iterator over the records of a message that came in several; each can be opened by itself.
func (m Message) records() Messages {
	return Messages{b: m.b, i: m.start, end: m.end, tag: m.tag, item: m.item, rules: m.rules}
}

// enter makes r the Raw of a message that came in one record.
func (m *Message) enter(r *Raw) {
	r.unknown, r.last = 0, 0
	r.b = m.b[m.start:m.end:m.end]
	r.rules = m.rules
}

// mergeInto appends the records of a message one after the other, which merges them on the wire. It appends to
// *scratch, or to new memory if scratch is nil.
func (m Message) mergeInto(scratch *[]byte) Message {
	if scratch == nil {
		scratch = new([]byte)
	}
	size := 0
	for records := m.records(); records.Next(); {
		size += int(records.stop - records.body)
	}
	*scratch = slices.Grow(*scratch, size)
	start := len(*scratch)
	for records := m.records(); records.Next(); {
		*scratch = append(*scratch, records.b[records.body:records.stop]...)
	}
	return Message{b: (*scratch)[start:], end: uint32(size), rules: m.rules}
}

// Sub returns the nested message or group in slot s of a field with this tag. If the field is absent, the message is
// empty.
func (r *Raw) Sub(s Sub, tag wire.Tag) Message {
	if debug {
		r.check(r.b)
	}
	m := Message{rules: r.rules.below()}
	switch {
	case s.end == 0:
		m.levels = max(m.levels, 0) // an absent message is never too deep
	case s.first&split != 0:
		m.b, m.start, m.end, m.tag, m.several = r.b, s.first&^split, s.end, tag, true
	default:
		m.b = r.b
		m.start, m.end, _ = record(r.b, s.first, s.end, tag, 1<<15-1)
	}
	return m
}

// record finds the payload of the record that starts at i, if the record has this tag. If not, next is 0.
func record(b []byte, i, end uint32, tag wire.Tag, levels int) (start, stop, next uint32) {
	got, at := wire.ReadTag(b[:end], int(i))
	if got != tag || at < 0 {
		return 0, 0, 0
	}
	if tag.Type() == wire.StartGroup {
		stop, next := wire.SkipGroup(b, at, tag.Number(), levels)
		if next < 0 {
			return 0, 0, 0
		}
		return uint32(at), uint32(stop), uint32(next)
	}
	from, to := wire.ReadBytes(b, at)
	if to < 0 {
		return 0, 0, 0
	}
	return uint32(from), uint32(to), uint32(to)
}

// Messages iterates over the elements of a repeated message field without
// allocating:
//
//	var e EntryView
//	it := v.EntriesIter() // not in the loop, which would copy it in each turn
//	for it.Next() {
//		if err := e.OpenElement(&it); err != nil { … }
//	}
type Messages struct {
	b          []byte
	i, end     uint32
	body, stop uint32 // the current record's payload
	tag        wire.Tag
	rules

	// For a message set: the item's number, and the place of its message records.
	item, inner, innerEnd uint32
}

// Messages iterates over the records of a field with this tag.
func (r *Raw) Messages(run Run, tag wire.Tag) Messages {
	if debug {
		r.check(r.b)
	}
	return Messages{b: r.b, i: run.first, end: run.end, tag: tag, rules: r.rules.below()}
}

// missing is the value of levels for an element that does not exist and cannot be opened.
const missing = -1 << 15

// NthMessage returns element n of a field with this tag. If there is none, the result cannot be opened. It walks over
// the preceding elements, unless n is the last one.
func (r *Raw) NthMessage(run Run, tag wire.Tag, n int) Message {
	elements := r.Messages(run, tag)
	if n > 0 && n == run.Len()-1 {
		elements.i, n = run.last, 0
	}
	m, ok := elements.Nth(n)
	if !ok {
		m.levels = missing
	}
	return m
}

// Next moves to the next element and reports whether there is one.
func (m *Messages) Next() bool {
	if m.item != 0 {
		return m.nextItem()
	}
	for m.i < m.end {
		if b := m.b[m.i:m.end]; len(b) >= 2 && wire.Tag(b[0]) == m.tag && (b[0]|b[1]) < 0x80 && int(b[1]) <= len(b)-2 && m.tag&7 == 2 {
			m.body = m.i + 2 // a tag and a length of one byte each
			m.stop = m.body + uint32(b[1])
			m.i = m.stop
			return true
		} else if len(b) >= 3 && wire.Tag(b[0]) == m.tag && (b[0]|b[2]) < 0x80 && b[1] >= 0x80 && m.tag&7 == 2 {
			if n := uint32(b[1]&0x7f) | uint32(b[2])<<7; int(n) <= len(b)-3 { // a length of two bytes
				m.body = m.i + 3
				m.stop = m.body + n
				m.i = m.stop
				return true
			}
		}
		var next uint32
		if m.body, m.stop, next = record(m.b, m.i, m.end, m.tag, 1<<15-1); next == 0 {
			if m.i = skipRecord(m.b, m.i, m.end); m.i == 0 {
				m.end = 0
			}
			continue
		}
		m.i = next
		return true
	}
	return false
}

// enter makes r the Raw of the current element.
func (m *Messages) enter(r *Raw) {
	r.unknown, r.last = 0, 0
	r.b = m.b[m.body:m.stop:m.stop]
	r.rules = m.rules
}

// Message returns the current element.
func (m *Messages) Message() Message {
	return Message{b: m.b, start: m.body, end: m.stop, rules: m.rules}
}

// All iterates over the elements that follow, without opening them.
//
//	entries = slices.AppendSeq(entries[:0], v.EntriesIter().All()) // to open them by index: e.OpenMessage(entries[i])
func (m Messages) All() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		all := m
		for all.Next() && yield(all.Message()) {
		}
	}
}

// Nth walks to the element n places after the next one, and returns it; n = 0 is the next element.
func (m Messages) Nth(n int) (Message, bool) {
	if m.tag < 0x80 && m.tag&7 == 2 && m.item == 0 {
		passed, _, end := passRecords(m.b[:m.end], int(m.i), byte(m.tag), n)
		n, m.i = n-passed, uint32(end)
	}
	for ; n >= 0 && m.Next(); n-- {
		if n == 0 {
			return m.Message(), true
		}
	}
	return Message{rules: m.rules}, false
}

// skipRecord returns the end of the record at i, or 0 if it is damaged. A scanned message is never damaged as long as
// its bytes do not change.
func skipRecord(b []byte, i, end uint32) uint32 {
	tag, at := wire.ReadTag(b[:end], int(i))
	if at < 0 {
		return 0
	}
	if at = wire.Skip(b[:end], at, tag, 1<<15-1); at < 0 {
		return 0
	}
	return uint32(at)
}

// ErrIndex returns the error of an access to an element that does not exist.
func ErrIndex() error { return &wire.Error{Code: wire.HandleMisuse} }
