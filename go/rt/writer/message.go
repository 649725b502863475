package writer

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Message is a handle of an open message, which generated writers wrap. Its methods serve generated code. A handle
// may be copied; the copies act as one handle.
//
// Tags are passed as a number, whose little-endian bytes are the tag's bytes, and the count of these bytes.
type Message struct {
	s      *stream
	serial uint64
}

// End ends the message and all messages that are open inside it, and returns the sticky error of its output. A second
// call returns wire.HandleMisuse.
func (m Message) End() error {
	s := m.s
	if s != nil && s.top == m.serial {
		level := m.serial & levelMask
		slot := s.slots[level]
		if n := s.at - slot - 1; uint(n) < 128 { // never if the slot is nowhere
			put8(unsafe.Add(s.first, slot), byte(n))
			s.top = s.parents[level]
			s.limit += slotGrowth
			return nil
		}
	}
	return s.end(m.serial)
}

// IsOpen reports whether the message can still be written to: it has not ended, and the output has not failed.
//
//go:noinline
func (m Message) IsOpen() bool { return m.s != nil && m.s.isLive(m.serial) }

// AppendRaw writes encoded fields of the message unchanged.
//
//go:noinline
func (m Message) AppendRaw(fields []byte) { m.s.field(m.serial, textOf(fields)) }

// Open opens a nested message.
func (m Message) Open(tag uint64, size int) Message {
	s := m.s
	level := m.serial & levelMask
	if s == nil || s.top != m.serial || s.at > s.limit || level >= s.inLine {
		return s.openSlow(m.serial, tag, size, opensMessage, 0, 0)
	}
	put64(unsafe.Add(s.first, s.at), tag) // one of the zeros after it is the slot
	slot := s.at + size
	s.serial += serialStep
	child := s.serial | (level + 1)
	s.slots[level+1] = slot
	s.parents[level+1] = m.serial
	s.at = slot + 1
	s.limit -= slotGrowth
	s.top = child
	return Message{s, child}
}

// OpenGroup opens a nested message that ends with a tag.
func (m Message) OpenGroup(tag uint64, size int, endTag uint32) Message {
	return m.s.openSlow(m.serial, tag, size, opensGroup, endTag, 0)
}

// handle is Message and the types derived from it: generated writers, and the writers of packed fields.
type handle interface {
	~struct {
		s      *stream
		serial uint64
	}
}

// With passes a nested message to a function and then ends it. The function must not use the enclosing messages.
func With[H handle](child H, write func(H)) {
	m := Message(child)
	switch {
	case write == nil: // an empty message
	case m.s == nil:
		write(child)
	default:
		before := m.s.pinned
		m.s.pinned = m.serial
		write(child)
		m.s.pinned = before
	}
	if m.IsOpen() {
		m.End()
	}
}

// PutVarint writes a field that is a varint.
func (m Message) PutVarint(tag uint64, size int, v uint64) {
	s := m.s
	if s == nil || s.top != m.serial || s.at > s.limit {
		s.varintField(m.serial, tag, size, v)
		return
	}
	at := s.at
	p := unsafe.Add(s.first, at)
	if v < 0x80 {
		put64(p, tag|v<<(uint(size)*8&63))
		s.at = at + size + 1
		return
	}
	put64(p, tag)
	at += size
	p = unsafe.Add(p, size)
	if v < 1<<56 { // putLong, without a call
		long := wire.SizeVarint(v)
		put64(p, spread(v)|marks(long))
		s.at = at + long
		return
	}
	s.at = at + putLong(p, v)
}

// PutBool writes a field of type bool.
func (m Message) PutBool(tag uint64, size int, v bool) { m.PutVarint(tag, size, bit(v)) }

// PutFixed32 writes a field of four bytes.
func (m Message) PutFixed32(tag uint64, size int, bits uint32) {
	s := m.s
	if s == nil || s.top != m.serial || s.at > s.limit {
		s.fixedField(m.serial, tag, size, uint64(bits), 4)
		return
	}
	at := s.at
	p := unsafe.Add(s.first, at)
	put64(p, tag)
	put32(unsafe.Add(p, size), bits)
	s.at = at + size + 4
}

// PutFixed64 writes a field of eight bytes.
func (m Message) PutFixed64(tag uint64, size int, bits uint64) {
	s := m.s
	if s == nil || s.top != m.serial || s.at > s.limit {
		s.fixedField(m.serial, tag, size, bits, 8)
		return
	}
	at := s.at
	p := unsafe.Add(s.first, at)
	put64(p, tag)
	put64(unsafe.Add(p, size), bits)
	s.at = at + size + 8
}

// PutString writes a field with a length.
func (m Message) PutString(tag uint64, size int, text string) {
	s := m.s
	// This form of the condition cannot overflow.
	if s == nil || s.top != m.serial || len(text) >= 128 || s.at > s.limit-len(text) {
		s.textField(m.serial, tag, size, text)
		return
	}
	at := s.at
	p := unsafe.Add(s.first, at)
	put64(p, tag|uint64(len(text))<<(uint(size)*8&63))
	size++
	s.at = at + size + len(text) // keep no value alive across the copy: that would cost saved registers
	copyText(unsafe.Add(p, size), text)
}

// PutBytes is PutString for bytes.
func (m Message) PutBytes(tag uint64, size int, b []byte) { m.PutString(tag, size, textOf(b)) }

// PutParts writes a field with a length from several pieces.
func (m Message) PutParts(tag uint64, size int, parts [][]byte) {
	s := m.s
	if !s.settle(m.serial) {
		return
	}
	sum := int64(0)
	for _, part := range parts {
		sum += int64(len(part))
	}
	if !s.begin(tag, size, sum) {
		return
	}
	for _, part := range parts {
		if !s.append(textOf(part)) {
			return
		}
	}
	s.updateLimit()
}

// PutGroup writes an encoded message between its tags.
func (m Message) PutGroup(tag uint64, size int, endTag uint32, encoded []byte) {
	var start, end header
	start.tag(tag, size)
	end.varint(uint64(endTag))
	m.s.field(m.serial, start.text(), textOf(encoded), end.text())
}

func (s *stream) varintField(serial, tag uint64, size int, v uint64) {
	var h header
	h.tag(tag, size)
	h.varint(v)
	s.field(serial, h.text())
}

func (s *stream) fixedField(serial, tag uint64, size int, bits uint64, width int) {
	var h, value header
	h.tag(tag, size)
	value.tag(bits, width)
	s.field(serial, h.text(), value.text())
}

func (s *stream) textField(serial, tag uint64, size int, text string) {
	var h header
	h.tag(tag, size)
	h.varint(uint64(len(text)))
	if s != nil && s.top == serial && s.at <= s.limit-len(text) {
		p := unsafe.Add(s.first, s.at)
		s.at += h.n + len(text)
		copyText(p, h.text())
		copyText(unsafe.Add(p, h.n), text)
		return
	}
	s.field(serial, h.text(), text)
}
