package schema

import (
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/record"
)

// Record encodes one message after the other. One goroutine may use it; create one for each. Values go straight
// into its buffer, which is reused after Reset: in the long run nothing is allocated.
//
// A value for a column that is off is not written and costs one branch. A value that its column cannot hold costs
// only that column (see Misfit). A handle of another schema, or of a message that is not the one begun last,
// writes nothing: Err then returns HandleMisuse.
//
// A column that keeps its first value would keep that of the message before. So a record with such columns appends a
// message once, and after it was encoded takes no more values: without Reset, what encodes the next one returns no
// message, and Err returns HandleMisuse.
type Record record.Record

// inner returns the record that does the work.
func (r *Record) inner() *record.Record { return (*record.Record)(r) }

// NewRecord creates a record. It does not check required columns; readers of the message do.
func (p *Plan) NewRecord() *Record {
	r := new(Record)
	if !p.isEmpty() {
		r.inner().Make(&p.compiled)
	}
	return r
}

// Reset empties the record for the next message; for a Batch it drops the message that is being written. The
// misfit counters continue.
func (r *Record) Reset() { r.inner().Reset() }

// Err returns the first fault of a call since the last Reset, or nil: HandleMisuse, DepthExceeded, SizeExceeded,
// or a value that a column with the misfit Refuse refused (TypeMismatch).
func (r *Record) Err() error { return asError(r.inner().Err()) }

// Misfits returns how many values the column could not hold since the record was created.
func (r *Record) Misfits(h Handle) uint64 { return r.inner().Misfits(h.h) }

// AllMisfits returns the sum of Misfits over all columns.
func (r *Record) AllMisfits() uint64 { return r.inner().AllMisfits() }

// Encoded returns the encoded message. It is valid until the record is used again.
func (r *Record) Encoded() []byte { return (*record.Record)(r).Encoded() }

// Delimited returns the encoded message, length-prefixed. It is valid until the record is used again.
func (r *Record) Delimited() []byte { return r.inner().Delimited() }

// Append appends the encoded message to dst. The error is Err's; the rest of the message is appended nevertheless, as
// a Binding does. Of a message that may not be appended once more, nothing is.
func (r *Record) Append(dst []byte) ([]byte, error) {
	dst, fault := (*record.Record)(r).Append(dst)
	return dst, asError(fault)
}

// AppendDelimited is Append for a length-prefixed message.
func (r *Record) AppendDelimited(dst []byte) ([]byte, error) {
	dst, fault := (*record.Record)(r).AppendDelimited(dst)
	return dst, asError(fault)
}

// Uint sets a column of unsigned numbers.
func (r *Record) Uint(c UintColumn, v uint64) { r.inner().Varint(c.h, v) }

// Int sets a column of signed numbers.
func (r *Record) Int(c IntColumn, v int64) { r.inner().Varint(c.h, uint64(v)) }

// Bool sets a bool column.
func (r *Record) Bool(c BoolColumn, v bool) {
	u := uint64(0)
	if v {
		u = 1
	}
	r.inner().Varint(c.h, u)
}

// Enum sets an enum column. A number that a closed enum does not have is a misfit.
func (r *Record) Enum(c EnumColumn, v int32) { r.inner().Varint(c.h, uint64(v)) }

// MAC sets a column of hardware addresses: the low 48 bits are the address, its first byte the highest of them.
func (r *Record) MAC(c MACColumn, v uint64) { r.inner().Varint(c.h, v) }

// Float sets a column of floats or doubles. -0 is not zero.
func (r *Record) Float(c FloatColumn, v float64) { r.inner().Float(c.h, v) }

// Time sets a timestamp. Numbers of unsigned kinds cannot hold times before 1970, and nanoseconds cannot hold
// times before 1678 or after 2262: these are misfits. The zero Time is not a time and sets nothing.
func (r *Record) Time(c TimeColumn, t time.Time) { r.inner().Time(c.h, t) }

// Duration sets a duration, cut to the unit of the column.
func (r *Record) Duration(c DurationColumn, d time.Duration) { r.inner().Duration(c.h, d) }

// String sets a string column.
func (r *Record) String(c StringColumn, v string) { r.inner().Text(c.h, v) }

// Bytes sets a bytes column.
func (r *Record) Bytes(c BytesColumn, v []byte) { r.inner().Text(c.h, encode.Borrowed(v)) }

// IP sets a column of addresses. The zero Addr is not an address and sets nothing.
func (r *Record) IP(c IPColumn, v netip.Addr) { r.inner().IP(c.h, v) }

// AddUint adds elements. Zeros are ordinary elements.
func (r *Record) AddUint(c UintList, elements ...uint64) { r.inner().AddUint(c.h, elements) }

// AddInt adds elements.
func (r *Record) AddInt(c IntList, elements ...int64) { r.inner().AddInt(c.h, elements) }

// AddBool adds elements.
func (r *Record) AddBool(c BoolList, elements ...bool) { r.inner().AddBool(c.h, elements) }

// AddEnum adds elements.
func (r *Record) AddEnum(c EnumList, elements ...int32) { r.inner().AddEnum(c.h, elements) }

// AddFloat adds elements to a column of floats or doubles.
func (r *Record) AddFloat(c FloatList, elements ...float64) { r.inner().AddFloat(c.h, elements) }

