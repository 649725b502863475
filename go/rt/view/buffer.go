package view

import (
	"slices"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Buffer owns the bytes of one message that is edited. Keep it and reuse it for the next message: its memory grows to
// the size that the largest message needed. The zero Buffer is ready to use. Use it from one goroutine at a time.
//
// It holds the path from the root to the message that is currently edited:
//
//	b:  … tag len [ contents of the current child ] … rest of the parent …
//	              ^ start                         ^ the tail begins
//
// An edit changes only the contents of the innermost message of the path, so the number of bytes after each message
// of the path stays the same. Lengths are written when a message is left, or when Bytes is called.
type Buffer struct {
	b    []byte
	path []frame

	// These describe the innermost message; its frame may be out of date.
	start int
	tail  int
	stamp uint64 // of the handle that edits it

	stamps  uint64 // the last stamp assigned
	limit   int    // of the message's size
	own     []byte // the buffer's own memory, while lent
	lent    bool   // b is a slice of the caller's, without room to grow
	room    int    // the size up to which the bytes can grow without further checks
	free    int    // room, or 0 if bytes follow the innermost message
	err     error
	found   [8]found
	turn    uint8  // the one of found that was used last
	scratch []byte // bytes of the buffer that will become a part of it again
	key     []byte // a map key from the buffer
}

// frame is one message of the path, or a packed record or map entry on the way.
type frame struct {
	stamp uint64 // of the handle that may continue with it
	head  int    // where its length is; equal to start if it has none
	start int
	tail  int
}

// Bytes returns the encoded message in its current state. The result is the buffer's own memory: the next edit
// changes it.
func (b *Buffer) Bytes() []byte {
	if b == nil {
		return nil
	}
	if len(b.path) > 1 {
		b.settle()
	}
	return b.b
}

// Err returns the first error since the message was started: a value that the field does not accept (InvalidUtf8,
// TypeMismatch), a limit (SizeExceeded, DepthExceeded), an index out of range or a handle used out of turn
// (HandleMisuse), or the error of a message that could not be opened. An edit that fails changes nothing, so the
// message is always well-formed.
func (b *Buffer) Err() error {
	if b == nil {
		return &wire.Error{Code: wire.HandleMisuse}
	}
	return b.err
}

func (b *Buffer) fail(code wire.Code) {
	if b.err == nil {
		b.err = &wire.Error{Code: code}
	}
}

// borrow returns bytes without the memory after them, which the caller may use for something else, and keeps the buffer's
// own memory for the time when they grow. Bytes in the buffer's own memory keep all of it.
func (b *Buffer) borrow(bytes []byte) []byte {
	if !b.lent {
		b.own = b.b
	}
	if b.lent = !within(b.own, bytes); !b.lent {
		b.own = nil
		return bytes
	}
	return bytes[:len(bytes):len(bytes)]
}

// begin resets the buffer to the message in bytes.
func (b *Buffer) begin(bytes []byte, limit int) {
	if debug {
		b.expire(bytes)
	}
	b.b = bytes
	b.path = append(b.path[:0], frame{})
	b.start, b.tail = 0, 0
	b.limit = limit
	b.measure()
	b.err = nil
	b.touch()
}

// measure finds how far the bytes may grow: within their memory, and below the limit by more than the lengths of a
// deep path can need.
func (b *Buffer) measure() {
	b.room = min(cap(b.b), b.limit-5*maxLevels)
	b.seek()
}

// seek finds whether an edit at the end of the innermost message is one at the end of the bytes.
func (b *Buffer) seek() {
	b.free = 0
	if b.tail == 0 {
		b.free = b.room
	}
}

// maxLevels is the number of levels that a path can have: twice the depth limit, because of map entries.
const maxLevels = 2048

// touch assigns a new stamp to the innermost message: handles with any other stamp are now out of turn.
func (b *Buffer) touch() {
	b.stamps++
	b.stamp = b.stamps
}

// from returns the place of position i, where the buffer has two bytes or more.
func (b *Buffer) from(i int) *[2]byte {
	return (*[2]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.b)), i))
}

// small replaces the number at p with x, if both have one byte.
func (b *Buffer) small(p uint32, x uint64) bool {
	i := b.start + int(p)
	if uint(i) >= uint(len(b.b)) || b.b[i] >= 0x80 {
		return false
	}
	b.b[i] = byte(x)
	return true
}

// addSmall appends the record of a number of one byte, in memory that is free. It returns the position of the number.
func (b *Buffer) addSmall(e *Edit, i int, tag wire.Tag, x uint64) uint32 {
	b.b = b.b[:i+2]
	q := b.from(i)
	q[0], q[1] = byte(tag), byte(x)
	b.stamps++
	b.stamp = b.stamps
	e.stamp = b.stamps
	return uint32(i + 1 - b.start)
}

// size returns the size of the innermost message.
func (b *Buffer) size() int { return len(b.b) - b.tail - b.start }

// fits reports whether the message, with its lengths, may grow by n bytes.
func (b *Buffer) fits(n int) bool {
	size := len(b.b) + n
	return size+len(b.path)*5 <= b.limit || size <= b.limit && len(b.path) == 1
}

// has is fits for an edit that is skipped otherwise: it sets the buffer's error then.
func (b *Buffer) has(n int) bool {
	if b.fits(n) {
		return true
	}
	b.fail(wire.SizeExceeded)
	return false
}

// hasPacked is has within a record that will be opened.
func (b *Buffer) hasPacked(n int) bool {
	if len(b.b)+n+(len(b.path)+1)*5 <= b.limit {
		return true
	}
	b.fail(wire.SizeExceeded)
	return false
}

