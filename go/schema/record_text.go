package schema

import (
	"unicode/utf8"

	"github.com/hotpb/hotpb/go/wire"
)

// unusualText handles text that is empty or to be checked, and columns that need more than writing.
func unusualText[T string | []byte](r *Record, o *op, v T) (write bool) {
	if o.keep && !r.first(o) {
		return false
	}
	if o.utf8 && !utf8.ValidString(string(v)) {
		r.notUTF8(o)
		return false
	}
	if o.later {
		keepText(r, o, v)
		return false
	}
	return len(v) > 0 || r.zeros(o)
}

func (r *Record) notUTF8(o *op) { r.misfit(o, "is not UTF-8") }

// text writes a string or bytes.
func text[T string | []byte](r *Record, o *op, v T) {
	n := len(r.buf)
	if cap(r.buf)-n < slack+len(v) {
		if len(v) > wire.MaxSize {
			r.misfit(o, "is larger than a message can be")
			return
		}
		r.grow(slack + len(v))
	}
	b := r.buf[:n+slack]
	n = o.put(b, n)
	n = spreadVarint(b, n, uint64(len(v)))
	r.buf = append(b[:n], v...)
}
