package template

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// layout is a flat list of operations for each record.
type layout struct {
	ops      []op
	room     int // the most bytes that usual writes, plus a store
	least    int // the smallest size of a record in bytes
	variable bool
	uptimes  bool  // some ops are loadUptime
	gaps     []int // bytes before each field of variable length, from the start or the end of the last of them
}

// op reads one field and writes one column. For a field of variable length, it reads one field and has an op for
// each column.
type op struct {
	tag    uint64 // its bytes, the first one lowest; for an IP also the length
	limit  uint64 // larger values are not usual
	offset uint32 // of the field, from the start of the record or the end of the last field of variable length
	length uint16 // of the field
	load   load
	size   uint8 // of tag
	always bool  // zero is written
	*column
}

// column has what an op needs if the value is not usual.
type column struct {
	encode.Column
	nth    int // of the root's columns
	time   TimeEncoding
	fills  []*op   // of a field of variable length
	choice []place // for an address that several fields may have: the first that is not all zeros; for lists see list
}

// place is the position of a field.
type place struct {
	variable int // fields of variable length before it
	offset   int // from the end of the last of these
	length   uint16
	each     uint16 // Field.Each
	label    bool   // an entry of a stack of MPLS labels, for a list
}

// load says what a field is and how it is written.
type load uint8

const (
	loadUint8 load = iota // numbers that become varints
	loadUint16
	loadUint24
	loadUint32
	loadUint48
	loadUint64
	loadIPv4
	loadIPv6
	loadUptime // milliseconds since the start of the exporter, in 32 bits, that become a varint of milliseconds

	loadOther    // see column
	loadVariable // a length-prefixed field
)

// maxRecord is the largest size of a data record: a message of NetFlow or IPFIX has no more bytes. The arrays that a caller
// appends to each record come on top of that.
const maxRecord = 65535

// Bind binds a plan to an input template. It refuses a template without bytes, with more bytes than a message has,
// or with a length that its column's type does not have. The error lists all such fields with the reasons; each
// part is a *schema.Error, InvalidSchema.
func Bind(p *schema.Plan, fields []Field) (*Template, error) {
	t, refused, err := BindFitting(p, fields)
	if err == nil && len(refused) > 0 {
		return nil, errors.Join(refused...)
	}
	return t, err
}

// BindFitting is Bind for untrusted templates. It skips a field that cannot fill a column and reports it as a
// *schema.Error. The column is then filled from the next of its sources that the template has.
func BindFitting(p *schema.Plan, fields []Field) (t *Template, refused []error, err error) {
	if p.Root() == "" {
		return nil, nil, invalid("", "the plan was not created by Compile")
	}
	least, arrays, variable := 0, 0, false
	for _, f := range fields {
		n := int(f.Length)
		if f.Length == VariableLength {
			variable = true
			n = 1
		}
		least += n
		if f.Each != 0 {
			arrays += n
		}
	}
	reason := ""
	switch {
	case len(fields) > maxRecord/4:
		reason = fmt.Sprintf("%d fields are more than a message has", len(fields))
	case least == 0:
		reason = "its records have no bytes"
	case least-arrays > maxRecord:
		reason = fmt.Sprintf("its records have %d bytes, more than a message", least)
	}
	if reason != "" {
		return nil, nil, invalid("template", reason)
	}
	b := binder{defined: p.Columns(p.Root()), fields: fields, filled: make([][]fill, len(fields))}
	t = &Template{plan: p}
	b.columns, t.handles = p.RootEncoding()
	t.misfits = make([]atomic.Uint64, len(b.columns))
	b.fill()
	t.direct = b.bind(false)
	t.kept = b.bind(true)
	for _, m := range []*layout{t.direct, t.kept} {
		m.least, m.variable = least, variable
	}
	return t, b.wrong, nil
}

func invalid(where, reason string) error {
	return &schema.Error{Code: wire.InvalidSchema, Where: where, Reason: reason}
}