// grow makes room for n more bytes at position i and moves the bytes after it. It fails if the message would exceed
// its limit, lengths included.
func (b *Buffer) grow(i, n int) bool {
	size := len(b.b)
	if !b.fits(n) {
		b.fail(wire.SizeExceeded)
		return false
	}
	if size+n > cap(b.b) {
		b.enlarge(n)
	}
	if debug {
		Expire(b.b[:cap(b.b)])
		soil(b.b[size : size+n]) // all of it will be written
	}
	b.b = b.b[:size+n]
	if i < size {
		copy(b.b[i+n:], b.b[i:size])
	}
	return true
}

// enlarge moves the bytes to larger memory.
func (b *Buffer) enlarge(n int) {
	old := b.b
	if len(old)+n <= cap(b.own) {
		b.b = append(b.own[:0], old...)
	} else {
		b.b = slices.Grow(old, max(n, 64))
	}
	b.own, b.lent = nil, false
	b.measure()
	if debug && cap(old) > 0 {
		Release(old)
	}
}

// moveAway copies the bytes to other memory if bytes will move when the messages above level are left. Slices into
// the old memory stay as they are.
func (b *Buffer) moveAway(level int) {
	for i := level + 1; i < len(b.path); i++ {
		f := &b.path[i]
		if width := f.start - f.head; width != 0 && width != f.width(len(b.b)) {
			b.b = append(make([]byte, 0, cap(b.b)), b.b...)
			b.own, b.lent = nil, false
			return
		}
	}
}

// width returns the width of the length of a message in this many bytes. It is minimal, unless it had four bytes in
// the input: that is the one padded form that writers use.
func (f *frame) width(bytes int) int {
	want := wire.SizeVarint(uint64(bytes - f.tail - f.start))
	if f.start-f.head == 4 && want < 4 {
		return 4
	}
	return want
}

// replace makes room of n bytes in place of old bytes at position i.
func (b *Buffer) replace(i, old, n int) bool {
	if n > old {
		return b.grow(i+old, n-old)
	}
	if debug {
		Expire(b.b[:cap(b.b)])
	}
	if n < old {
		b.b = append(b.b[:i+n], b.b[i+old:]...)
	}
	return true
}

// push opens the message, packed record or entry whose length is at head and whose contents reach from start to end.
func (b *Buffer) push(head, start, end int) {
	top := &b.path[len(b.path)-1]
	top.stamp, top.start, top.tail = b.stamp, b.start, b.tail
	b.start, b.tail = start, len(b.b)-end
	b.seek()
	n := len(b.path)
	if n == cap(b.path) {
		b.path = slices.Grow(b.path, 8)
	}
	b.path = b.path[:n+1]
	f := &b.path[n]
	f.head, f.start, f.tail = head, start, b.tail
	b.stamps++
	b.stamp = b.stamps
}

// pop leaves the messages above level; the one at level becomes the innermost.
func (b *Buffer) pop(level int) {
	for i := len(b.path) - 1; i > level; i-- {
		f := &b.path[i]
		if size := len(b.b) - f.tail - f.start; size < 0x80 && f.start-f.head == 1 {
			b.b[f.head] = byte(size)
		} else {
			b.writeLength(i)
		}
	}
	b.path = b.path[:level+1]
	top := &b.path[level]
	b.start, b.tail, b.stamp = top.start, top.tail, top.stamp
	b.seek()
}

// settle writes the lengths of all messages of the path.
func (b *Buffer) settle() {
	for i := len(b.path) - 1; i > 0; i-- {
		b.writeLength(i)
	}
	b.start = b.path[len(b.path)-1].start
}

// writeLength writes the length of the message at this level.
func (b *Buffer) writeLength(level int) {
	f := &b.path[level]
	width := f.start - f.head
	if width == 0 {
		return
	}
	size := len(b.b) - f.tail - f.start
	if d := f.width(len(b.b)) - width; d != 0 {
		f.start += d
		for i := level + 1; i < len(b.path); i++ {
			b.path[i].head += d
			b.path[i].start += d
		}
		if d > 0 {
			old := len(b.b)
			if old+d > cap(b.b) {
				b.enlarge(d)
			}
			b.b = b.b[:old+d]
			copy(b.b[f.start:], b.b[f.start-d:old])
		} else {
			b.b = append(b.b[:f.start], b.b[f.start-d:]...)
		}
		if debug {
			Expire(b.b[:cap(b.b)])
		}
	}
	putPadded(b.b[f.head:f.start], uint64(size))
}

// putPadded fills dst with the varint v.
func putPadded(dst []byte, v uint64) {
	last := len(dst) - 1
	for i := range last {
		dst[i] = byte(v) | 0x80
		v >>= 7
	}
	dst[last] = byte(v)
}

// owns reports whether p is a part of the buffer's memory.
func (b *Buffer) owns(p []byte) bool { return within(b.b, p) }

// within reports whether p is a part of the memory of b.
func within(b, p []byte) bool {
	at, from := uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return len(p) > 0 && at >= from && at < from+uintptr(cap(b))
}

// stable returns bytes that stay as they are while the buffer's bytes move: a copy if they are the buffer's own.
func (b *Buffer) stable(p []byte) []byte {
	if !b.owns(p) {
		return p
	}
	b.scratch = append(b.scratch[:0], p...)
	return b.scratch
}

// textBytes returns the bytes of a string, which must not be written to.
func textBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
