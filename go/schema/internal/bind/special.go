package bind

import (
	"net/netip"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// boundColumn has the needs of an op if the value is not usual.
type boundColumn struct {
	op      *plan.Op
	special special
	field   Field
	elem    *boundMessage // the op for a pointer's target, a slice's element, or the value that must come first
	child   *boundMessage // of a message; for a map, of its entries: the key's op and the value's
	stride  uintptr       // from one element to the next
	length  atomic.Uint32 // size of the last length in bytes
	maps    *sync.Pool    // of *mapWalk
	goMap   reflect.Type
}

// loadOther's actions for a column.
type special uint8

const (
	specialNumber special = iota
	specialText
	specialIP
	specialTime // Timestamp and Duration, unless they are plain numbers
	specialPointer
	specialMessage
	specialPacked
	specialList
	specialMap
	specialFirst // for AppendRecord: elem, unless there is a value already
	specialLater // for AppendRecord: into the record
)

// Field is the Go type of a single value.
type Field uint8

// The types.
const (
	FieldNone Field = iota
	FieldUint8
	FieldUint16
	FieldUint32
	FieldUint64
	FieldInt8
	FieldInt16
	FieldInt32
	FieldInt64
	FieldFloat32
	FieldFloat64
	FieldText
	FieldAddr
	FieldArray16
	FieldArray4
	FieldArray6
	FieldTime
	FieldDuration
)

// sliceHeader is a slice of any type.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// encodeSpecial has the steps that the loop cannot do itself. It makes the room in b that it needs.
func (x *boundRun) encodeSpecial(o *boundOp, b []byte, n int, at unsafe.Pointer) ([]byte, int) {
	c := o.boundColumn
	switch c.special {
	case specialNumber:
		if v, ok := x.number(o, at); ok && (v != 0 || o.always) {
			b = encode.WithRoom(b, n, encode.Slack)
			n = encode.PutNumber(b, c.op.Put(b, n), c.op.Kind, signedOf(c.op, v))
		}
	case specialText:
		text := *(*string)(at)
		if o.op.UTF8 && !utf8.ValidString(text) {
			x.misfit(o, "is not UTF-8")
		} else if text != "" || o.always {
			if len(text) > wire.MaxSize {
				x.misfit(o, "is larger than a message may be")
				break
			}
			b = encode.WithRoom(b, n, encode.Slack+len(text))
			n = encode.PutVarint(b, c.op.Put(b, n), uint64(len(text)))
			n += copy(b[n:], text)
		}
	case specialIP:
		if address, ok := x.address(o, at); ok {
			b = encode.WithRoom(b, n, encode.Slack)
			bytes := address.As16()
			n = encode.PutVarint(b, c.op.Put(b, n), 16)
			n += copy(b[n:], bytes[:])
		}
	case specialTime:
		return x.time(o, b, n, at)
	case specialPointer:
		if p := *(*unsafe.Pointer)(at); p != nil {
			return c.elem.encode(x, b, n, p)
		} else if o.always { // as an element
			return x.message(o, b, n, nil)
		}
	case specialMessage:
		return x.message(o, b, n, at)
	case specialPacked:
		return x.packed(o, b, n, at)
	case specialList:
		list := (*sliceHeader)(at)
		for i := range list.len {
			b, n = c.elem.encode(x, b, n, unsafe.Add(list.data, uintptr(i)*c.stride))
		}
	case specialMap:
		return x.mapEntries(o, b, n, at)
	case specialFirst:
		r, start := x.record, n
		if !r.Has(c.op) {
			if b, n = c.elem.encode(x, b, n, at); n > start {
				r.Set(c.op)
			}
		}
	case specialLater:
		x.keep(o, at)
	}
	return b, n
}

// signedOf is the number that represents a value on the wire.
func signedOf(o *plan.Op, v uint64) uint64 { return encode.Signed(o.Kind, int64(v)) }

// number reads a number and makes it fit; it returns false if nothing is to be written.
func (x *boundRun) number(o *boundOp, at unsafe.Pointer) (v uint64, ok bool) {
	switch o.field {
	case FieldUint8:
		return x.natural(o, uint64(*(*uint8)(at)))
	case FieldUint16:
		return x.natural(o, uint64(*(*uint16)(at)))
	case FieldUint32:
		return x.natural(o, uint64(*(*uint32)(at)))
	case FieldUint64:
		return x.natural(o, *(*uint64)(at))
	case FieldInt8:
		return x.whole(o, int64(*(*int8)(at)))
	case FieldInt16:
		return x.whole(o, int64(*(*int16)(at)))
	case FieldInt32:
		return x.whole(o, int64(*(*int32)(at)))
	case FieldInt64:
		return x.whole(o, *(*int64)(at))
	case FieldFloat32:
		return encode.FloatBits(o.op.Kind, float64(*(*float32)(at))), true
	case FieldFloat64:
		return encode.FloatBits(o.op.Kind, *(*float64)(at)), true
	}
	// A MAC in bytes.
	mac := (*[6]byte)(at)
	if o.field == FieldText {
		text := *(*string)(at)
		if len(text) != 6 {
			if text != "" {
				x.misfit(o, "is not a MAC: it does not have 6 bytes")
			}
			return 0, false
		}
		mac = (*[6]byte)(unsafe.Pointer(unsafe.StringData(text)))
	}
	for _, c := range mac {
		v = v<<8 | uint64(c)
	}
	return v, true
}

// natural converts a number for a column of unsigned numbers or of an enum.
func (x *boundRun) natural(o *boundOp, v uint64) (uint64, bool) {
	if v > o.op.Max {
		if !x.misfit(o, "is out of range") {
			return 0, false
		}
		v &= o.op.Max
	}
	return v, x.isValue(o, int64(v))
}

// whole converts a number that may be negative for a column.
func (x *boundRun) whole(o *boundOp, v int64) (uint64, bool) {
	max := o.op.Max
	switch encode.KindShapes[o.op.Kind] {
	case encode.ShapeInt, encode.ShapeEnum:
		if uint64(v)+max+1 > 2*max+1 {
			if !x.misfit(o, "is out of range") {
				return 0, false
			}
			v = int64(int32(v))
		}
	default:
		if v < 0 || uint64(v) > max {
			if !x.misfit(o, "is out of range") {
				return 0, false
			}
			v = int64(uint64(v) & max)
		}
	}
	return uint64(v), x.isValue(o, v)
}

// isValue reports whether the column's enum, if it is closed, has the number.
func (x *boundRun) isValue(o *boundOp, v int64) bool {
	if e := o.op.Column.Closed; e != nil && !e.Has(int32(v)) {
		x.misfit(o, "is not a value of the enum")
		return false
	}
	return true
}

// address reads an IP; it returns false if there is none.
func (x *boundRun) address(o *boundOp, at unsafe.Pointer) (netip.Addr, bool) {
	switch o.field {
	case FieldAddr:
		address := *(*netip.Addr)(at)
		return address, address.IsValid()
	case FieldArray16:
		v := *(*[16]byte)(at)
		return netip.AddrFrom16(v), o.always || v != [16]byte{}
	case FieldArray4:
		v := *(*[4]byte)(at)
		return netip.AddrFrom4(v), o.always || v != [4]byte{}
	}
	bytes := *(*[]byte)(at)
	address, ok := netip.AddrFromSlice(bytes)
	if !ok && len(bytes) > 0 {
		x.misfit(o, "is not an IP: it has neither 4 nor 16 bytes")
	}
	return address, ok
}

// moment reads a time or a duration: in the column's unit, or for messages in seconds and nanoseconds.
func (x *boundRun) moment(o *boundOp, at unsafe.Pointer) (v uint64, nanos int32, ok bool) {
	c := o.op.Column
	if o.field == FieldTime {
		t := *(*time.Time)(at)
		switch {
		case t.IsZero():
			return 0, 0, false
		case c.Kind == wire.Message:
			return uint64(t.Unix()), int32(t.Nanosecond()), true
		}
		units, fits := encode.UnitsOf(c.Unit, t)
		if !fits && !x.misfit(o, encode.TooFar) {
			return 0, 0, false
		}
		v, ok = x.whole(o, units)
		return v, 0, ok
	}
	d := *(*time.Duration)(at)
	if c.Kind == wire.Message {
		return uint64(d / time.Second), int32(d % time.Second), d != 0 || o.always
	}
	v, ok = x.whole(o, int64(d/encode.UnitLengths[c.Unit]))
	return v, 0, ok
}

func (x *boundRun) time(o *boundOp, b []byte, n int, at unsafe.Pointer) ([]byte, int) {
	v, nanos, ok := x.moment(o, at)
	if !ok {
		return b, n
	}
	b = encode.WithRoom(b, n, 2*encode.Slack)
	if o.op.Kind == wire.Message {
		n = o.op.Put(b, n)
		return b, encode.PutSecondsNanos(b, n, int64(v), nanos)
	}
	if v != 0 || o.always {
		n = encode.PutNumber(b, o.op.Put(b, n), o.op.Kind, signedOf(o.op, v))
	}
	return b, n
}

// message writes a nested struct; nil is empty.
func (x *boundRun) message(o *boundOp, b []byte, n int, at unsafe.Pointer) ([]byte, int) {
	if x.depth >= wire.DefaultDepth {
		x.fail(wire.DepthExceeded, o.op.Column.Name, "is nested too deeply")
		return b, n
	}
	b = encode.WithRoom(b, n, encode.Slack)
	n = o.op.Put(b, n)
	group := o.op.Kind == wire.Group
	room := max(1, int(o.length.Load()))
	if !group {
		n += room
	}
	start := n
	if at != nil {
		x.depth++
		b, n = o.child.encode(x, b, n, at)
		x.depth--
	}
	if group {
		b = encode.WithRoom(b, n, encode.Slack)
		end := *o.op
		end.Tag++ // wire type 4 instead of the start tag's 3
		return b, end.Put(b, n)
	}
	return encode.PutLengthBefore(b, start, n, room, &o.length)
}

// packed writes a slice of numbers in one record.
func (x *boundRun) packed(o *boundOp, b []byte, n int, at unsafe.Pointer) ([]byte, int) {
	list := (*sliceHeader)(at)
	if list.len == 0 {
		return b, n
	}
	element := &o.elem.ops[0]
	b = encode.WithRoom(b, n, encode.Slack+wire.MaxVarint*list.len)
	first := n
	room := max(1, int(o.length.Load()))
	n = o.op.Put(b, n) + room
	start := n
	for i := range list.len {
		if v, ok := x.number(element, unsafe.Add(list.data, uintptr(i)*o.stride)); ok {
			n = encode.PutNumber(b, n, o.op.Kind, signedOf(o.op, v))
		}
	}
	if n == start {
		return b, first
	}
	return encode.PutLengthBefore(b, start, n, room, &o.length)
}

// mapWalk iterates over a map without allocating.
type mapWalk struct {
	iter       reflect.MapIter
	key, value reflect.Value
}

func (x *boundRun) mapEntries(o *boundOp, b []byte, n int, at unsafe.Pointer) ([]byte, int) {
	if *(*unsafe.Pointer)(at) == nil {
		return b, n
	}
	if x.depth >= wire.DefaultDepth {
		x.fail(wire.DepthExceeded, o.op.Column.Name, "is nested too deeply")
		return b, n
	}
	x.depth++ // an entry is a level
	t := o.maps.Get().(*mapWalk)
	t.iter.Reset(reflect.NewAt(o.goMap, at).Elem())
	for t.iter.Next() {
		t.key.SetIterKey(&t.iter)
		t.value.SetIterValue(&t.iter)
		entry := n
		b = encode.WithRoom(b, n, encode.Slack)
		n = o.op.Put(b, n)
		room := max(1, int(o.length.Load()))
		n += room
		start := n
		b, n = o.elem.encode(x, b, n, t.key.Addr().UnsafePointer())
		if n == start { // a key that does not fit: without it, the entry would be another
			n = entry
			continue
		}
		b, n = o.child.encode(x, b, n, t.value.Addr().UnsafePointer())
		b, n = encode.PutLengthBefore(b, start, n, room, &o.length)
	}
	t.iter.Reset(reflect.Value{})
	t.key.SetZero()
	t.value.SetZero()
	o.maps.Put(t)
	x.depth--
	return b, n
}

// keep makes the record keep the value of a deferred column.
func (x *boundRun) keep(o *boundOp, at unsafe.Pointer) {
	r, op := x.record, o.op
	if op.Keep && !r.First(op) {
		return
	}
	switch op.Column.Shape {
	case encode.ShapeString, encode.ShapeBytes:
		text := *(*string)(at)
		switch {
		case op.UTF8 && !utf8.ValidString(text):
			x.misfit(o, "is not UTF-8")
		case text != "" || o.always:
			r.KeepText(op, text)
		}
	case encode.ShapeIP:
		if address, ok := x.address(o, at); ok {
			r.KeepIP(op, address)
		}
	case encode.ShapeTime, encode.ShapeDuration:
		if o.field == FieldTime || o.field == FieldDuration {
			if v, nanos, ok := x.moment(o, at); ok && (v != 0 || nanos != 0 || o.always || op.Kind == wire.Message) {
				r.KeepTime(op, int64(v), nanos)
			}
			return
		}
		fallthrough
	default:
		if v, ok := x.number(o, at); ok && (v != 0 || o.always) {
			r.KeepNumber(op, v)
		}
	}
}
