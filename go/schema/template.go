package schema

import (
	"bytes"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// Template encodes data records of one input template (NetFlow v9, IPFIX) as the root message of a plan, from
// bytes to bytes: which field of the template fills which column, and how, is settled when it is made. It is
// immutable but for counters, and safe for any number of goroutines.
//
//	t, err := plan.BindTemplate([]schema.TemplateField{{Element: 8, Length: 4}, {Element: 1, Length: 8}})
//	out, records, err = t.AppendSet(out, set, schema.NetFlowClock(header.UnixSecs, header.SysUptime))
//
// A column is filled from the first of its Sources that the template has; of addresses, where the template has several
// (8 and 27, say, of which exporters of IPv4 and IPv6 with one template leave one empty), from the first that is not
// all zeros. Fields without a column are passed over. Numbers are big endian and have 1 to 8 bytes; strings end before
// the zeros at their end; addresses of 4 bytes are mapped into IPv6; a bool is true for 1. What becomes of a zero and of
// a value that does not fit is as everywhere: see Binding and Misfit.
//
// A record is read within its bounds whatever the template says. One that is cut off is Truncated, and nothing
// of it is written.
type Template struct {
	plan    *Plan
	direct  *templatePlan
	kept    *templatePlan   // for records: with what deferred columns and kept first values need
	misfits []atomic.Uint64 // by column
	all     atomic.Uint64   // misfits of all columns
	length  atomic.Uint32   // how many bytes the last length had
}

// TemplateField is one field of an input template, in the order of the records' bytes.
type TemplateField struct {
	Enterprise uint32 // 0 for the information elements of IANA and NetFlow v9
	Element    uint16 // without the bit that says that an enterprise follows
	Length     uint16 // in bytes; VariableLength where each record says how long it is
	Time       TimeEncoding
}

// VariableLength is the length of fields that say themselves how long they are.
const VariableLength = 65535

// TimeEncoding says how a field has a time, for columns that are timestamps.
type TimeEncoding uint8

// The encodings of times. TimeOfElement is the one that the element has with IANA; of an element that is no
// time it is a number of the column's own unit.
const (
	TimeOfElement TimeEncoding = iota
	UnixSeconds                // since 1970
	UnixMillis
	UnixMicros
	UnixNanos
	NTPMicros    // 64 bits: seconds since 1900 and a fraction; the fraction is exact to microseconds
	NTPNanos     // the same, exact to nanoseconds
	UptimeMillis // since the exporter was started: needs Clock.Boot
	BeforeMicros // before the export of the message: needs Clock.Export
)

// Clock is what relative times are relative to. The zero Clock knows neither: such times are misfits of their
// columns.
type Clock struct {
	Boot   time.Time // when the exporter was started
	Export time.Time // when the message was exported
}

// NetFlowClock is the clock of a NetFlow v5 or v9 header.
func NetFlowClock(unixSeconds, sysUptimeMillis uint32) Clock {
	export := time.Unix(int64(unixSeconds), 0)
	return Clock{export.Add(-time.Duration(sysUptimeMillis) * time.Millisecond), export}
}

// Append appends the message of the data record that data starts with to dst, as append does: nothing after the
// result is touched. It tells how many bytes the
// record has. An error is Truncated, with the place in data, and then n is 0; or the first value refused (see
// Refuse): the rest of the record is there.
func (t *Template) Append(dst, data []byte, clock Clock) (out []byte, n int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	s := takeScratch()
	out, n, err = t.AppendScratch(*s, data, clock)
	return s.appendTo(dst, out), n, err
}

// AppendScratch is Append with all of dst's spare capacity as scratch, which is overwritten.
func (t *Template) AppendScratch(dst, data []byte, clock Clock) (out []byte, n int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	x := templateRun{template: t, clock: clock}
	out, end, next := t.direct.encode(&x, dst[:cap(dst)], len(dst), data, 0)
	if next < 0 {
		return dst, 0, x.err
	}
	return out[:end], next, x.err
}

// AppendDelimited is Append with the message's length before it.
func (t *Template) AppendDelimited(dst, data []byte, clock Clock) (out []byte, n int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	s := takeScratch()
	out, n, err = t.AppendDelimitedScratch(*s, data, clock)
	return s.appendTo(dst, out), n, err
}

// AppendDelimitedScratch is AppendDelimited with all of dst's spare capacity as scratch, which is overwritten.
func (t *Template) AppendDelimitedScratch(dst, data []byte, clock Clock) (out []byte, n int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	x := templateRun{template: t, clock: clock}
	out, end, next := t.delimited(&x, dst[:cap(dst)], len(dst), data, 0)
	if next < 0 {
		return dst, 0, x.err
	}
	return out[:end], next, x.err
}

// AppendSet appends the messages of all data records of a set to dst, each behind its length, and tells how
// many there are. Fewer bytes than a record has at least are padding. An error is Truncated (the records before
// are there), or the first value refused.
func (t *Template) AppendSet(dst, set []byte, clock Clock) (out []byte, records int, err error) {
	return t.AppendSetAfter(dst, nil, set, clock)
}

// AppendSetAfter is AppendSet for messages that all begin with prefix: encoded columns of the same message that records
// do not tell, say who exported them and when (Record.Encoded). Where a record has one of them, readers take the record's.
func (t *Template) AppendSetAfter(dst, prefix, set []byte, clock Clock) (out []byte, records int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	s := takeScratch()
	out, records, err = t.AppendSetAfterScratch(*s, prefix, set, clock)
	return s.appendTo(dst, out), records, err
}

// AppendSetAfterScratch is AppendSetAfter with all of dst's spare capacity as scratch, which is overwritten: the prefix must
// not lie in it.
func (t *Template) AppendSetAfterScratch(dst, prefix, set []byte, clock Clock) (out []byte, records int, err error) {
	if !t.made() {
		return dst, 0, errUnmade()
	}
	x := templateRun{template: t, clock: clock, prefix: prefix}
	out, n := dst[:cap(dst)], len(dst)
	for at := 0; len(set)-at >= t.direct.least; records++ {
		var end, next int
		if out, end, next = t.delimited(&x, out, n, set, at); next < 0 {
			break
		}
		n, at = end, next
	}
	return out[:n], records, x.err
}

func (t *Template) made() bool { return t != nil && t.direct != nil }

// AddTo adds the messages of all data records of a set to a batch, as AppendSet does; to what has been written of
// the batch's current record, the first of them.
func (t *Template) AddTo(b *Batch, set []byte, clock Clock) (records int, err error) {
	if !t.made() || !b.made() {
		return 0, errUnmade()
	}
	if b.r.plan == t.plan && b.addDirectly() {
		return t.addDirectly(b, set, clock)
	}
	for at := 0; len(set)-at >= t.direct.least; records++ {
		next, wrong := t.appendRecord(b.r, set, at, clock)
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

func (t *Template) addDirectly(b *Batch, set []byte, clock Clock) (records int, err error) {
	x := templateRun{template: t, clock: clock}
	for at := 0; len(set)-at >= t.direct.least; records++ {
		out, n, next := t.direct.encode(&x, b.r.buf[:cap(b.r.buf)], b.r.start, set, at)
		if next < 0 {
			break
		}
		b.added(out, n)
		at = next
	}
	return records, x.err
}

// AppendRecord sets the columns of a record of the same plan from the data record that data starts with, and
// tells how many bytes that has. Apart from zeros, which set nothing where presence is implicit, it is as if
// each was set with its handle: deferred columns are kept, first values stay, misfits are the record's. An
// error is Truncated or HandleMisuse, and then nothing is set.
func (t *Template) AppendRecord(r *Record, data []byte, clock Clock) (n int, err error) {
	if !t.made() || r == nil {
		return 0, errUnmade()
	}
	return t.appendRecord(r, data, 0, clock)
}

func (t *Template) appendRecord(r *Record, data []byte, at int, clock Clock) (next int, err error) {
	if r.plan != t.plan || len(r.levels) > 0 {
		r.fail(wire.HandleMisuse, "", "a template sets columns of the root of its own plan")
		return 0, r.err
	}
	x := templateRun{template: t, clock: clock, record: r}
	if t.kept.variable {
		if end := t.kept.measure(data, at); end < 0 {
			return 0, truncated(len(data))
		}
	}
	from := len(r.buf)
	out, n, next := t.kept.encode(&x, r.buf[:cap(r.buf)], from, data, at)
	if next < 0 {
		return 0, x.err
	}
	r.buf = out[:n]
	r.note(from)
	return next, nil
}

// Misfits is how many values a column could not hold since the template was bound, those in records excepted.
func (t *Template) Misfits(h Handle) uint64 {
	if int(h.index) >= len(t.misfits) || t.plan.ops[h.index].scope != h.scope {
		return 0
	}
	return t.misfits[h.index].Load()
}

// AllMisfits is Misfits of all columns together.
func (t *Template) AllMisfits() uint64 { return t.all.Load() }

// delimited encodes one record behind its length.
func (t *Template) delimited(x *templateRun, out []byte, n int, data []byte, at int) (_ []byte, end, next int) {
	room := max(1, int(t.length.Load()))
	out = withRoom(out, n, room+len(x.prefix))
	start := n + room
	body := start + copy(out[start:], x.prefix)
	if out, end, next = t.direct.encode(x, out, body, data, at); next < 0 {
		return out, n, next
	}
	out, end = putLengthBefore(out, start, end, room, &t.length)
	return out, end, next
}

func truncated(at int) error { return &wire.Error{Code: wire.Truncated, Offset: int64(at)} }

// templateRun is one call: where misfits are counted and the error is kept.
type templateRun struct {
	template *Template
	record   *Record // of AppendRecord
	clock    Clock
	prefix   []byte // of each message
	uptimes  uptimes
	err      error
}

func (x *templateRun) misfit(o *op, reason string) (write bool) {
	if x.record != nil {
		return x.record.misfit(o, reason)
	}
	x.template.misfits[o.index].Add(1)
	x.template.all.Add(1)
	if o.how == Refuse && x.err == nil {
		x.err = &Error{wire.TypeMismatch, o.column.Name, reason}
	}
	return o.how == Mask
}

// encode writes the message of the record at data[at:] to b, all of which is room, from n on. It returns where
// the message is and ends, and the next record starts; less than 0 when the data end before the record does.
//
// Before each op, b has room for all that usual may write, as in Binding; and data has from pos on what the ops
// until the next field of variable length read, and what is after that at least.
func (m *templatePlan) encode(x *templateRun, b []byte, n int, data []byte, at int) (_ []byte, end, next int) {
	if len(data)-at < m.least {
		x.err = truncated(len(data))
		return b, n, -1
	}
	if m.uptimes && !x.uptimes.ready {
		x.uptimes.of(x.clock)
	}
	pos, left := at, m.least
	for i := 0; i < len(m.ops); i++ {
		if len(b)-n < m.room {
			b = withRoom(b, n, m.room)
		}
		fields := unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), pos)
		if i, n = m.usual(i, unsafe.Pointer(unsafe.SliceData(b)), n, fields, &x.uptimes); i == len(m.ops) {
			break
		}
		o := &m.ops[i]
		field := data[pos+int(o.offset):]
		if o.load != templateVariable {
			if field = field[:o.length]; o.choice != nil {
				field = m.chosen(o.choice, data, at)
			}
			b, n = x.other(o, b, n, field)
			continue
		}
		// The bytes before the field and those of its length are behind us; of those that follow, least are there.
		length, prefix := variableLength(field)
		left -= int(o.offset) + 1
		pos += int(o.offset) + prefix
		if len(data)-pos < length+left {
			x.err = truncated(len(data))
			return b, n, -1
		}
		for _, column := range o.fills {
			value := data[pos : pos+length]
			if column.choice != nil {
				value = m.chosen(column.choice, data, at)
			}
			b, n = x.other(column, b, n, value)
		}
		pos += length
	}
	return b, n, pos + left
}

// chosen is the first of some fields of the record at data[at:] that is not all zeros, or the first. All are there.
func (m *templatePlan) chosen(places []templatePlace, data []byte, at int) []byte {
	for _, p := range places {
		if field := m.field(p, data, at); len(bytes.TrimLeft(field, "\x00")) > 0 {
			return field
		}
	}
	return m.field(places[0], data, at)
}

func (m *templatePlan) field(p templatePlace, data []byte, at int) []byte {
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

// variableLength reads the length of a field of variable length: one byte, or 255 and two. Nothing is longer
// than 65535 bytes, which what is not there counts as.
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

// measure finds the end of a record with fields of variable length; less than 0 when it is not there.
func (m *templatePlan) measure(data []byte, at int) int {
	if len(data)-at < m.least {
		return -1
	}
	pos, left := at, m.least
	for i := range m.ops {
		if o := &m.ops[i]; o.load == templateVariable {
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
