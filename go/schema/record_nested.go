package schema

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
)

// level is a message that has been begun: the state that is needed to continue the message around it.
type level struct {
	op    *op
	scope uint32 // of the message around it
	start int    // of its content
	room  int    // for its length before that
	set   int    // where the bits of the message around it start
}

// Begin starts the message of a column: until End, calls set its columns. A message that is begun twice is merged
// from both, as protobuf requires; with KeepFirst the second is dropped. Begin reports whether the column accepts
// a message; if it does not, there is nothing to end.
//
//	if r.Begin(peer) {
//		r.String(name, "a")
//		r.End()
//	}
func (r *Record) Begin(c MessageColumn) bool {
	o := r.opFor(c.Handle, messages)
	return o != nil && (!o.keep || r.first(o)) && r.open(o)
}

// BeginItem starts one more message of a repeated column, like Begin.
func (r *Record) BeginItem(c MessageList) bool { return r.beginAny(c.Handle) }

// BeginEntry starts one more entry of a map. Set its columns key and value.
func (r *Record) BeginEntry(c MapColumn) bool { return r.beginAny(c.Handle) }

func (r *Record) beginAny(h Handle) bool {
	o := r.opFor(h, messages)
	return o != nil && r.open(o)
}

// open writes a message's tag and leaves as much room for its length as the last message of the column needed. If
// the message is deeper than readers accept by default, the error is DepthExceeded.
func (r *Record) open(o *op) bool {
	if len(r.levels) >= wire.DefaultDepth {
		r.fail(wire.DepthExceeded, o.column.Name, "is nested too deeply")
		return false
	}
	r.set[o.word] |= o.bit
	r.room(encode.Slack)
	n := len(r.buf)
	b := r.buf[:n+encode.Slack]
	n = o.put(b, n)
	room := 0
	if o.kind != wire.Group {
		room = max(1, int(r.lengths[o.index]))
	}
	n += room
	r.buf = b[:n]
	r.levels = append(r.levels, level{op: o, scope: r.scope, start: n, room: room, set: len(r.bits) - len(r.set)})
	child := r.plan.messages[o.child]
	r.scope = child.def.scope
	at := len(r.bits)
	for range child.words {
		r.bits = append(r.bits, 0)
	}
	r.set = r.bits[at:]
	return true
}

// End ends the message begun last.
func (r *Record) End() {
	if len(r.levels) == 0 {
		r.fail(wire.HandleMisuse, "", "End was called, but no message was begun")
		return
	}
	l := r.levels[len(r.levels)-1]
	r.levels = r.levels[:len(r.levels)-1]
	r.bits = r.bits[:len(r.bits)-len(r.set)]
	r.scope, r.set = l.scope, r.bits[l.set:]
	if l.op.kind == wire.Group {
		r.room(encode.Slack)
		n := len(r.buf)
		// The end tag has wire type 4 instead of the start tag's 3.
		binary.LittleEndian.PutUint64(r.buf[n:n+8], l.op.tag+1)
		r.buf = r.buf[:n+int(l.op.size)]
		return
	}
	r.closeLength(l.start, l.room, l.op)
}

// closeLength writes the length of the bytes from start into the room before them. The content moves only if the
// length has another size than the one before.
func (r *Record) closeLength(start, room int, o *op) {
	n := len(r.buf) - start
	r.run = packedRun{} // it may have moved
	need := wire.SizeVarint(uint64(n))
	if need != room {
		r.room(need + encode.Slack)
		end := start + need - room + n
		copy(r.buf[start+need-room:end:cap(r.buf)], r.buf[start:start+n])
		r.buf = r.buf[:end]
		r.lengths[o.index] = uint8(need)
	}
	encode.PutVarint(r.buf, start-room, uint64(n))
}

// secondsNanos writes a google.protobuf.Timestamp or Duration.
func (r *Record) secondsNanos(o *op, seconds int64, nanos int32) {
	if o.slow() {
		if o.keep && !r.first(o) {
			return
		}
		if o.later {
			r.keepTime(o, seconds, nanos)
			return
		}
	}
	r.set[o.word] |= o.bit
	r.room(2 * encode.Slack)
	n := len(r.buf)
	b := r.buf[:n+2*encode.Slack]
	n = o.put(b, n)
	r.buf = b[:encode.PutSecondsNanos(b, n, seconds, nanos)]
}
