package schema

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/hotpb/hotpb/go/wire"
)

// templatePlan is a flat list of what to do for each record.
type templatePlan struct {
	ops      []templateOp
	room     int // what usual writes at most, and a store behind that
	least    int // how many bytes a record has at least
	variable bool
	uptimes  bool  // some ops are templateUptime
	gaps     []int // bytes before each field of variable length, from the start or the end of the last of them
}

// templateOp reads one field and writes one column; of variable length, it reads one field and has an op for
// each column.
type templateOp struct {
	tag    uint64 // its bytes, the first one lowest; of an IP the length, too
	limit  uint64 // larger values are not usual
	offset uint32 // of the field, from the start of the record or the end of the last field of variable length
	length uint16 // of the field
	load   templateLoad
	size   uint8 // of tag
	always bool  // zero is written
	*templateColumn
}

// templateColumn is what an op needs where the value is not usual.
type templateColumn struct {
	op     *op
	shape  shape
	time   TimeEncoding
	fills  []*templateOp   // of a field of variable length
	choice []templatePlace // of an address that several fields may have: the first that is not all zeros
}

// templatePlace is where a field is.
type templatePlace struct {
	variable int // fields of variable length before it
	offset   int // from the end of the last of these
	length   uint16
}

// templateLoad says what a field is and what is written of it.
type templateLoad uint8

const (
	templateUint8 templateLoad = iota // numbers that become varints
	templateUint16
	templateUint24
	templateUint32
	templateUint48
	templateUint64
	templateIPv4
	templateIPv6
	templateUptime // milliseconds since the exporter was started, of 32 bits, that become a varint of milliseconds

	templateOther    // what templateColumn says
	templateVariable // a field whose length stands before it
)

// maxRecord is how long a data record can be: a message of NetFlow or IPFIX has no more bytes.
const maxRecord = 65535

// BindTemplate binds the plan to an input template. A template that cannot be is refused with the field and the
// reason: without bytes, with more than a message has, with a length that its column's type does not have. An
// error tells of all; each part is an *Error, InvalidSchema.
func (p *Plan) BindTemplate(fields []TemplateField) (*Template, error) {
	t, refused, err := p.BindFitting(fields)
	if err == nil && len(refused) > 0 {
		return nil, errors.Join(refused...)
	}
	return t, err
}

// BindFitting is BindTemplate for templates of strangers: a field that cannot fill a column is passed over and told, each as
// an *Error, and the column is filled from the next of its sources, if the template has that.
func (p *Plan) BindFitting(fields []TemplateField) (t *Template, refused []error, err error) {
	if p.isEmpty() {
		return nil, nil, errNoPlan()
	}
	least, variable := 0, false
	for _, f := range fields {
		if f.Length == VariableLength {
			variable = true
			least++
		} else {
			least += int(f.Length)
		}
	}
	reason := ""
	switch {
	case len(fields) > maxRecord/4:
		reason = fmt.Sprintf("%d fields are more than a message has", len(fields))
	case least == 0:
		reason = "its records have no bytes"
	case least > maxRecord:
		reason = fmt.Sprintf("its records have %d bytes, more than a message", least)
	}
	if reason != "" {
		return nil, nil, &Error{wire.InvalidSchema, "template", reason}
	}
	b := templateBinder{plan: p, fields: fields, filled: make([][]templateFill, len(fields))}
	b.fill()
	t = &Template{plan: p, misfits: make([]atomic.Uint64, len(p.ops))}
	t.direct = b.bind(false)
	t.kept = b.bind(true)
	for _, m := range []*templatePlan{t.direct, t.kept} {
		m.least, m.variable = least, variable
	}
	return t, b.wrong, nil
}

type templateBinder struct {
	plan   *Plan
	fields []TemplateField
	filled [][]templateFill // by field
	wrong  []error
}

// templateFill is a column that a field fills; or an address that several fields may have, this one being the last of
// them in the record.
type templateFill struct {
	*Column
	choice []int // fields, in the order of the sources
}

// fill finds the field for each column.
func (b *templateBinder) fill() {
	places := map[Source]int{}
	for i, f := range b.fields {
		if _, ok := places[Source{f.Enterprise, f.Element}]; !ok {
			places[Source{f.Enterprise, f.Element}] = i
		}
	}
	for _, c := range b.plan.messages[0].columns {
		var fit []int
		for _, source := range c.Sources {
			i, ok := places[source]
			if !ok {
				continue
			}
			reason := unfit(c, b.fields[i])
			if reason == "" {
				fit = append(fit, i)
				if c.shape() != shapeIP {
					break
				}
				continue
			}
			where := fmt.Sprintf("template: field %d, element %d", i, source.Element)
			if source.Enterprise != 0 {
				where += fmt.Sprintf(" of enterprise %d", source.Enterprise)
			}
			b.wrong = append(b.wrong, &Error{wire.InvalidSchema, where, fmt.Sprintf("%s (column %s)", reason, c.Name)})
		}
		switch {
		case len(fit) == 1:
			b.filled[fit[0]] = append(b.filled[fit[0]], templateFill{c, nil})
		case len(fit) > 1:
			last := slices.Max(fit)
			b.filled[last] = append(b.filled[last], templateFill{c, fit})
		}
	}
}

