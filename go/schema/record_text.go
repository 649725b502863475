package schema

import (
	"unicode/utf8"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// text sets a column of strings or bytes.
func (r *Record) text(h Handle, v string) {
	if uint(h.index) < uint(len(r.ops)) {
		o := &r.ops[h.index]
		n := len(r.buf)
		if o.scope == h.scope && h.scope == r.scope && uint(len(v)-1) < uint(o.text) && cap(r.buf)-n >= encode.Slack+len(v) {
			r.set[o.word] |= o.bit
			encode.Store64(unsafe.Pointer(unsafe.SliceData(r.buf)), n, o.tag|uint64(len(v))<<(8*o.size&63))
			n += int(o.step)
			b := r.buf[:n+len(v)]
			copy(b[n:], v)
			r.buf = r.buf[:n+len(v)]
			return
		}
	}
	r.anyText(h, v)
}

// anyText sets a column of strings or bytes to any value, usual or not.
func (r *Record) anyText(h Handle, v string) {
	o := r.opFor(h, texts)
	if o == nil {
		return
	}
	if (v == "" || o.slow() || o.utf8) && !r.unusualText(o, v) {
		return
	}
	r.set[o.word] |= o.bit
	r.putText(o, v)
}

// unusualText handles text that is empty or must be checked, and columns that need more than writing.
func (r *Record) unusualText(o *op, v string) (write bool) {
	if v == "" {
		r.end = -1
	}
	if o.keep && !r.first(o) {
		return false
	}
	if o.utf8 && !utf8.ValidString(v) {
		r.misfit(o, "is not UTF-8")
		return false
	}
	if o.later {
		if v == "" && o.keep && !o.zero {
			return false // an implicit zero is not a value
		}
		r.keepText(o, v)
		return false
	}
	return len(v) > 0 || r.zeros(o)
}

// putText writes a string or bytes.
func (r *Record) putText(o *op, v string) {
	n := len(r.buf)
	if cap(r.buf)-n < encode.Slack+len(v) {
		if len(v) > wire.MaxSize {
			r.misfit(o, "is larger than a message may be")
			return
		}
		r.grow(encode.Slack + len(v))
	}
	b := r.buf[:n+encode.Slack]
	n = encode.PutVarint(b, o.put(b, n), uint64(len(v)))
	r.buf = append(b[:n], v...)
}