// AddString adds elements.
func (r *Record) AddString(c StringList, elements ...string) { r.inner().AddString(c.h, elements) }

// AddBytes adds elements.
func (r *Record) AddBytes(c BytesList, elements ...[]byte) { r.inner().AddBytes(c.h, elements) }

// AddIP adds elements. The zero Addr is not an address and adds nothing.
func (r *Record) AddIP(c IPList, elements ...netip.Addr) { r.inner().AddIP(c.h, elements) }

// Begin starts the message of a column: until End, calls set its columns. A message that is begun twice is merged
// from both, as protobuf requires; with KeepFirst the second is dropped. Begin reports whether the column accepts
// a message; if it does not, there is nothing to end.
//
//	if r.Begin(peer) {
//		r.String(name, "a")
//		r.End()
//	}
func (r *Record) Begin(c MessageColumn) bool { return r.inner().Begin(c.h) }

// BeginItem starts one more message of a repeated column, like Begin.
func (r *Record) BeginItem(c MessageList) bool { return r.inner().BeginItem(c.h) }

// BeginEntry starts one more entry of a map. Set its columns key and value.
func (r *Record) BeginEntry(c MapColumn) bool { return r.inner().BeginItem(c.h) }

// End ends the message begun last.
func (r *Record) End() { r.inner().End() }

// Fragment is columns of a message with their values, encoded once to be written into many records. It does not
// change, and any number of goroutines may use it. The zero Fragment and nil have no columns.
type Fragment record.Fragment

// IsEmpty reports whether the fragment writes nothing.
func (f *Fragment) IsEmpty() bool { return (*record.Fragment)(f).IsEmpty() }

// Fragment returns the columns that have been set since the last Reset. A fragment cannot have deferred columns, nor
// columns that keep their first value: what a record does with those depends on its other values. Both are
// TypeMismatch. A fault of an earlier call is returned, too.
func (r *Record) Fragment() (Fragment, error) {
	if r.inner().Plan() == nil {
		return Fragment{}, errNoPlan()
	}
	f, fault := r.inner().Fragment()
	return Fragment(f), asError(fault)
}

// Put sets the columns of a fragment, as setting them one by one would. A fragment of another plan, or within a
// nested message, writes nothing: Err then returns HandleMisuse.
func (r *Record) Put(f *Fragment) { r.inner().Put((*record.Fragment)(f)) }

// GetUint reads the value of a deferred column; false if it has none. Encoding the record writes the deferred
// values, and after that none can be read.
func (r *Record) GetUint(c UintColumn) (uint64, bool) {
	if l := r.inner().Later(c.h); l != nil {
		return l.Number, true
	}
	return 0, false
}

// GetInt reads the value of a deferred column.
func (r *Record) GetInt(c IntColumn) (int64, bool) {
	v, ok := r.GetUint(UintColumn(c))
	return int64(v), ok
}

// GetBool reads the value of a deferred column.
func (r *Record) GetBool(c BoolColumn) (v, ok bool) {
	u, ok := r.GetUint(UintColumn(c))
	return u != 0, ok
}

// GetEnum reads the value of a deferred column.
func (r *Record) GetEnum(c EnumColumn) (int32, bool) {
	v, ok := r.GetUint(UintColumn(c))
	return int32(v), ok
}

// GetMAC reads the value of a deferred column.
func (r *Record) GetMAC(c MACColumn) (uint64, bool) { return r.GetUint(UintColumn(c)) }

// GetFloat reads the value of a deferred column, rounded if it is a float.
func (r *Record) GetFloat(c FloatColumn) (float64, bool) {
	v, ok := r.GetUint(UintColumn(c))
	if !ok {
		return 0, false
	}
	return encode.FloatOf(r.inner().Plan().Ops[c.h.Index].Kind, v), true
}

// GetString reads the value of a deferred column, as a copy.
func (r *Record) GetString(c StringColumn) (string, bool) {
	v, ok := r.GetBytes(BytesColumn(c))
	return string(v), ok
}

// GetBytes reads the value of a deferred column. It is valid until the record is reset.
func (r *Record) GetBytes(c BytesColumn) ([]byte, bool) {
	if l := r.inner().Later(c.h); l != nil {
		return r.inner().LaterText(l), true
	}
	return nil, false
}

// GetIP reads the value of a deferred column.
func (r *Record) GetIP(c IPColumn) (netip.Addr, bool) {
	if l := r.inner().Later(c.h); l != nil {
		return l.IP, true
	}
	return netip.Addr{}, false
}

// GetTime reads the value of a deferred column, in UTC and as exact as its unit.
func (r *Record) GetTime(c TimeColumn) (time.Time, bool) {
	l := r.inner().Later(c.h)
	if l == nil {
		return time.Time{}, false
	}
	return encode.TimeOf(r.inner().Plan().Ops[c.h.Index].Column.Unit, int64(l.Number), l.Nanos), true
}

// GetDuration reads the value of a deferred column.
func (r *Record) GetDuration(c DurationColumn) (time.Duration, bool) {
	l := r.inner().Later(c.h)
	if l == nil {
		return 0, false
	}
	return encode.DurationOf(r.inner().Plan().Ops[c.h.Index].Column.Unit, int64(l.Number), l.Nanos), true
}
