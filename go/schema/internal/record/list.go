package record

import (
	"net/netip"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
)

// packedRun is where packed elements are being added one by one. As long as nothing else is written in between,
// they share one record.
type packedRun struct {
	op    *plan.Op
	start int // of the elements
	end   int
	size  int // of the length before them
}

// AddUint adds elements. Zeros are ordinary elements.
func (r *Record) AddUint(h plan.Handle, elements []uint64) {
	o := r.opFor(h, integers|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		if v > o.Max {
			if !r.Misfit(o, "is out of range") {
				continue
			}
			v &= o.Max
		}
		r.element(o, v)
	}
}

// AddInt adds elements.
func (r *Record) AddInt(h plan.Handle, elements []int64) {
	o := r.opFor(h, integers|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		if uint64(v)+o.Max+1 > 2*o.Max+1 {
			if !r.Misfit(o, "is out of range") {
				continue
			}
			v = int64(int32(v))
		}
		r.element(o, encode.Signed(o.Kind, v))
	}
}

// AddBool adds elements.
func (r *Record) AddBool(h plan.Handle, elements []bool) {
	o := r.opFor(h, integers|lists)
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
func (r *Record) AddEnum(h plan.Handle, elements []int32) {
	o := r.opFor(h, integers|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		if e := o.Column.Closed; e != nil && !e.Has(v) {
			r.Misfit(o, "is not a value of the enum")
			continue
		}
		r.element(o, uint64(v))
	}
}

// AddFloat adds elements to a column of floats or doubles.
func (r *Record) AddFloat(h plan.Handle, elements []float64) {
	o := r.opFor(h, floats|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		r.element(o, encode.FloatBits(o.Kind, v))
	}
}

// AddString adds elements.
func (r *Record) AddString(h plan.Handle, elements []string) {
	o := r.opFor(h, texts|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		if !o.UTF8 || r.unusualText(o, v) {
			r.putText(o, v)
		}
	}
}

// AddBytes adds elements.
func (r *Record) AddBytes(h plan.Handle, elements [][]byte) {
	o := r.opFor(h, texts|lists)
	if o == nil {
		return
	}
	for _, v := range elements {
		r.putText(o, encode.Borrowed(v))
	}
}

// AddIP adds elements. The zero Addr is not an address and adds nothing.
func (r *Record) AddIP(h plan.Handle, elements []netip.Addr) {
	o := r.opFor(h, texts|lists)
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
func (r *Record) element(o *plan.Op, v uint64) {
	if !o.Packed {
		r.number(o, v)
		return
	}
	run := &r.run
	if run.op != o || run.end != len(r.buf) {
		r.room(encode.Slack)
		n := len(r.buf)
		b := r.buf[:n+encode.Slack]
		n = o.Put(b, n) + 1
		*run = packedRun{op: o, start: n, size: 1}
		r.buf = b[:n]
	}
	r.room(encode.Slack)
	n := len(r.buf)
	n = encode.PutNumber(r.buf[:n+encode.Slack], n, o.Kind, v)
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
