package template

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
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
	size   uint8  // of tag
	always bool   // zero is written
	skip   uint16 // loadFirst: the ops of the other candidates, which follow
	*column
}

// column has the needs of an op if the value is not usual.
type column struct {
	plan.Op
	nth    int // of the root's columns
	time   TimeEncoding
	fills  []*op   // of a field of variable length
	choice []place // of the candidates, if none has an op of its own; for lists see list
	each   []*op   // how each candidate is written, if the column is no list
}

// place is the position of a field.
type place struct {
	variable int // fields of variable length before it
	offset   int // from the end of the last of these
	length   uint16
	each     uint16 // Field.Each
	octet    uint8  // View.Octet
	label    bool   // an entry of a stack of MPLS labels, for a list
}

// load is the kind of a field and the way to write it.
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
	loadFirst  // a number that becomes a varint, unless it is zero: then the next op has another candidate

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
	return BindNamed(p, fields, Names{})
}

// Names are changes to the names of a template's fields: records are read as if their fields were of other elements.
type Names struct {
	Hidden []int  // fields that do not have the name of their own element
	Views  []View // further names, after those of fields
	// Skip reports whether a source does not count for a column. It may be nil.
	Skip func(c *schema.Column, s schema.Source) bool
}

// View is a field, or an octet of it, under another name.
type View struct {
	Field  int
	Octet  uint8 // 1 for the low octet of a number of 16 bits, 2 for the high one; 0 for the whole field
	Source schema.Source
}

// BindNamed is BindFitting with other names of fields.
func BindNamed(p *schema.Plan, fields []Field, n Names) (t *Template, refused []error, err error) {
	return bindNamed(p, fields, n, nil)
}

// Variant binds the template's plan to the same fields with other names. It shares memory and the counters of misfits
// with t. Fields that cannot fill a column are skipped.
func (t *Template) Variant(fields []Field, n Names) (*Template, error) {
	if !t.made() {
		return nil, errUnmade()
	}
	v, _, err := bindNamed(t.plan, fields, n, t)
	return v, err
}

func bindNamed(p *schema.Plan, fields []Field, names Names, base *Template) (t *Template, refused []error, err error) {
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
	b := binder{
		defined: p.Columns(p.Root()), fields: fields, names: names, variable: variable, filled: make([][]fill, len(fields)),
	}
	t = &Template{plan: p}
	columns, handles := p.Bridge().Columns()
	b.columns, t.handles = columns, handles.([]schema.Handle)
	if base == nil {
		t.misfits = &misfits{counts: make([]atomic.Uint64, len(b.columns))}
	} else {
		t.misfits = base.misfits
	}
	b.fill()
	if base != nil {
		t.handles, t.direct = base.handles, b.bind(false, base.direct)
	} else {
		t.direct = b.bind(false, nil)
	}
	t.kept = b.bind(true, t.direct)
	for _, m := range []*layout{t.direct, t.kept} {
		m.least, m.variable = least, variable
	}
	return t, b.wrong, nil
}

func invalid(where, reason string) error {
	return &schema.Error{Code: wire.InvalidSchema, Where: where, Reason: reason}
}

type binder struct {
	defined  []schema.Column // of the root
	columns  []*plan.Op      // the same
	fields   []Field
	names    Names
	variable bool     // there are fields of variable length
	filled   [][]fill // by field
	wrong    []error
}

// candidate is a field that may fill a column.
type candidate struct {
	field int
	octet uint8
}

// fill is a column that a field fills. If several fields may fill it, the field is the last of them in the record.
type fill struct {
	nth        int         // of the root's columns
	candidates []candidate // in the order of the sources; for lists arrays first
}

