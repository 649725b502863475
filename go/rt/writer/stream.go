package writer

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// MaxNested is the size of the largest nested message: the largest length that fits into four bytes.
const MaxNested = 1<<28 - 1

// MaxDepth is the number of levels below a message that readers accept by default.
const MaxDepth = 100

const (
	slotRoom   = 4            // of a slot, when its chunk leaves
	slotGrowth = slotRoom - 1 // the room that is reserved for a slot of one byte
	window     = 1 << 27      // how much of a large chunk is used at a time
	nowhere    = -1 << 30     // a limit below every position; a slot that is not in this chunk
)

// A serial identifies an open level. It is a number that is never used twice, with the level in its low byte, and
// with the bit ownerless for levels that no handle has: a map entry around its message, the stream around its
// delimited messages.
const (
	noSerial   = 0          // of a rejected handle
	closed     = ^uint64(0) // top, while no message is open
	levelMask  = 0x7f       //
	ownerless  = 0x80       //
	serialStep = 0x100      //
	places     = levelMask + 2
)

type kind uint8

const (
	group     kind = iota
	slot4          // four bytes in this chunk
	slot4Left      // four bytes in a chunk that has left
	slot1Left      // one byte in a chunk before this one, of an output that keeps its chunks
)

// level describes a level whose slot is not one byte in this chunk.
type level struct {
	start  int64  // offset of the contents in the stream; for a group, of its start tag
	chunk  uint64 // the chunk with the slot
	place  int    // of the slot in that chunk
	endTag uint32
	kind   kind
}

// backing is the part in which outputs differ: where chunks come from and go to.
type backing interface {
	// next, patch and finish are like those of chunk.Source.
	next(full chunk.Full) (chunk.Chunk, bool)
	patch(patch chunk.Patch)
	finish(last chunk.Full)
	// widen is for an output that keeps all its chunks. It replaces the one-byte slot by a length of several bytes
	// and moves the bytes after it. There is room for that.
	widen(id uint64, offset int, length uint64)
	// grow is for an output that is one chunk. It returns a larger chunk with the same first used bytes, and room for
	// more bytes after them.
	grow(used, more int) ([]byte, bool)
	// failure returns an error from outside hotpb.
	failure() error
}

// stream is the state that all handles of one output share: the position, the open
// levels, the sticky error.
//
//	top →  level 2   serial 0x0902   slot at 17      |08|2a|1a|??|12|03|66|6f|6f|
//	       level 1   serial 0x0801   slot at  3                ^slot             ^at
//	       root      serial 0x0700
//
// Whoever holds the serial of the top level may write. A call with the serial of
// a level below the top ends the levels above it first; a serial that is on no
// level is misuse. The fast paths compare one serial and one limit; everything
// else is out of line.
//
// Room: a slot of one byte may have to grow to four. So three bytes for each slot are reserved at the end of the
// chunk, and slack bytes more for stores that overhang. A field that does not fit before that takes the slow path,
// which fills the chunk to the last byte.
//
// Invariants between calls:
//
//  1. first points to chunk[0]; 0 <= at <= len(chunk).
//  2. at <= limit only if slack bytes, and the reserved ones, follow chunk[limit].
//     If nothing fits, limit is nowhere, or as much more as ending levels adds,
//     which is always below 0.
//  3. slots[i], of an open level i > 0, is the index of a slot of one byte before
//     at, or it is nowhere and levels[i] is valid. slots[0] is nowhere.
//  4. parents[i] is the serial of level i-1, for each open level i > 0.
type stream struct {
	first   unsafe.Pointer
	at      int
	limit   int // a small field that starts here or before fits
	top     uint64
	serial  uint64 // the last one assigned
	inLine  uint64 // levels from this one on are opened out of line
	slots   [places]int
	parents [places]uint64

	chunk        []byte
	id           uint64 // of the chunk
	hasChunk     bool
	framed       bool // there are delimited messages
	single       bool // this chunk is the only one: it is filled to the last byte
	keeps        bool // all chunks stay until the output is reset
	policy       chunk.LengthPolicy
	code         wire.Code // the sticky error
	base         int64     // offset of chunk[0] in the stream
	messageStart int64
	fieldStart   int64
	validLen     int64 // of a message that failed
	pinned       uint64
	backing      backing
	levels       [places]level
}

func levelOf(serial uint64) int { return int(serial & levelMask) }

// start makes the zero stream usable.
func (s *stream) start(b backing, policy chunk.LengthPolicy) {
	s.backing, s.policy = b, policy
	if policy != chunk.Fixed4 {
		s.inLine = MaxDepth
	}
	s.slots[0] = nowhere
	s.top = closed
	s.noChunk()
}

