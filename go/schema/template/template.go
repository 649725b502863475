// Package template encodes the data records of input templates (NetFlow v9, IPFIX) as messages of a plan, from
// bytes to bytes.
//
//	t, err := template.Bind(plan, []template.Field{{Element: 8, Length: 4}, {Element: 1, Length: 8}})
//	out, records, err = t.AppendSet(out, set, template.NetFlowClock(header.UnixSecs, header.SysUptime))
//
// A column names the fields that fill it: schema.From. The contract is go/rules.md, SCH-63 to SCH-65.
package template

import (
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/schema/internal/record"
	"github.com/hotpb/hotpb/go/wire"
)

// Template encodes data records of one input template as the root message of a plan. When it is created, it
// decides which field of the template fills which column, and how. It is immutable except for counters, and any
// number of goroutines may use it.
//
// For each record, a column is filled from the first of its Sources that is not all zeros: exporters of IPv4 and IPv6
// with one template have both 8 and 27, for example, and leave one of them empty. If all are zeros, the column is
// zero. The first field of an element counts; Names names the others. A column with schema.CountZero is filled
// from the first source that the template has. Fields without a column are skipped. Numbers are big endian and have 1
// to 8 bytes; strings end before the zeros at their end; addresses of 4 bytes are mapped into IPv6, and one of zeros
// is none; a bool is true for 1. Zeros and values that do not fit are treated as everywhere: see schema.Binding and
// schema.Misfit.
//
// A repeated column is filled from the first of its sources that is an array with elements. Without one, each of its
// other sources adds an element unless it is zero, in the order of the sources. Elements 70 to 79, a stack of
// MPLS labels, add their label (20 bits), down to the bottom of the stack.
//
// A record is read within its bounds whatever the template says. A record that is cut off is Truncated, and
// nothing of it is written.
type Template struct {
	plan    *schema.Plan
	handles []schema.Handle // of the root's columns
	direct  *layout
	kept    *layout // for records: with code for deferred columns and kept first values
	misfits *misfits
	length  atomic.Uint32 // size of the last length in bytes
}

// misfits are counters of values that columns could not hold, for a template and its variants.
type misfits struct {
	counts []atomic.Uint64 // as handles
	all    atomic.Uint64
}

// Field is one field of an input template, in the order of the records' bytes.
type Field struct {
	Enterprise uint32 // 0 for the information elements of IANA and NetFlow v9
	Element    uint16 // without the bit that says that an enterprise number follows
	Length     uint16 // in bytes; VariableLength if each record has the length
	Time       TimeEncoding
	Each       uint16 // for an array, the bytes of each element; VariableLength if elements have their length before them
}

// VariableLength is the length of fields whose records contain their length.
const VariableLength = 65535

// TimeEncoding says how a field encodes a time, for columns that are timestamps.
type TimeEncoding uint8

// The encodings of times. TimeOfElement is the encoding that IANA defines for the element. For an element that is
// not a time, it is a number in the column's own unit.
const (
	TimeOfElement TimeEncoding = iota
	UnixSeconds                // since 1970
	UnixMillis
	UnixMicros
	UnixNanos
	NTPMicros    // 64 bits: seconds since 1900 and a fraction; the fraction is exact to microseconds
	NTPNanos     // the same, exact to nanoseconds
	UptimeMillis // since the start of the exporter: needs Clock.Boot
	BeforeMicros // before the export of the message: needs Clock.Export
)

// Clock is the reference of relative times. The zero Clock has neither time: relative times are then misfits of
// their columns.
type Clock struct {
	Boot   time.Time // when the exporter was started
	Export time.Time // when the message was exported
}

// NetFlowClock returns the clock of a NetFlow v5 or v9 header.
func NetFlowClock(unixSeconds, sysUptimeMillis uint32) Clock {
	export := time.Unix(int64(unixSeconds), 0)
	return Clock{export.Add(-time.Duration(sysUptimeMillis) * time.Millisecond), export}
}

