package writer

import (
	"encoding/binary"
	"unsafe"

	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// The slow paths of levels: messages that their parents end, lengths of more than one byte, errors.

// settle ends the levels above the one with this serial. It returns false if nothing may be written.
func (s *stream) settle(serial uint64) bool {
	if s == nil || s.failed() { // the zero handle has no stream
		return false
	}
	if !s.isLive(serial) || s.isWaiting(serial) {
		s.misuse()
		return false
	}
	s.closeDownTo(levelOf(serial))
	return !s.failed()
}

// settleForChild is settle; it also checks that readers accept one level more.
func (s *stream) settleForChild(serial uint64) bool {
	if !s.settle(serial) {
		return false
	}
	message := 0
	if s.serialAt(0)&ownerless != 0 { // a delimited stream
		message = 1
	}
	if levelOf(serial) < message+MaxDepth {
		return true
	}
	s.fail(wire.DepthExceeded, s.offset())
	return false
}

type opens uint8

const (
	opensMessage opens = iota
	opensGroup
	opensPacked
)

// openSlow opens a level. A tag of size 0 means a message of a delimited stream.
func (s *stream) openSlow(serial, tag uint64, size int, form opens, endTag uint32, owner uint64) Message {
	refused := Message{s, noSerial}
	if form == opensPacked && !s.settle(serial) || form != opensPacked && !s.settleForChild(serial) {
		return refused
	}
	width := 1
	switch {
	case form == opensGroup:
		width = 0
	case s.policy == chunk.Fixed4:
		width = 4
	}
	var h header
	h.tag(tag, size)
	if !s.beginField(int64(size+width)) || !s.append(h.text()) {
		return refused
	}
	// A slot must lie in one chunk, and may have to grow there.
	if width != 0 && !s.single && s.room() < slotRoom && !s.advance() {
		return refused
	}
	i := levelOf(serial) + 1
	s.parents[i] = serial
	s.slots[i] = nowhere
	switch width {
	case 0:
		s.levels[i] = level{start: s.fieldStart, endTag: endTag, kind: group}
	case 1:
		s.slots[i] = s.at
	case 4:
		s.levels[i] = level{start: s.offset() + 4, chunk: s.id, place: s.at, kind: slot4}
	}
	clear(s.chunk[s.at : s.at+width])
	s.at += width
	s.top = s.newSerial(i) | owner
	s.updateLimit()
	return Message{s, s.top}
}

// end is Message.End for all cases that need more than a few steps.
func (s *stream) end(serial uint64) error {
	if s == nil {
		return wire.HandleMisuse
	}
	if s.top == serial { // as expected
		switch i := levelOf(serial); {
		case i == 0 && s.keeps: // a root
			s.top = closed
			return nil
		case s.slots[i] >= 0: // a length of two bytes or more, which has room
			s.writeLength(i, int64(s.at-s.slots[i]-1))
			s.top = s.parents[i]
			s.limit += slotGrowth
			return nil
		}
	}
	if !s.settle(serial) {
		return s.reason()
	}
	if levelOf(serial) == 0 {
		s.finishRoot()
		return s.backing.failure()
	}
	s.closeTop()
	if !s.failed() {
		s.updateLimit()
	}
	return s.reason()
}

// reason returns the sticky error, or the output's own error that caused it.
func (s *stream) reason() error {
	if s.code == wire.BufferExhausted {
		if err := s.backing.failure(); err != nil {
			return err
		}
	}
	return s.err()
}

func (s *stream) closeDownTo(level int) {
	if levelOf(s.top) == level {
		return
	}
	for !s.failed() && levelOf(s.top) > level {
		s.closeTop()
	}
	if !s.failed() {
		s.updateLimit()
	}
}

func (s *stream) closeTop() {
	i := levelOf(s.top)
	if s.slots[i] < 0 && s.levels[i].kind == group {
		var h header
		h.varint(uint64(s.levels[i].endTag))
		if !s.beginField(int64(h.n)) || !s.append(h.text()) {
			return
		}
	} else {
		start, _ := s.contentStart(i)
		s.writeLength(i, s.offset()-start)
	}
	s.top = s.parents[i]
}

// writeLength writes the length of a level that ends here.
func (s *stream) writeLength(i int, length int64) {
	at := s.slots[i]
	if at >= 0 && length>>7 > 0 && length < 1<<14 { // the usual case of a length that grows
		copy(s.chunk[at+2:], s.chunk[at+1:s.at])
		s.chunk[at], s.chunk[at+1] = byte(length)|0x80, byte(length>>7)
		s.at++
		return
	}
	var h header
	h.varint(uint64(length))
	if at >= 0 { // as wide as needed
		copy(s.chunk[at+h.n:], s.chunk[at+1:s.at])
		copy(s.chunk[at:], h.text())
		s.at += h.n - 1
		return
	}
	switch l := &s.levels[i]; l.kind {
	case slot4:
		four := padded(length)
		copy(s.chunk[l.place:], four[:])
	case slot1Left:
		s.backing.widen(l.chunk, l.place, uint64(length))
		s.base += int64(h.n - 1)
	case slot4Left:
		stillOpen := 0
		for outer := i - 1; outer > 0; outer-- {
			if s.slots[outer] < 0 && s.levels[outer].kind == slot4Left && s.levels[outer].chunk == l.chunk {
				stillOpen++
			}
		}
		s.backing.patch(chunk.Patch{ID: l.chunk, Offset: l.place, Bytes: padded(length), StillOpen: stillOpen})
	}
}

func (s *stream) finishRoot() {
	s.top = closed
	if s.keeps {
		return
	}
	last := s.full(0)
	s.base += int64(s.at)
	s.noChunk()
	s.backing.finish(last)
}

func (s *stream) misuse() {
	if !s.failed() {
		s.fail(wire.HandleMisuse, s.offset())
	}
}

// fail ends the message at valid, the offset up to which whole fields were written. It writes all open lengths as if
// their messages ended there. An open group cannot be ended where there may be no room, so it is removed as a whole.
func (s *stream) fail(code wire.Code, valid int64) {
	s.code = code
	depth := 0
	if s.isOpen() {
		depth = levelOf(s.top)
	}
	for i := depth; i > 0; i-- {
		if s.slots[i] < 0 && s.levels[i].kind == group {
			valid = min(valid, s.levels[i].start)
		}
	}
	s.at = int(max(valid-s.base, 0))
	for i := depth; i > 0; i-- {
		start, bounded := s.contentStart(i)
		switch {
		case s.slots[i] >= s.at, !bounded: // removed; not bounded
		case s.slots[i] >= 0:
			before := s.at
			s.writeLength(i, int64(before-s.slots[i]-1))
			valid += int64(s.at - before)
		default:
			before := s.base
			s.writeLength(i, max(valid-start, 0))
			valid += s.base - before
		}
	}
	s.validLen = valid - s.messageStart
	s.limit = nowhere
	if s.isOpen() {
		s.finishRoot()
	}
}

// field writes a field that consists of the given parts.
func (s *stream) field(serial uint64, parts ...string) {
	if !s.settle(serial) {
		return
	}
	size := int64(0)
	for _, part := range parts {
		size += int64(len(part))
	}
	if !s.beginField(size) {
		return
	}
	for _, part := range parts {
		if !s.append(part) {
			return
		}
	}
	s.updateLimit()
}

// begin writes the tag and length of a field; append then writes its payload. After the last append the caller must
// call updateLimit.
func (s *stream) begin(tag uint64, size int, payload int64) bool {
	var h header
	h.tag(tag, size)
	h.varint(uint64(payload))
	return s.beginField(payload+int64(h.n)) && s.append(h.text())
}

// beginField checks that a field does not make any level too large, and that an only chunk has room for it. It marks
// the start of the field, so that an unfinished field can be removed.
func (s *stream) beginField(size int64) bool {
	s.fieldStart = s.offset()
	if size > wire.MaxSize {
		s.fail(wire.SizeExceeded, s.fieldStart)
		return false
	}
	growth := size // of the level under test, including the growth of lengths inside it
	for i := levelOf(s.top); i > 0; i-- {
		start, bounded := s.contentStart(i)
		if !bounded {
			continue
		}
		length := growth + s.fieldStart - start
		if length > MaxNested {
			s.fail(wire.SizeExceeded, s.fieldStart)
			return false
		}
		switch {
		case s.slots[i] >= 0 && s.single:
			growth += int64(wire.SizeVarint(uint64(length)) - 1)
		case s.slots[i] >= 0 || s.levels[i].kind == slot1Left:
			growth += slotGrowth
		}
	}
	if s.single && growth > int64(len(s.chunk)-s.at) && !s.grow(growth) {
		s.fail(wire.BufferExhausted, s.fieldStart)
		return false
	}
	return true
}

// append writes bytes of the field that begin started.
func (s *stream) append(text string) bool {
	for {
		left := len(s.chunk) - s.at
		if !s.single {
			left = s.room()
		}
		n := min(len(text), left)
		s.at += copy(s.chunk[s.at:s.at+n], text)
		if text = text[n:]; text == "" {
			return true
		}
		if !s.advance() {
			return false
		}
	}
}

// grow makes room in the only chunk for a field, and for the next fields to take the fast path.
func (s *stream) grow(more int64) bool {
	if more > wire.MaxSize {
		return false
	}
	larger, ok := s.backing.grow(s.at, int(more))
	if !ok {
		return false
	}
	s.chunk = larger
	s.first = unsafe.Pointer(unsafe.SliceData(larger))
	s.updateLimit()
	return true
}

// advance passes the current chunk on and gets the next one. If there is none, it removes the unfinished field, sets
// the error and returns false.
func (s *stream) advance() bool {
	if s.single {
		s.fail(wire.BufferExhausted, s.fieldStart)
		return false
	}
	full := s.full(s.widenSlots())
	s.base += int64(s.at)
	s.noChunk() // whether or not next returns a chunk, this one is gone
	next, ok := s.backing.next(full)
	if ok && len(next.Data) >= chunk.MinSize {
		s.take(next)
		return true
	}
	if ok { // it goes back unused
		if next.Data == nil {
			next.Data = []byte{}
		}
		next.Data = next.Data[:0]
		s.take(next)
	}
	s.fail(wire.BufferExhausted, s.fieldStart)
	return false
}

// widenSlots makes slots of one byte four bytes wide before their chunk leaves, the innermost first. It returns the
// number of open slots in the chunk:
//
//	|t|?|aaaa|t|?|bbbb|      →      |t|0000|aaaa|t|0000|bbbb|
//
// If the output keeps its chunks and its slots can grow later, they stay as they are.
func (s *stream) widenSlots() (open int) {
	widens := s.policy != chunk.Minimal
	shift := 0
	if widens {
		shift = s.reserved()
	}
	contentEnd := s.at
	s.at += shift
	s.fieldStart += int64(shift) // all open slots of this chunk are before the unfinished field
	for i := levelOf(s.top); i > 0; i-- {
		l := &s.levels[i]
		slot := s.slots[i]
		if slot < 0 {
			switch l.kind {
			case slot4:
				l.kind = slot4Left
			case group:
				l.start += int64(shift) // the slots around it have moved it
			}
			if l.kind == slot4Left && l.chunk == s.id {
				open++
			}
			continue
		}
		s.slots[i] = nowhere
		if !widens {
			*l = level{start: s.base + int64(slot) + 1, chunk: s.id, place: slot, kind: slot1Left}
			continue
		}
		// The bytes after this slot, up to the next inner one, move by the growth of all slots up to this one.
		copy(s.chunk[slot+1+shift:], s.chunk[slot+1:contentEnd])
		contentEnd = slot
		shift -= slotGrowth
		slot += shift
		binary.LittleEndian.PutUint32(s.chunk[slot:], 0)
		*l = level{start: s.base + int64(slot) + 4, chunk: s.id, place: slot, kind: slot4Left}
		open++
	}
	return open
}
