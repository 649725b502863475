package record

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
)

// level is a message that has been begun: the state that is needed to continue the message around it.
type level struct {
	op    *plan.Op
	scope uint32 // of the message around it
	start int    // of its content
	room  int    // for its length before that
	set   int    // where the bits of the message around it start
}

// Begin starts the message of a column.
func (r *Record) Begin(h plan.Handle) bool {
	o := r.opFor(h, messages)
	return o != nil && (!o.Keep || r.First(o)) && r.open(o)
}

// BeginItem starts one more message of a repeated column, or entry of a map.
func (r *Record) BeginItem(h plan.Handle) bool {
	o := r.opFor(h, messages)
	return o != nil && r.open(o)
}

// open writes a message's tag and leaves as much room for its length as the last message of the column needed. If
// the message is deeper than readers accept by default, the error is DepthExceeded.
func (r *Record) open(o *plan.Op) bool {
	if len(r.levels) >= wire.DefaultDepth {
		r.Fail(wire.DepthExceeded, o.Column.Name, "is nested too deeply")
		return false
	}
	r.set[o.Word] |= o.Bit
	r.room(encode.Slack)
	n := len(r.buf)
	b := r.buf[:n+encode.Slack]
	n = o.Put(b, n)
	room := 0
	if o.Kind != wire.Group {
		room = max(1, int(r.lengths[o.Index]))
	}
	n += room
	r.buf = b[:n]
	r.levels = append(r.levels, level{op: o, scope: r.scope, start: n, room: room, set: len(r.bits) - len(r.set)})
	child := r.plan.Messages[o.Child]
	r.scope = child.Scope
	at := len(r.bits)
	for range child.Words {
		r.bits = append(r.bits, 0)
	}
	r.set = r.bits[at:]
	return true
}

// End ends the message begun last.
func (r *Record) End() {
	if len(r.levels) == 0 {
		r.Fail(wire.HandleMisuse, "", "End was called, but no message was begun")
		return
	}
	l := r.levels[len(r.levels)-1]
	r.levels = r.levels[:len(r.levels)-1]
	r.bits = r.bits[:len(r.bits)-len(r.set)]
	r.scope, r.set = l.scope, r.bits[l.set:]
	if l.op.Kind == wire.Group {
		r.room(encode.Slack)
		n := len(r.buf)
		// The end tag has wire type 4 instead of the start tag's 3.
		binary.LittleEndian.PutUint64(r.buf[n:n+8], l.op.Tag+1)
		r.buf = r.buf[:n+int(l.op.Size)]
		return
	}
	r.closeLength(l.start, l.room, l.op)
}

// closeLength writes the length of the bytes from start into the room before them. The content moves only if the
// length has another size than the one before.
func (r *Record) closeLength(start, room int, o *plan.Op) {
	n := len(r.buf) - start
	r.run = packedRun{} // it may have moved
	need := wire.SizeVarint(uint64(n))
	if need != room {
		r.room(need + encode.Slack)
		end := start + need - room + n
		copy(r.buf[start+need-room:end:cap(r.buf)], r.buf[start:start+n])
		r.buf = r.buf[:end]
		r.lengths[o.Index] = uint8(need)
	}
	encode.PutVarint(r.buf, start-room, uint64(n))
}

// secondsNanos writes a google.protobuf.Timestamp or Duration.
func (r *Record) secondsNanos(o *plan.Op, seconds int64, nanos int32) {
	if o.Slow() {
		if o.Keep && !r.First(o) {
			return
		}
		if o.Later {
			r.KeepTime(o, seconds, nanos)
			return
		}
	}
	r.set[o.Word] |= o.Bit
	r.room(2 * encode.Slack)
	n := len(r.buf)
	b := r.buf[:n+2*encode.Slack]
	n = o.Put(b, n)
	r.buf = b[:encode.PutSecondsNanos(b, n, seconds, nanos)]
}