// Append appends the message of the data record at the beginning of data to dst. Like append it touches nothing
// after the result. It returns the size of the record in bytes. The error is Truncated, with the position in data,
// and then n is 0; or the first value that was refused (see schema.Refuse), and then the rest of the record is
// appended.
func (t *Template) Append(dst, data []byte, clock Clock) (out []byte, n int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	s := encode.TakeScratch()
	out, n, err = t.AppendScratch(*s, data, clock)
	return s.AppendTo(dst, out), n, err
}

// AppendScratch is Append with all of dst's spare capacity as scratch, which is overwritten.
func (t *Template) AppendScratch(dst, data []byte, clock Clock) (out []byte, n int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	x := run{template: t, clock: clock}
	out, end, next := t.direct.encode(&x, dst[:cap(dst)], len(dst), data, 0)
	if next < 0 {
		return dst, 0, x.err
	}
	return out[:end], next, x.err
}

// AppendDelimited is Append for a length-prefixed message.
func (t *Template) AppendDelimited(dst, data []byte, clock Clock) (out []byte, n int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	s := encode.TakeScratch()
	out, n, err = t.AppendDelimitedScratch(*s, data, clock)
	return s.AppendTo(dst, out), n, err
}

// AppendDelimitedScratch is AppendDelimited with all of dst's spare capacity as scratch, which is overwritten.
func (t *Template) AppendDelimitedScratch(dst, data []byte, clock Clock) (out []byte, n int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	x := run{template: t, clock: clock}
	out, end, next := t.delimited(&x, dst[:cap(dst)], len(dst), data, 0)
	if next < 0 {
		return dst, 0, x.err
	}
	return out[:end], next, x.err
}

// AppendSet appends the messages of all data records of a set to dst, each length-prefixed, and returns how many
// there are. A remainder that is shorter than the smallest record is padding. The error is Truncated (the records
// before are appended), or the first value that was refused.
func (t *Template) AppendSet(dst, set []byte, clock Clock) (out []byte, records int, err error) {
	return t.AppendSetAfter(dst, nil, set, clock)
}

// AppendSetAfter is AppendSet for messages that all begin with prefix: encoded columns of the same message that
// records do not have, such as the exporter and the time of export (schema.Record.Encoded). If a record has one of
// them, readers use the record's value.
func (t *Template) AppendSetAfter(dst, prefix, set []byte, clock Clock) (out []byte, records int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	s := encode.TakeScratch()
	x := run{template: t, clock: clock, prefix: prefix}
	scratch, n := (*s)[:cap(*s)], len(*s)
	for at := 0; len(set)-at >= t.direct.least; records++ {
		var end, next int
		if scratch, end, next = t.delimited(&x, scratch, n, set, at); next < 0 {
			break
		}
		n, at = end, next
	}
	return s.AppendTo(dst, scratch[:n]), records, x.err
}

func (t *Template) made() bool { return t != nil && t.direct != nil }

// AddTo adds the messages of all data records of a set to a batch, like AppendSet. The first of them continues the
// batch's current record.
func (t *Template) AddTo(b *schema.Batch, set []byte, clock Clock) (records int, err error) {
	if !t.made() || b == nil || b.Record() == nil {
		return 0, errUnmade()
	}
	if slab := t.plan.Bridge().Slab(b); slab != nil {
		return t.addDirectly(slab, set, clock)
	}
	for at := 0; len(set)-at >= t.direct.least; records++ {
		next, wrong := t.appendRecord(b.Record(), set, at, clock)
		if wrong != nil {
			return records, wrong
		}
		if wrong = b.Add(); err == nil {
			err = wrong
		}
		at = next
	}
	return records, err
}

func (t *Template) addDirectly(to *record.Batch, set []byte, clock Clock) (records int, err error) {
	x := run{template: t, clock: clock}
	for at := 0; len(set)-at >= t.direct.least; records++ {
		b := to.Buffer()
		out, n, next := t.direct.encode(&x, b[:cap(b)], len(b), set, at)
		if next < 0 {
			break
		}
		to.Put(out, n)
		at = next
	}
	return records, x.err
}