// restart resets the stream to the beginning of a chunk (for outputs that keep their chunks).
func (s *stream) restart(c chunk.Chunk) {
	s.code = 0
	s.top = closed
	s.framed = false
	s.base, s.messageStart = 0, 0
	s.take(c)
}

func (s *stream) take(c chunk.Chunk) {
	s.id, s.chunk, s.hasChunk = c.ID, c.Data, true
	s.first = unsafe.Pointer(unsafe.SliceData(c.Data))
	s.at = 0
	if size := len(c.Data); !s.isOpen() && size >= slack && size < window {
		s.limit = size - slack // the result of updateLimit
		return
	}
	s.updateLimit()
}

func (s *stream) noChunk() {
	s.take(chunk.Chunk{})
	s.hasChunk = false
}

// full returns the current chunk in the form in which it goes back.
func (s *stream) full(openSlots int) chunk.Full {
	if !s.hasChunk {
		return chunk.Full{}
	}
	return chunk.Full{ID: s.id, Data: s.chunk[:s.at], OpenSlots: openSlots}
}

func (s *stream) offset() int64 { return s.base + int64(s.at) }
func (s *stream) failed() bool  { return s.code != 0 }
func (s *stream) isOpen() bool  { return s.top != closed }

// isIdle reports whether the stream is between two delimited messages.
func (s *stream) isIdle() bool { return s.isOpen() && s.top&(levelMask|ownerless) == ownerless }

func (s *stream) err() error {
	if s.code == 0 {
		return nil
	}
	return s.code
}

func (s *stream) status() (int64, error) {
	if s.failed() {
		return s.validLen, s.code
	}
	if s.isOpen() && !s.isIdle() {
		return 0, ErrUnfinished
	}
	return s.offset() - s.messageStart, nil
}

func (s *stream) newSerial(level int) uint64 {
	s.serial += serialStep
	return s.serial | uint64(level)
}

// serialAt returns the serial of an open level.
func (s *stream) serialAt(level int) uint64 {
	if level == levelOf(s.top) {
		return s.top
	}
	return s.parents[level+1]
}

func (s *stream) isLive(serial uint64) bool {
	return serial != noSerial && s.isOpen() && levelOf(serial) <= levelOf(s.top) && s.serialAt(levelOf(serial)) == serial
}

// isWaiting reports whether a function is writing a message above this one.
func (s *stream) isWaiting(serial uint64) bool {
	return levelOf(serial) < levelOf(s.pinned) && s.isLive(s.pinned)
}

// openRoot begins a message.
func (s *stream) openRoot() Message {
	if s.isOpen() || s.failed() {
		switch {
		case s.failed():
			return Message{s, noSerial}
		case !s.isIdle():
			s.misuse()
			return Message{s, noSerial}
		}
		s.finishRoot()
	}
	s.messageStart = s.offset()
	s.top = s.newSerial(0)
	return Message{s, s.top}
}

// openDelimited begins a length-prefixed message.
func (s *stream) openDelimited() Message {
	if s == nil {
		return Message{}
	}
	s.framed = true
	switch {
	case s.failed():
		return Message{s, noSerial}
	case !s.isOpen():
		s.top = s.newSerial(ownerless)
	case !s.isIdle():
		s.misuse()
		return Message{s, noSerial}
	}
	s.messageStart = s.offset()
	return s.openSlow(s.top, 0, 0, opensMessage, 0, 0)
}

// reserved returns the room that is reserved for slots that may grow.
func (s *stream) reserved() (size int) {
	if s.isOpen() {
		for i := levelOf(s.top); i > 0; i-- {
			if s.slots[i] >= 0 {
				size += slotGrowth
			}
		}
	}
	return size
}

// room returns the room before the reserved bytes.
func (s *stream) room() int { return max(len(s.chunk)-s.at-s.reserved(), 0) }

// updateLimit sets how far the fast paths may go. Inside a window no nested message can get too large; near the size
// limit every field goes through beginField.
func (s *stream) updateLimit() {
	left := s.room()
	s.limit = nowhere
	if left < slack {
		return
	}
	size := int64(min(left, window))
	if left >= window || s.offset() > MaxNested/2 {
		for i := 1; s.isOpen() && i <= levelOf(s.top); i++ {
			start, bounded := s.contentStart(i)
			if !bounded {
				continue
			}
			size = min(size, start+MaxNested-slotGrowth*places-s.offset())
			break // the outermost one is the largest
		}
	}
	if size >= slack {
		s.limit = s.at + int(size) - slack
	}
}

// contentStart returns the offset of a level's contents. The contents of a group are not bounded.
func (s *stream) contentStart(i int) (start int64, bounded bool) {
	if s.slots[i] >= 0 {
		return s.base + int64(s.slots[i]) + 1, true
	}
	return s.levels[i].start, s.levels[i].kind != group
}