type binder struct {
	defined []schema.Column // of the root
	columns []encode.Column // the same
	fields  []Field
	filled  [][]fill // by field
	wrong   []error
}

// fill is a column that a field fills. For an address that several fields may have, and for lists, the field is the
// last of them in the record.
type fill struct {
	nth    int   // of the root's columns
	choice []int // fields, in the order of the sources; for lists arrays first
}

// fill finds the field for each column.
func (b *binder) fill() {
	places := map[schema.Source]int{}
	arrays := map[schema.Source]int{}
	for i, f := range b.fields {
		in := places
		if f.Each != 0 {
			in = arrays
		}
		if _, ok := in[schema.Source{Enterprise: f.Enterprise, Element: f.Element}]; !ok {
			in[schema.Source{Enterprise: f.Enterprise, Element: f.Element}] = i
		}
	}
	for nth := range b.columns {
		c, encoded := &b.defined[nth], &b.columns[nth]
		if c.Repeated {
			b.fillList(nth, arrays, places)
			continue
		}
		var fit []int
		for _, source := range c.Sources {
			i, ok := places[source]
			if !ok {
				if i, ok := arrays[source]; ok {
					b.refuse(i, source, c, "an array fills a repeated column only")
				}
				continue
			}
			reason := unfit(encoded, b.fields[i])
			if reason == "" {
				fit = append(fit, i)
				if encoded.Shape != encode.ShapeIP {
					break
				}
				continue
			}
			b.refuse(i, source, c, reason)
		}
		switch {
		case len(fit) == 1:
			b.filled[fit[0]] = append(b.filled[fit[0]], fill{nth, nil})
		case len(fit) > 1:
			last := slices.Max(fit)
			b.filled[last] = append(b.filled[last], fill{nth, fit})
		}
	}
}

func (b *binder) refuse(field int, source schema.Source, c *schema.Column, reason string) {
	where := fmt.Sprintf("template: field %d, element %d", field, source.Element)
	if source.Enterprise != 0 {
		where += fmt.Sprintf(" of enterprise %d", source.Enterprise)
	}
	b.wrong = append(b.wrong, invalid(where, fmt.Sprintf("%s (column %s)", reason, c.Name)))
}

// unfit returns the reason why a field cannot fill a column.
func unfit(encoded *encode.Column, f Field) string {
	n := int(f.Length)
	variable := n == VariableLength
	switch encoded.Shape {
	case encode.ShapeString, encode.ShapeBytes:
		return ""
	case encode.ShapeMessage:
		return "a template cannot fill a message"
	case encode.ShapeIP:
		if n != 4 && n != 16 && !variable {
			return fmt.Sprintf("an address has 4 or 16 bytes, not %d", n)
		}
	case encode.ShapeMAC:
		if n != 6 && n != 8 && !variable {
			return fmt.Sprintf("a hardware address has 6 bytes, not %d", n)
		}
	case encode.ShapeFloat:
		if n != 4 && n != 8 && !variable {
			return fmt.Sprintf("a floating point number has 4 or 8 bytes, not %d", n)
		}
	case encode.ShapeTime:
		wants := 0
		switch timeEncoding(encoded, f) {
		case UnixSeconds, UptimeMillis, BeforeMicros:
			wants = 4
		case NTPMicros, NTPNanos:
			wants = 8
		}
		if wants != 0 && n != wants && !(wants == 4 && n == 8) && !variable {
			return fmt.Sprintf("a time of this encoding has %d bytes, not %d", wants, n)
		}
		fallthrough
	default:
		if (n == 0 || n > 8) && !variable {
			return fmt.Sprintf("a number has 1 to 8 bytes, not %d", n)
		}
	}
	return ""
}

