package template

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"unicode/utf8"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
)

// fillList finds the fields for a repeated column: arrays, and then numbers.
func (b *binder) fillList(nth int, arrays map[schema.Source]int, numbers map[schema.Source][]candidate) {
	c := &b.defined[nth]
	var fit []candidate
	take := func(source schema.Source, from candidate) {
		if reason := unfitList(b.columns[nth].Column, b.fieldOf(from)); reason != "" {
			b.refuse(from.field, source, c, reason)
		} else {
			fit = append(fit, from)
		}
	}
	for _, source := range c.Sources {
		if i, ok := arrays[source]; ok {
			take(source, candidate{field: i})
		}
	}
	for _, source := range c.Sources {
		if b.names.Skip == nil || !b.names.Skip(c, source) {
			for _, from := range numbers[source] {
				take(source, from)
			}
		}
	}
	b.add(nth, fit)
}

// unfitList returns the reason why a field cannot fill a repeated column.
func unfitList(c *plan.Column, f Field) string {
	if c.Shape > encode.ShapeBytes && c.Shape != encode.ShapeIP {
		return "a template can fill a list of numbers, texts, bytes or addresses only"
	}
	if f.Each == 0 {
		if isLabel(f) && isNumber(c.Shape) && f.Length != labelSize && f.Length != VariableLength {
			return fmt.Sprintf("an entry of a stack of labels has %d bytes, not %d", labelSize, f.Length)
		}
		return unfit(c, f)
	}
	if f.Length == 0 {
		return "an array of no bytes has no elements"
	}
	f.Length, f.Each = f.Each, 0
	return unfit(c, f)
}

func isNumber(s encode.Shape) bool { return s <= encode.ShapeEnum }

// labelSize is the size of an entry of a stack of MPLS labels: the label, its class, and whether it is the last one.
const labelSize = 3

func isLabel(f Field) bool {
	return f.Enterprise == 0 && f.Element >= 70 && f.Element <= 79 && f.Each == 0
}

// list writes a repeated column: the elements of the first array that has any; without one, each field that is not
// zero. A record that has the column keeps it.
func (m *layout) list(x *run, o *op, b []byte, n int, data []byte, at int) ([]byte, int) {
	r := x.record
	if r != nil && r.Has(&o.Op) {
		return b, n
	}
	b = encode.WithRoom(b, n, encode.Slack)
	before, start := n, n
	if o.Packed {
		start = o.Put(b, n) + 1 // for the length, if it is short
		n = start
	}
	for _, p := range o.choice {
		field := m.field(p, data, at)
		if p.octet > 0 {
			field = x.octet(o.column, field, int(p.octet))
		}
		if p.each != 0 {
			if b, n = x.array(o, b, n, field, p.each); n > start {
				break
			}
			continue
		}
		if zeros(field) {
			continue
		}
		if !p.label || !isNumber(o.Column.Shape) {
			b, n = x.element(o, b, n, field)
			continue
		}
		if len(field) != labelSize {
			x.misfit(o.column, "is not an entry of a stack of labels")
			continue
		}
		var label [4]byte
		binary.BigEndian.PutUint32(label[:], (uint32(field[0])<<16|uint32(field[1])<<8|uint32(field[2]))>>4)
		b, n = x.element(o, b, n, label[:])
		if field[2]&1 != 0 { // the bottom of the stack
			break
		}
	}
	switch {
	case n == start:
		return b, before
	case o.Packed:
		size := uint64(n - start)
		if more := wire.SizeVarint(size) - 1; more > 0 {
			b = encode.WithRoom(b, n, more)
			copy(b[start+more:], b[start:n])
			n += more
		}
		encode.PutVarint(b, start-1, size)
	}
	if r != nil {
		r.Set(&o.Op)
	}
	return b, n
}

// array writes the elements of a field, zeros too. The rest of an array that ends within an element is a misfit.
func (x *run) array(o *op, b []byte, n int, field []byte, each uint16) ([]byte, int) {
	for len(field) > 0 {
		size, prefix := int(each), 0
		if each == VariableLength {
			size, prefix = variableLength(field)
		}
		if len(field) < prefix+size {
			x.misfit(o.column, "is an array that ends within an element")
			break
		}
		b, n = x.element(o, b, n, field[prefix:prefix+size])
		field = field[prefix+size:]
	}
	return b, n
}

// element writes an element of a list.
func (x *run) element(o *op, b []byte, n int, field []byte) ([]byte, int) {
	switch o.Column.Shape {
	case encode.ShapeString:
		if field = bytes.TrimRight(field, "\x00"); o.UTF8 && !utf8.Valid(field) {
			x.misfit(o.column, "is not UTF-8")
			return b, n
		}
		return x.text(o, b, n, field)
	case encode.ShapeBytes:
		return x.text(o, b, n, field)
	case encode.ShapeIP:
		address, ok := netip.AddrFromSlice(field)
		if !ok {
			x.misfit(o.column, "is not an IP: it has neither 4 nor 16 bytes")
			return b, n
		}
		sixteen := address.As16()
		return x.text(o, b, n, sixteen[:])
	}
	v, _, ok := x.number(o, field)
	if !ok {
		return b, n
	}
	b = encode.WithRoom(b, n, encode.Slack)
	if !o.Packed {
		n = o.Put(b, n)
	}
	return b, encode.PutNumber(b, n, o.Kind, encode.Signed(o.Kind, int64(v)))
}

// text writes an element that has a length.
func (x *run) text(o *op, b []byte, n int, field []byte) ([]byte, int) {
	b = encode.WithRoom(b, n, encode.Slack+len(field))
	n = encode.PutVarint(b, o.Put(b, n), uint64(len(field)))
	return b, n + copy(b[n:], field)
}

func zeros(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