// places returns the fields of each element that are not arrays, and those that are.
func (b *binder) places() (places map[schema.Source][]candidate, arrays map[schema.Source]int) {
	places, arrays = map[schema.Source][]candidate{}, map[schema.Source]int{}
	for i, f := range b.fields {
		source := schema.Source{Enterprise: f.Enterprise, Element: f.Element}
		if slices.Contains(b.names.Hidden, i) {
			continue
		}
		if _, ok := arrays[source]; !ok && f.Each != 0 {
			arrays[source] = i
		}
		if f.Each == 0 && len(places[source]) == 0 {
			places[source] = append(places[source], candidate{field: i})
		}
	}
	for _, v := range b.names.Views {
		if v.Octet <= 1 || b.fields[v.Field].Length > 1 { // else the octet is zero
			places[v.Source] = append(places[v.Source], candidate{v.Field, v.Octet})
		}
	}
	return places, arrays
}

// fill finds the fields for each column.
func (b *binder) fill() {
	places, arrays := b.places()
	for nth := range b.columns {
		c, encoded := &b.defined[nth], b.columns[nth].Column
		if c.Repeated {
			b.fillList(nth, arrays, places)
			continue
		}
		var fit []candidate
		for _, source := range c.Sources {
			if b.names.Skip != nil && b.names.Skip(c, source) {
				continue
			}
			if i, ok := arrays[source]; ok && len(places[source]) == 0 {
				b.refuse(i, source, c, "an array fills a repeated column only")
			}
			for _, from := range places[source] {
				reason := unfit(encoded, b.fieldOf(from))
				switch {
				case reason != "":
					b.refuse(from.field, source, c, reason)
				case b.fields[from.field].Length == 0: // there is nothing to read, nor a place to read it from
				case !slices.Contains(fit, from):
					fit = append(fit, from)
				}
			}
			if c.CountZero && len(fit) > 0 {
				fit = fit[:1]
				break
			}
		}
		b.add(nth, fit)
	}
}

// add makes a column one that is filled from some fields.
func (b *binder) add(nth int, from []candidate) {
	if len(from) == 0 {
		return
	}
	last := slices.MaxFunc(from, func(a, b candidate) int { return a.field - b.field }).field
	b.filled[last] = append(b.filled[last], fill{nth, from})
}

// fieldOf returns the field of a candidate, or one of its octet.
func (b *binder) fieldOf(c candidate) Field {
	f := b.fields[c.field]
	if c.octet > 0 {
		f.Length = 1
	}
	return f
}

func (b *binder) refuse(field int, source schema.Source, c *schema.Column, reason string) {
	where := fmt.Sprintf("template: field %d, element %d", field, source.Element)
	if source.Enterprise != 0 {
		where += fmt.Sprintf(" of enterprise %d", source.Enterprise)
	}
	b.wrong = append(b.wrong, invalid(where, fmt.Sprintf("%s (column %s)", reason, c.Name)))
}