// unfit tells why a field cannot fill a column.
func unfit(c *Column, f TemplateField) string {
	n := int(f.Length)
	variable := n == VariableLength
	if c.Repeated {
		return "a template fills no repeated column"
	}
	switch s := c.shape(); s {
	case shapeString, shapeBytes:
		return ""
	case shapeMessage:
		return "a template fills no message"
	case shapeIP:
		if n != 4 && n != 16 && !variable {
			return fmt.Sprintf("an address has 4 or 16 bytes, not %d", n)
		}
	case shapeMAC:
		if n != 6 && n != 8 && !variable {
			return fmt.Sprintf("a hardware address has 6 bytes, not %d", n)
		}
	case shapeFloat:
		if n != 4 && n != 8 && !variable {
			return fmt.Sprintf("a floating point number has 4 or 8 bytes, not %d", n)
		}
	case shapeTime:
		wants := 0
		switch timeEncoding(c, f) {
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

// timeEncoding is how a field has a time or a span.
func timeEncoding(c *Column, f TemplateField) TimeEncoding {
	if f.Time != TimeOfElement {
		return f.Time
	}
	if f.Enterprise == 0 {
		switch f.Element {
		case 21, 22:
			return UptimeMillis
		case 150, 151, 322:
			return UnixSeconds
		case 152, 153, 160, 258, 323, 161: // the last a span
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

// bind makes the list of ops: in the order of the fields, as their lengths may vary.
func (b *templateBinder) bind(keep bool) *templatePlan {
	m := &templatePlan{room: slack}
	offset := 0
	places := make([]templatePlace, len(b.fields))
	for i, f := range b.fields {
		places[i] = templatePlace{len(m.gaps), offset, f.Length}
		var ops []*templateOp
		for _, c := range b.filled[i] {
			o := b.op(c.Column, f, keep)
			if len(c.choice) > 0 {
				o.load = templateOther
				for _, field := range c.choice {
					o.choice = append(o.choice, places[field])
				}
			}
			ops = append(ops, o)
		}
		if f.Length == VariableLength {
			m.ops = append(m.ops, templateOp{
				load: templateVariable, offset: uint32(offset), templateColumn: &templateColumn{fills: ops},
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
			m.uptimes = m.uptimes || o.load == templateUptime
			m.room += 5 + 1 + 16
		}
		offset += int(f.Length)
	}
	if !slices.ContainsFunc(m.ops, func(o templateOp) bool { return o.load == templateVariable }) {
		slices.SortStableFunc(m.ops, func(a, b templateOp) int { return int(a.op.column.Number) - int(b.op.column.Number) })
	}
	return m
}

func (b *templateBinder) op(c *Column, f TemplateField, keep bool) *templateOp {
	o := &b.plan.ops[c.index]
	t := &templateOp{
		load: templateOther, length: f.Length, always: o.zero, tag: o.tag, size: o.size,
		templateColumn: &templateColumn{op: o, shape: c.shape()},
	}
	if t.shape == shapeTime || t.shape == shapeDuration {
		t.time = timeEncoding(c, f)
	}
	if keep && o.slow() {
		return t
	}
	switch t.shape {
	case shapeUint, shapeEnum, shapeMAC:
		if o.kind.Type() != wire.VarintType || c.Enum != nil && c.Enum.Closed {
			return t
		}
		if load := numberLoad(f.Length); load != templateOther {
			t.load, t.limit = load, min(o.max, 1<<56-1)
		}
	case shapeTime:
		isVarint := o.kind == wire.Uint64 || o.kind == wire.Int64
		switch {
		case !isVarint || c.Unit == WellKnown:
		case t.time == UptimeMillis && c.Unit == Millis && f.Length == 4:
			t.load, t.limit = templateUptime, 1<<56-1
		case t.time == UnixSeconds+TimeEncoding(c.Unit): // in the column's own unit
			t.load, t.limit = numberLoad(f.Length), 1<<56-1
		}
	case shapeIP:
		switch f.Length {
		case 4:
			t.load = templateIPv4
		case 16:
			t.load = templateIPv6
		}
		t.tag |= 16 << (8 * o.size) // the length goes with the tag
		t.size++
	}
	return t
}

// numberLoad is how a number of so many bytes is read.
func numberLoad(length uint16) templateLoad {
	switch length {
	case 1:
		return templateUint8
	case 2:
		return templateUint16
	case 3:
		return templateUint24
	case 4:
		return templateUint32
	case 6:
		return templateUint48
	case 8:
		return templateUint64
	}
	return templateOther
}
