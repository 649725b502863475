package view

import (
	"encoding/binary"
	"math"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Elems walks the elements of a repeated number, bool or enum field: packed, unpacked or mixed. The typed iterators
// are built on it. It reads several elements of a packed record at once.
type Elems struct {
	b       []byte
	i, stop uint32 // position; where the current record's elements end
	end     uint32 // of the last record
	number  uint32
	t       wire.Type
	at, n   uint8     // how many of the elements that have been read have come, and how many these are
	block   [8]uint64 // they
}

// Elems iterates over a field whose elements have wire type t.
func (r *Raw) Elems(run Run, number uint32, t wire.Type) Elems {
	if debug {
		r.check(r.b)
	}
	return Elems{b: r.b, i: run.first, end: run.end, number: number, t: t}
}

// Next moves to the next element and reports whether there is one.
func (e *Elems) Next() bool {
	if e.at < e.n {
		e.at++
		return true
	}
	return e.read()
}

// read reads the next elements, and moves to the first of them.
func (e *Elems) read() bool {
	e.at, e.n = 0, 0
	if e.i >= e.stop && !e.record() {
		return false
	}
	n, i := 0, int(e.i)
	// A block of elements: all in one go where the input has as many.
	switch e.t {
	case wire.VarintType:
		if e.i+1 == e.stop { // one element; e.stop may be in the middle of it
			e.block[0], i = wire.ReadVarint(e.b, i)
			n = 1
			break
		}
		if src := e.b[i:e.stop]; len(src) >= len(e.block) {
			if word := binary.LittleEndian.Uint64(src); word&0x8080808080808080 == 0 { // as many of one byte
				for k := range e.block {
					e.block[k] = word & 0xff
					word >>= 8
				}
				n = len(e.block)
				i += n
				break
			}
		}
		n, i = wire.ReadRun(e.block[:], e.b[:e.stop], i)
	case wire.Fixed32Type:
		if src := e.b[i:]; len(src) >= 4 {
			n = min(max(int(e.stop-e.i)>>2, 1), len(e.block), len(src)>>2)
			if n == len(e.block) {
				all := (*[4 * len(e.block)]byte)(src)
				for k := range e.block {
					e.block[k] = uint64(binary.LittleEndian.Uint32(all[4*k:]))
				}
				i += len(all)
				break
			}
			for k := range e.block[:n] {
				e.block[k] = uint64(binary.LittleEndian.Uint32(src))
				src = src[4:]
			}
			i += 4 * n
		}
	default:
		if src := e.b[i:]; len(src) >= 8 {
			n = min(max(int(e.stop-e.i)>>3, 1), len(e.block), len(src)>>3)
			if n == len(e.block) {
				all := (*[8 * len(e.block)]byte)(src)
				for k := range e.block {
					e.block[k] = binary.LittleEndian.Uint64(all[8*k:])
				}
				i += len(all)
				break
			}
			for k := range e.block[:n] {
				e.block[k] = binary.LittleEndian.Uint64(src)
				src = src[8:]
			}
			i += 8 * n
		}
	}
	// A damaged record ends the list.
	if i < 0 || n == 0 {
		e.i, e.stop, e.end = 0, 0, 0
		return false
	}
	e.i, e.n, e.at = uint32(i), uint8(n), 1
	return true
}

// current returns the current element.
func (e *Elems) current() uint64 { return e.block[(e.at-1)&7] }

// record moves to the field's next record that has an element.
func (e *Elems) record() bool {
	for e.i < e.end {
		tag, at := wire.ReadTag(e.b[:e.end], int(e.i))
		switch {
		case at < 0:
			e.end = 0
			return false
		case tag == wire.MakeTag(e.number, e.t):
			e.i, e.stop = uint32(at), uint32(at)+1 // read exactly one element
			return true
		case tag == wire.MakeTag(e.number, wire.BytesType):
			start, stop := wire.ReadBytes(e.b[:e.end], at)
			if stop < 0 {
				e.end = 0
				return false
			}
			e.i, e.stop = uint32(start), uint32(stop)
			if start < stop {
				return true
			}
		default:
			if e.i = skipRecord(e.b, e.i, e.end); e.i == 0 {
				e.end = 0
				return false
			}
		}
	}
	return false
}

// seek skips n elements: in one step within a packed record of fixed-width elements, else one by one.
func (e *Elems) seek(n int) bool {
	width := 0
	switch e.t {
	case wire.Fixed32Type:
		width = 4
	case wire.Fixed64Type:
		width = 8
	}
	for n > 0 {
		if e.at < e.n {
			k := min(n, int(e.n-e.at))
			e.at += uint8(k)
			n -= k
			continue
		}
		if e.i >= e.stop && !e.record() {
			return false
		}
		if width > 0 && int(e.stop-e.i) >= width {
			k := min(n, int(e.stop-e.i)/width)
			e.i += uint32(k * width)
			n -= k
			continue
		}
		if !e.Next() {
			return false
		}
		n--
	}
	return true
}

// nth reads the element n places further on, or returns 0.
func (e Elems) nth(n int) uint64 {
	if n < 0 || !e.seek(n) || !e.Next() {
		return 0
	}
	return e.current()
}

// The typed iterators are values: a copy keeps the position.
type (
	Int32Iter          struct{ Elems } // int32, sfixed32
	Int64Iter          struct{ Elems } // int64, sfixed64
	Uint32Iter         struct{ Elems } // uint32, fixed32
	Uint64Iter         struct{ Elems } // uint64, fixed64
	Sint32Iter         struct{ Elems } // sint32: zigzag
	Sint64Iter         struct{ Elems } // sint64: zigzag
	FloatIter          struct{ Elems }
	DoubleIter         struct{ Elems }
	BoolIter           struct{ Elems }
	EnumIter[E ~int32] struct {
		Elems
		closed *wire.EnumTable
	}
)

// Value returns the current element.
func (e *Int32Iter) Value() int32 { return int32(e.current()) }

// Value returns the current element.
func (e *Int64Iter) Value() int64 { return int64(e.current()) }

// Value returns the current element.
func (e *Uint32Iter) Value() uint32 { return uint32(e.current()) }

// Value returns the current element.
func (e *Uint64Iter) Value() uint64 { return e.current() }

// Value returns the current element.
func (e *Sint32Iter) Value() int32 { return wire.DecodeZigzag32(e.current()) }

// Value returns the current element.
func (e *Sint64Iter) Value() int64 { return wire.DecodeZigzag(e.current()) }

// Value returns the current element.
func (e *FloatIter) Value() float32 { return math.Float32frombits(uint32(e.current())) }

// Value returns the current element.
func (e *DoubleIter) Value() float64 { return math.Float64frombits(e.current()) }

// Value returns the current element.
func (e *BoolIter) Value() bool { return e.current() != 0 }

// Value returns the current element.
func (e *EnumIter[E]) Value() E { return E(int32(e.current())) }

// Nth walks to the element n places further on, and returns it, or 0 if there is none.
func (e Int32Iter) Nth(n int) int32 { return int32(e.nth(n)) }

// Nth walks to the element n places further on, and returns it, or 0 if there is none.
func (e Int64Iter) Nth(n int) int64 { return int64(e.nth(n)) }

// Nth walks to the element n places further on, and returns it, or 0 if there is none.
func (e Uint32Iter) Nth(n int) uint32 { return uint32(e.nth(n)) }

// Nth walks to the element n places further on, and returns it, or 0 if there is none.
func (e Uint64Iter) Nth(n int) uint64 { return e.nth(n) }

// Nth walks to the element n places further on, and returns it, or 0 if there is none.
func (e Sint32Iter) Nth(n int) int32 { return wire.DecodeZigzag32(e.nth(n)) }

// Nth walks to the element n places further on, and returns it, or 0 if there is none.
func (e Sint64Iter) Nth(n int) int64 { return wire.DecodeZigzag(e.nth(n)) }

// Nth walks to the element n places further on, and returns it, or 0 if there is none.
func (e FloatIter) Nth(n int) float32 { return math.Float32frombits(uint32(e.nth(n))) }

// Nth walks to the element n places further on, and returns it, or 0 if there is none.
func (e DoubleIter) Nth(n int) float64 { return math.Float64frombits(e.nth(n)) }

// At returns the element n places further on, or false if there is none.
func (e BoolIter) Nth(n int) bool { return e.nth(n) != 0 }

// Enums returns the iterator of an enum field; closed lists the values of a closed enum.
func Enums[E ~int32](e Elems, closed *wire.EnumTable) EnumIter[E] {
	return EnumIter[E]{e, closed}
}

// ScanClosed checks the packed record between start and stop, whose payload starts at from, and counts the values
// that the closed enum defines. The other values are unknown fields.
func (r *Raw) ScanClosed(start, from, stop int, closed *wire.EnumTable) (known int, ok bool) {
	unknown := false
	for i := from; i < stop; {
		var v uint64
		if v, i = wire.ReadVarint(r.b[:stop], i); i < 0 {
			return 0, false
		}
		if closed.Has(int32(v)) {
			known++
		} else {
			unknown = true
		}
	}
	if unknown {
		r.KeepUnknown(start, stop)
	}
	return known, true
}

// Next moves to the next element, skipping values that a closed enum does not define.
func (e *EnumIter[E]) Next() bool {
	for e.Elems.Next() {
		if e.closed == nil || e.closed.Has(int32(e.current())) {
			return true
		}
	}
	return false
}

// Nth walks to the element n places further on, and returns it, or 0 if there is none.
func (e EnumIter[E]) Nth(n int) E {
	if e.closed == nil {
		return E(int32(e.nth(n)))
	}
	for ; n >= 0; n-- {
		if !e.Next() {
			return 0
		}
	}
	return e.Value()
}

// payloads walks the records of a repeated string or bytes field.
type payloads struct {
	b       []byte
	i, end  uint32
	current Span
	tag     wire.Tag
}

// Next moves to the next element and reports whether there is one.
func (p *payloads) Next() bool {
	for p.i < p.end {
		if b := p.b[p.i:p.end]; len(b) >= 2 && wire.Tag(b[0]) == p.tag && (b[0]|b[1]) < 0x80 && int(b[1]) <= len(b)-2 {
			p.current = Span{p.i + 2, uint32(b[1])} // a tag and a length of one byte each
			p.i += 2 + uint32(b[1])
			return true
		}
		start, stop, next := record(p.b, p.i, p.end, p.tag, 0)
		if next != 0 {
			p.i, p.current = next, Span{start, stop - start}
			return true
		}
		if p.i = skipRecord(p.b, p.i, p.end); p.i == 0 {
			p.end = 0
		}
	}
	p.current = Span{}
	return false
}

func (p *payloads) to(n int) {
	for ; n >= 0; n-- {
		if !p.Next() {
			return
		}
	}
}

// StringIter iterates over a repeated string field. The strings are borrowed.
type StringIter struct{ payloads }

// BytesIter iterates over a repeated bytes field. The slices are borrowed.
type BytesIter struct{ payloads }

// Strings iterates over the strings of a field.
func (r *Raw) Strings(run Run, number uint32) StringIter {
	if debug {
		r.check(r.b)
	}
	return StringIter{payloads{b: r.b, i: run.first, end: run.end, tag: wire.MakeTag(number, wire.BytesType)}}
}

// ByteSlices iterates over the byte slices of a field.
func (r *Raw) ByteSlices(run Run, number uint32) BytesIter {
	return BytesIter{r.Strings(run, number).payloads}
}

// Value returns the current element.
func (p *StringIter) Value() string { return borrow(p.b, p.current.at, p.current.n) }

// Value returns the current element.
func (p *BytesIter) Value() []byte {
	c := p.current
	return p.b[c.at : c.at+c.n : c.at+c.n]
}

// Nth walks to the element n places further on, and returns it, or "" if there is none.
func (p StringIter) Nth(n int) string {
	p.current = Span{}
	p.to(n)
	return p.Value()
}

// Nth walks to the element n places further on, and returns it, or an empty slice if there is none.
func (p BytesIter) Nth(n int) []byte {
	p.current = Span{}
	p.to(n)
	return p.Value()
}