// timeEncoding is how a field encodes a time or a duration.
func timeEncoding(c *encode.Column, f Field) TimeEncoding {
	if f.Time != TimeOfElement {
		return f.Time
	}
	if f.Enterprise == 0 {
		switch f.Element {
		case 21, 22:
			return UptimeMillis
		case 150, 151, 322:
			return UnixSeconds
		case 152, 153, 160, 258, 323, 161: // the last duration
			return UnixMillis
		case 154, 155, 324:
			return NTPMicros
		case 156, 157, 325:
			return NTPNanos
		case 158, 159:
			return BeforeMicros
		case 162: // a span
			return UnixMicros
		}
	}
	return [...]TimeEncoding{UnixSeconds, UnixMillis, UnixMicros, UnixNanos, UnixSeconds}[c.Unit]
}

// bind creates the list of ops, in the order of the fields, because their lengths may vary.
func (b *binder) bind(keep bool) *layout {
	m := &layout{room: encode.Slack}
	offset := 0
	places := make([]place, len(b.fields))
	for i, f := range b.fields {
		places[i] = place{
			variable: len(m.gaps), offset: offset, length: f.Length, each: f.Each, label: isLabel(f),
		}
		var ops []*op
		for _, c := range b.filled[i] {
			o := b.op(c.nth, f, keep)
			if len(c.choice) > 0 {
				o.load = loadOther
				for _, field := range c.choice {
					o.choice = append(o.choice, places[field])
				}
			}
			ops = append(ops, o)
		}
		if f.Length == VariableLength {
			m.ops = append(m.ops, op{
				load: loadVariable, offset: uint32(offset), column: &column{fills: ops},
			})
			m.gaps = append(m.gaps, offset)
			offset = 0
			continue
		}
		for _, o := range ops {
			if f.Length == 0 {
				break // there is nothing to read, nor a place to read it from
			}
			o.offset = uint32(offset)
			m.ops = append(m.ops, *o)
			m.uptimes = m.uptimes || o.load == loadUptime
			m.room += 5 + 1 + 16
		}
		offset += int(f.Length)
	}
	if !slices.ContainsFunc(m.ops, func(o op) bool { return o.load == loadVariable }) {
		slices.SortStableFunc(m.ops, func(a, b op) int { return a.nth - b.nth })
	}
	return m
}

func (b *binder) op(nth int, f Field, keep bool) *op {
	c := &b.columns[nth]
	t := &op{
		load: loadOther, length: f.Length, always: c.Zero, tag: c.Tag, size: c.Size,
		column: &column{Column: *c, nth: nth},
	}
	if c.Shape == encode.ShapeTime || c.Shape == encode.ShapeDuration {
		t.time = timeEncoding(c, f)
	}
	if c.Repeated || keep && (c.Keep || c.Later) {
		return t
	}
	switch c.Shape {
	case encode.ShapeUint, encode.ShapeEnum, encode.ShapeMAC:
		if c.Kind.Type() != wire.VarintType || c.Closed != nil {
			return t
		}
		if load := numberLoad(f.Length); load != loadOther {
			t.load, t.limit = load, min(c.Max, 1<<56-1)
		}
	case encode.ShapeTime:
		isVarint := c.Kind == wire.Uint64 || c.Kind == wire.Int64
		switch {
		case !isVarint || c.Unit == uint8(schema.WellKnown):
		case t.time == UptimeMillis && c.Unit == uint8(schema.Millis) && f.Length == 4:
			t.load, t.limit = loadUptime, 1<<56-1
		case t.time == UnixSeconds+TimeEncoding(c.Unit): // in the column's own unit
			t.load, t.limit = numberLoad(f.Length), 1<<56-1
		}
	case encode.ShapeIP:
		switch f.Length {
		case 4:
			t.load = loadIPv4
		case 16:
			t.load = loadIPv6
		}
		t.tag |= 16 << (8 * c.Size) // the length is stored with the tag
		t.size++
	}
	return t
}

// numberLoad is how a number of so many bytes is read.
func numberLoad(length uint16) load {
	switch length {
	case 1:
		return loadUint8
	case 2:
		return loadUint16
	case 3:
		return loadUint24
	case 4:
		return loadUint32
	case 6:
		return loadUint48
	case 8:
		return loadUint64
	}
	return loadOther
}