// AppendRecord sets the columns of a record of the same plan from the data record at the beginning of data, and
// returns the size of that in bytes. Zeros set nothing where presence is implicit. Apart from that the effect is
// the same as setting each column with its handle: deferred columns are kept, first values stay, and the record
// counts misfits. A list that the record has stays as it is. The error is Truncated or HandleMisuse, and then nothing is set.
func (t *Template) AppendRecord(r *schema.Record, data []byte, clock Clock) (n int, err error) {
	if !t.made() || r == nil {
		return 0, errUnmade()
	}
	return t.appendRecord(r, data, 0, clock)
}

func (t *Template) appendRecord(r *schema.Record, data []byte, at int, clock Clock) (next int, err error) {
	root, err := t.plan.Bridge().Record(r)
	if err != nil {
		return 0, err
	}
	x := run{template: t, clock: clock, record: root}
	if t.kept.variable {
		if end := t.kept.measure(data, at); end < 0 {
			return 0, truncated(len(data))
		}
	}
	b := root.Buffer()
	out, n, next := t.kept.encode(&x, b[:cap(b)], len(b), data, at)
	if next < 0 {
		return 0, x.err
	}
	root.Extend(out[:n])
	return next, nil
}

// Misfits returns how many values a column could not hold since the template was bound, without those in records.
func (t *Template) Misfits(h schema.Handle) uint64 {
	nth := slices.Index(t.handles, h)
	if nth < 0 {
		return 0
	}
	return t.misfits.counts[nth].Load()
}

// AllMisfits returns the sum of Misfits over all columns.
func (t *Template) AllMisfits() uint64 {
	if t.misfits == nil {
		return 0
	}
	return t.misfits.all.Load()
}

// delimited encodes one record as a length-prefixed message.
func (t *Template) delimited(x *run, out []byte, n int, data []byte, at int) (_ []byte, end, next int) {
	room := max(1, int(t.length.Load()))
	out = encode.WithRoom(out, n, room+len(x.prefix))
	start := n + room
	body := start + copy(out[start:], x.prefix)
	if out, end, next = t.direct.encode(x, out, body, data, at); next < 0 {
		return out, n, next
	}
	out, end = encode.PutLengthBefore(out, start, end, room, &t.length)
	return out, end, next
}

// errUnmade is the error of a nil or zero value whose type only Bind or a plan creates.
func errUnmade() error {
	return &schema.Error{Code: wire.HandleMisuse, Reason: "the value is nil, or was not created by a plan"}
}

func truncated(at int) error { return &wire.Error{Code: wire.Truncated, Offset: int64(at)} }

// run is one call: it counts misfits and keeps the error.
type run struct {
	template *Template
	record   *record.Record // of AppendRecord
	clock    Clock
	prefix   []byte // of each message
	uptimes  uptimes
	err      error
}

func (x *run) misfit(c *column, reason string) (write bool) {
	if x.record != nil {
		return x.record.Misfit(&c.Op, reason)
	}
	x.template.misfits.counts[c.nth].Add(1)
	x.template.misfits.all.Add(1)
	if c.Op.Misfit == plan.Refuse && x.err == nil {
		x.err = &schema.Error{Code: wire.TypeMismatch, Where: c.Column.Name, Reason: reason}
	}
	return c.Op.Misfit == plan.Mask
}

