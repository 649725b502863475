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

// AddUint adds elements. Zeros are ordinary elements.
func (r *Record) AddUint(c UintList, elements ...uint64) {
	o := r.opFor(c.Handle, integers|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		if v > o.max {
			if !r.misfit(o, "is out of range") {
				continue
			}
			v &= o.max
		}
		r.element(o, v)
	}
}

// AddInt adds elements.
func (r *Record) AddInt(c IntList, elements ...int64) {
	o := r.opFor(c.Handle, integers|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		if uint64(v)+o.max+1 > 2*o.max+1 {
			if !r.misfit(o, "is out of range") {
				continue
			}
			v = int64(int32(v))
		}
		r.element(o, encode.Signed(o.kind, v))
	}
}

// AddBool adds elements.
func (r *Record) AddBool(c BoolList, elements ...bool) {
	o := r.opFor(c.Handle, integers|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		u := uint64(0)
		if v {
			u = 1
		}
		r.element(o, u)
	}
}

// AddEnum adds elements.
func (r *Record) AddEnum(c EnumList, elements ...int32) {
	o := r.opFor(c.Handle, integers|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		if e := o.column.Enum; e.Closed && !e.has(v) {
			r.misfit(o, "is not a value of the enum")
			continue
		}
		r.element(o, uint64(v))
	}
}

// AddFloat adds elements to a column of floats or doubles.
func (r *Record) AddFloat(c FloatList, elements ...float64) {
	o := r.opFor(c.Handle, floats|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		r.element(o, encode.FloatBits(o.kind, v))
	}
}

// AddString adds elements.
func (r *Record) AddString(c StringList, elements ...string) {
	o := r.opFor(c.Handle, texts|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		if !o.utf8 || r.unusualText(o, v) {
			r.putText(o, v)
		}
	}
}

// AddBytes adds elements.
func (r *Record) AddBytes(c BytesList, elements ...[]byte) {
	o := r.opFor(c.Handle, texts|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		r.putText(o, encode.Borrowed(v))
	}
}

// AddIP adds elements. The zero Addr is not an address and adds nothing.
func (r *Record) AddIP(c IPList, elements ...netip.Addr) {
	o := r.opFor(c.Handle, texts|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		if v.IsValid() {
			r.ip(o, v)
		}
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
