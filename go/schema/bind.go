package schema

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// Binding encodes structs of type T as the root message of a plan. When it is created, it decides which field is
// which column, how the field is read and how it is written. It is immutable except for counters, and any number
// of goroutines may use it.
//
//	type Flow struct {
//		SrcAddr netip.Addr `hotpb:"src_addr"`
//		Bytes   uint64     // the column bytes
//	}
//	b, err := schema.Bind[Flow](plan)
//	out, err = b.AppendDelimited(out, &flow)
//
// # Fields
//
// A field belongs to the column that its tag names, or else to the column with its own name; case and underscores
// do not count: SrcAddr is src_addr. The tag "-" leaves out a field. Fields of embedded structs count as the
// struct's own. Fields that are not exported are left out; a tag on one is an error.
//
// The types that fit a column:
//
//	unsigned numbers    uint8 to uint64, uint
//	signed numbers      int8 to int64, int
//	float, double       float32, float64
//	bool                bool
//	enums               all integers
//	strings, bytes      string, []byte
//	IP                  netip.Addr, [16]byte, [4]byte, []byte of 16, 4 or no bytes (net.IP)
//	MAC                 uint64, [6]byte, []byte of 6 or no bytes (net.HardwareAddr)
//	timestamps          time.Time, or the number itself
//	durations           time.Duration, or the number itself
//	messages, groups    structs, pointers to structs
//	repeated columns    slices of these
//	maps                maps, slices of structs with the fields Key and Value
//
// # Zero
//
// A zero is not written, unless the column has explicit presence. A pointer to any of the types is a value that
// may be absent: nil is never written. The zero netip.Addr and time.Time are not values and never written. Slices
// and maps without elements are not written; nested structs always are.
//
// At most one field of a oneof may be set: readers use the last.
type Binding[T any] struct{ b binding }

// binding is the part that does not depend on the type of the struct.
type binding struct {
	plan    *Plan
	direct  *boundMessage
	kept    *boundMessage   // for AppendRecord: with code for deferred columns and kept first values
	misfits []atomic.Uint64 // by column
	length  atomic.Uint32   // size of the last length in bytes
}

// Bind binds a plan to a struct type. An error lists all fields that fit no column; each part is an *Error,
// TypeMismatch, with the field and the column.
func Bind[T any](p *Plan) (*Binding[T], error) {
	if p.isEmpty() {
		return nil, errNoPlan()
	}
	t := reflect.TypeFor[T]()
	direct, err := bindMessage(p, t, false)
	if err != nil {
		return nil, err
	}
	kept, err := bindMessage(p, t, true)
	if err != nil {
		return nil, err
	}
	return &Binding[T]{binding{plan: p, direct: direct, kept: kept, misfits: make([]atomic.Uint64, len(p.ops))}}, nil
}

func (b *Binding[T]) made() bool { return b != nil && b.b.direct != nil }

// Plan returns the bound plan.
func (b *Binding[T]) Plan() *Plan { return b.b.plan }

// Append appends the encoded struct to dst. Like append it touches nothing after the result. The error is the
// first value that was refused (see Misfit and Refuse), or DepthExceeded; the rest of the struct is appended
// nevertheless. A nil pointer is an empty message.
func (b *Binding[T]) Append(dst []byte, v *T) ([]byte, error) {
	if !b.made() {
		return dst, errUnmade()
	}
	s := encode.TakeScratch()
	out, err := b.b.append(*s, unsafe.Pointer(v))
	return s.AppendTo(dst, out), err
}

// AppendScratch is Append with all of dst's spare capacity as scratch, which is overwritten.
func (b *Binding[T]) AppendScratch(dst []byte, v *T) ([]byte, error) {
	if !b.made() {
		return dst, errUnmade()
	}
	return b.b.append(dst, unsafe.Pointer(v))
}

// AppendDelimited is Append for a length-prefixed message.
func (b *Binding[T]) AppendDelimited(dst []byte, v *T) ([]byte, error) {
	if !b.made() {
		return dst, errUnmade()
	}
	s := encode.TakeScratch()
	out, err := b.b.appendDelimited(*s, unsafe.Pointer(v))
	return s.AppendTo(dst, out), err
}

// AppendDelimitedScratch is AppendDelimited with all of dst's spare capacity as scratch, which is overwritten.
func (b *Binding[T]) AppendDelimitedScratch(dst []byte, v *T) ([]byte, error) {
	if !b.made() {
		return dst, errUnmade()
	}
	return b.b.appendDelimited(dst, unsafe.Pointer(v))
}

// AppendRecord sets the columns of a record of the same plan to the struct's values. Zero values set nothing.
// Apart from that the effect is the same as setting each column with its handle: deferred columns are kept, first
// values stay, and the record counts misfits.
func (b *Binding[T]) AppendRecord(r *Record, v *T) {
	switch {
	case r == nil:
	case !b.made():
		r.fail(wire.HandleMisuse, "", "the binding was not created by Bind")
	default:
		b.b.appendRecord(r, unsafe.Pointer(v))
	}
}

// AddTo adds the struct's message to a batch. Errors are those of Append, and the message is in the batch
// nevertheless. After HandleMisuse it is not.
func (b *Binding[T]) AddTo(to *Batch, v *T) error {
	if !b.made() || !to.made() {
		return errUnmade()
	}
	return b.b.addTo(to, unsafe.Pointer(v))
}

// Misfits returns how many values a column could not hold since the binding was created, without those of
// AppendRecord.
func (b *Binding[T]) Misfits(h Handle) uint64 {
	if int(h.index) >= len(b.b.misfits) || b.b.plan.ops[h.index].scope != h.scope {
		return 0
	}
	return b.b.misfits[h.index].Load()
}

func (b *binding) append(dst []byte, v unsafe.Pointer) ([]byte, error) {
	if v == nil {
		return dst, nil
	}
	x := boundRun{binding: b}
	out, n := b.direct.encode(&x, dst[:cap(dst)], len(dst), v)
	return out[:n], x.err
}

func (b *binding) appendDelimited(dst []byte, v unsafe.Pointer) ([]byte, error) {
	x := boundRun{binding: b}
	room := max(1, int(b.length.Load()))
	start := len(dst) + room
	out := encode.WithRoom(dst[:cap(dst)], len(dst), room)
	n := start
	if v != nil {
		out, n = b.direct.encode(&x, out, start, v)
	}
	out, n = encode.PutLengthBefore(out, start, n, room, &b.length)
	return out[:n], x.err
}

func (b *binding) addTo(to *Batch, v unsafe.Pointer) error {
	r := to.r
	if r.plan != b.plan || !to.addDirectly() {
		b.appendRecord(r, v)
		if r.plan != b.plan || len(r.levels) > 0 {
			return r.err
		}
		return to.Add()
	}
	x := boundRun{binding: b}
	out, n := r.buf[:cap(r.buf)], len(r.buf)
	if v != nil {
		out, n = b.direct.encode(&x, out, n, v)
	}
	to.added(out, n)
	return x.err
}

func (b *binding) appendRecord(r *Record, v unsafe.Pointer) {
	switch {
	case r.plan != b.plan:
		r.fail(wire.HandleMisuse, "", "the binding and the record belong to different plans")
	case len(r.levels) > 0:
		r.fail(wire.HandleMisuse, "", "a binding sets columns of the root, and another message has been begun")
	case v != nil:
		x := boundRun{binding: b, record: r}
		from := len(r.buf)
		out, n := b.kept.encode(&x, r.buf[:cap(r.buf)], from, v)
		r.buf = out[:n]
		r.note(from)
	}
}