// unfit returns the reason why a field cannot fill a column.
func unfit(encoded *plan.Column, f Field) string {
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
		case UnixSeconds:
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
func timeEncoding(c *plan.Column, f Field) TimeEncoding {
	if f.Time != TimeOfElement {
		return f.Time
	}
	if f.Enterprise == 0 {
		switch f.Element {
		case 21, 22:
			return UptimeMillis
		case 150, 151, 260, 261, 264, 265, 322:
			return UnixSeconds
		case 152, 153, 160, 258, 269, 272, 323, 359, 360, 161: // the last is a duration
			return UnixMillis
		case 154, 155, 268, 271, 324:
			return NTPMicros
		case 156, 157, 270, 273, 325:
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
func (b *binder) bind(keep bool, base *layout) *layout {
	m := &layout{room: encode.Slack}
	places := make([]place, len(b.fields))
	offset := 0
	for i, f := range b.fields {
		places[i] = place{variable: len(m.gaps), offset: offset, length: f.Length, each: f.Each, label: isLabel(f)}
		offset += int(f.Length)
		if f.Length == VariableLength {
			m.gaps = append(m.gaps, places[i].offset)
			offset = 0
		}
	}
	for i, f := range b.fields {
		var ops []op
		for _, c := range b.filled[i] {
			ops = append(ops, b.ops(c, keep, places)...)
		}
		if f.Length == VariableLength {
			fills := make([]*op, len(ops))
			for j := range ops {
				fills[j] = &ops[j]
			}
			m.ops = append(m.ops, op{load: loadVariable, offset: uint32(places[i].offset), column: &column{fills: fills}})
			continue
		}
		for _, o := range ops {
			m.uptimes = m.uptimes || o.load == loadUptime
			m.room += 5 + 1 + 16
		}
		m.ops = append(m.ops, ops...)
	}
	if !b.variable {
		slices.SortStableFunc(m.ops, func(a, b op) int { return a.nth - b.nth })
	}
	if base != nil {
		m.share(base)
	}
	m.ops = slices.Clip(m.ops)
	return m
}

// share makes ops use the columns of another layout's ops where they are equal.
func (m *layout) share(source *layout) {
	columns := map[int]*column{}
	each := func(m *layout, do func(o *op)) {
		for i := range m.ops {
			o := &m.ops[i]
			if o.load != loadVariable {
				do(o)
				continue
			}
			for _, o := range o.fills {
				do(o)
			}
		}
	}
	each(source, func(o *op) {
		if o.choice == nil {
			columns[o.nth] = o.column
		}
	})
	each(m, func(o *op) {
		if c := columns[o.nth]; c != nil && o.choice == nil && c.time == o.time {
			o.column = c
		}
	})
}

// ops returns the op of a column, or one for each candidate.
func (b *binder) ops(c fill, keep bool, places []place) []op {
	all := make([]*op, len(c.candidates))
	direct := !b.columns[c.nth].Column.Repeated
	for i, from := range c.candidates {
		f, at := b.fieldOf(from), places[from.field]
		o := b.op(c.nth, f, keep)
		o.offset = uint32(at.offset)
		if from.octet > 0 {
			o.offset += uint32(at.length) - uint32(from.octet)
			direct = direct && at.length <= 2
		}
		if i < len(all)-1 {
			direct = direct && o.load <= loadUint64
		}
		if i > 0 {
			direct = direct && !o.relative()
			if o.time == all[i-1].time {
				o.column = all[i-1].column
			}
		}
		all[i] = o
	}
	if direct && len(all) == 1 {
		return []op{*all[0]}
	}
	if direct && !b.variable {
		list := make([]op, len(all))
		for i, o := range all {
			list[i] = *o
			if i < len(all)-1 {
				list[i].load, list[i].skip, list[i].always = loadFirst, uint16(len(all)-1-i), false
			}
		}
		return list
	}
	o := *all[0]
	o.load, o.column = loadOther, &column{Op: *b.columns[c.nth], nth: c.nth, each: all}
	o.offset, o.length = 0, 0
	for _, from := range c.candidates {
		p := places[from.field]
		p.octet = from.octet
		o.choice = append(o.choice, p)
	}
	return []op{o}
}

func (b *binder) op(nth int, f Field, keep bool) *op {
	o, c := b.columns[nth], b.columns[nth].Column
	t := &op{
		load: loadOther, length: f.Length, always: o.Zero, tag: o.Tag, size: o.Size,
		column: &column{Op: *o, nth: nth},
	}
	if c.Shape == encode.ShapeTime || c.Shape == encode.ShapeDuration {
		t.time = timeEncoding(c, f)
	}
	if c.Repeated || keep && o.Slow() {
		return t
	}
	switch c.Shape {
	case encode.ShapeUint, encode.ShapeEnum, encode.ShapeMAC:
		if c.Kind.Type() != wire.VarintType || c.Closed != nil {
			return t
		}
		if load := numberLoad(f.Length); load != loadOther {
			t.load, t.limit = load, min(o.Max, 1<<56-1)
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
		t.tag |= 16 << (8 * o.Size) // the length is stored with the tag
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