// encode writes the message of the record at data[at:] to b from n on. All of b is room. It returns the buffer,
// the end of the message, and the start of the next record; less than 0 if the data end before the record does.
//
// Before each op, b has room for everything that usual may write, as in schema.Binding. From pos on, data has what
// the ops up to the next field of variable length read, and the minimum of what follows that.
func (m *layout) encode(x *run, b []byte, n int, data []byte, at int) (_ []byte, end, next int) {
	if len(data)-at < m.least {
		x.err = truncated(len(data))
		return b, n, -1
	}
	if m.uptimes && !x.uptimes.ready {
		x.uptimes.compute(x.clock)
	}
	pos, left := at, m.least
	for i := 0; i < len(m.ops); i++ {
		if len(b)-n < m.room {
			b = encode.WithRoom(b, n, m.room)
		}
		fields := unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), pos)
		if i, n = m.usual(i, unsafe.Pointer(unsafe.SliceData(b)), n, fields, &x.uptimes); i == len(m.ops) {
			break
		}
		o := &m.ops[i]
		field := data[pos+int(o.offset):]
		if o.load != loadVariable {
			if o.choice != nil {
				b, n = m.choice(x, o, b, n, data, at)
			} else {
				b, n = x.encodeColumn(o, b, n, field[:o.length])
			}
			i += int(o.skip)
			continue
		}
		// The bytes before the field and those of its length are done; at least least bytes follow.
		length, prefix := variableLength(field)
		left -= int(o.offset) + 1
		pos += int(o.offset) + prefix
		if len(data)-pos < length+left {
			x.err = truncated(len(data))
			return b, n, -1
		}
		for _, column := range o.fills {
			if column.choice != nil {
				b, n = m.choice(x, column, b, n, data, at)
			} else {
				b, n = x.encodeColumn(column, b, n, data[pos:pos+length])
			}
		}
		pos += length
	}
	return b, n, pos + left
}

// choice writes a column that several fields may fill.
func (m *layout) choice(x *run, o *op, b []byte, n int, data []byte, at int) ([]byte, int) {
	if o.Column.Repeated {
		return m.list(x, o, b, n, data, at)
	}
	chosen, field := m.chosen(x, o, data, at)
	return x.encodeColumn(chosen, b, n, field)
}

// chosen returns the first candidate of the record at data[at:] that is not all zeros, or the first. All are within
// data.
func (m *layout) chosen(x *run, o *op, data []byte, at int) (*op, []byte) {
	var first []byte
	for i, p := range o.choice {
		field := m.field(p, data, at)
		if p.octet > 0 {
			field = x.octet(o.column, field, int(p.octet))
		}
		if !zeros(field) {
			return o.each[i], field
		}
		if i == 0 {
			first = field
		}
	}
	return o.each[0], first
}

// relative reports whether a field is a time from another time on, so that its zero is one, too.
func (o *op) relative() bool {
	return o.Column.Shape == encode.ShapeTime && (o.time == UptimeMillis || o.time == BeforeMicros)
}

// octet returns an octet of a number, counted from its end; nothing for a larger number than two octets have.
func (x *run) octet(c *column, field []byte, nth int) []byte {
	if n := len(field); n > 2 && !zeros(field[:n-2]) {
		x.misfit(c, "is not a number of 16 bits")
		return nil
	}
	if len(field) < nth {
		return nil
	}
	return field[len(field)-nth:][:1]
}

func (m *layout) field(p place, data []byte, at int) []byte {
	length := int(p.length)
	for _, gap := range m.gaps[:p.variable] {
		at += gap
		n, prefix := variableLength(data[at:])
		at += prefix + n
	}
	at += p.offset
	if p.length == VariableLength {
		n, prefix := variableLength(data[at:])
		length, at = n, at+prefix
	}
	return data[at : at+length]
}

// variableLength reads the length of a field of variable length: one byte, or 255 and two more. The maximum is
// 65535 bytes. A missing length counts as that.
func variableLength(field []byte) (length, prefix int) {
	switch {
	case len(field) == 0:
		return 65535, 1
	case field[0] < 255:
		return int(field[0]), 1
	case len(field) < 3:
		return 65535, 3
	}
	return int(field[1])<<8 | int(field[2]), 3
}

// measure finds the end of a record with fields of variable length; less than 0 if it is beyond the data.
func (m *layout) measure(data []byte, at int) int {
	if len(data)-at < m.least {
		return -1
	}
	pos, left := at, m.least
	for i := range m.ops {
		if o := &m.ops[i]; o.load == loadVariable {
			length, prefix := variableLength(data[pos+int(o.offset):])
			left -= int(o.offset) + 1
			pos += int(o.offset) + prefix
			if len(data)-pos < length+left {
				return -1
			}
			pos += length
		}
	}
	return pos + left
}
