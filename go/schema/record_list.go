package schema

import (
	"net/netip"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
)

// packedRun is where packed elements are being added one by one. As long as nothing else is written in between,
// they share one record.
type packedRun struct {
	op    *op
	start int // of the elements
	end   int
	size  int // of the length before them
}

// AddUint adds an element. Zeros are ordinary elements.
func (r *Record) AddUint(c UintList, v uint64) {
	if o := r.opFor(c.Handle, integers|lists); o != nil {
		if v > o.max {
			if !r.misfit(o, "is out of range") {
				return
			}
			v &= o.max
		}
		r.element(o, v)
	}
}

// AddInt adds an element.
func (r *Record) AddInt(c IntList, v int64) {
	if o := r.opFor(c.Handle, integers|lists); o != nil {
		if uint64(v)+o.max+1 > 2*o.max+1 {
			if !r.misfit(o, "is out of range") {
				return
			}
			v = int64(int32(v))
		}
		r.element(o, encode.Signed(o.kind, v))
	}
}

// AddBool adds an element.
func (r *Record) AddBool(c BoolList, v bool) {
	if o := r.opFor(c.Handle, integers|lists); o != nil {
		u := uint64(0)
		if v {
			u = 1
		}
		r.element(o, u)
	}
}

// AddEnum adds an element.
func (r *Record) AddEnum(c EnumList, v int32) {
	if o := r.opFor(c.Handle, integers|lists); o != nil {
		if e := o.column.Enum; e.Closed && !e.has(v) {
			r.misfit(o, "is not a value of the enum")
			return
		}
		r.element(o, uint64(v))
	}
}

// AddFloat adds an element to a column of floats or doubles.
func (r *Record) AddFloat(c FloatList, v float64) {
	if o := r.opFor(c.Handle, floats|lists); o != nil {
		r.element(o, encode.FloatBits(o.kind, v))
	}
}

// AddString adds an element.
func (r *Record) AddString(c StringList, v string) {
	if o := r.opFor(c.Handle, texts|lists); o != nil && (!o.utf8 || r.unusualText(o, v)) {
		r.putText(o, v)
	}
}

// AddBytes adds an element.
func (r *Record) AddBytes(c BytesList, v []byte) {
	if o := r.opFor(c.Handle, texts|lists); o != nil {
		r.putText(o, encode.Borrowed(v))
	}
}

// AddIP adds an element. The zero Addr is not an address and adds nothing.
func (r *Record) AddIP(c IPList, v netip.Addr) {
	if o := r.opFor(c.Handle, texts|lists); o != nil && v.IsValid() {
		r.ip(o, v)
	}
}

// Uints adds elements.
func (r *Record) Uints(c UintList, v []uint64) {
	for _, v := range v {
		r.AddUint(c, v)
	}
}

// Uint32s adds elements.
func (r *Record) Uint32s(c UintList, v []uint32) {
	for _, v := range v {
		r.AddUint(c, uint64(v))
	}
}

// Ints adds elements.
func (r *Record) Ints(c IntList, v []int64) {
	for _, v := range v {
		r.AddInt(c, v)
	}
}

// Strings adds elements.
func (r *Record) Strings(c StringList, v []string) {
	for _, v := range v {
		r.AddString(c, v)
	}
}

// Floats adds elements.
func (r *Record) Floats(c FloatList, v []float64) {
	for _, v := range v {
		r.AddFloat(c, v)
	}
}

// element writes an element of a repeated number.
func (r *Record) element(o *op, v uint64) {
	if !o.packed {
		r.number(o, v)
		return
	}
	run := &r.run
	if run.op != o || run.end != len(r.buf) {
		r.room(encode.Slack)
		n := len(r.buf)
		b := r.buf[:n+encode.Slack]
		n = o.put(b, n) + 1
		*run = packedRun{op: o, start: n, size: 1}
		r.buf = b[:n]
	}
	r.room(encode.Slack)
	n := len(r.buf)
	n = encode.PutNumber(r.buf[:n+encode.Slack], n, o.kind, v)
	r.buf = r.buf[:n]
	size := n - run.start
	if need := wire.SizeVarint(uint64(size)); need > run.size {
		r.room(encode.Slack)
		r.buf = r.buf[:n+need-run.size]
		copy(r.buf[run.start+need-run.size:], r.buf[run.start:n])
		run.start += need - run.size
		run.size = need
	}
	encode.PutVarint(r.buf, run.start-run.size, uint64(size))
	run.end = len(r.buf)
}
