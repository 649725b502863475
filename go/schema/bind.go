package schema

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/bind"
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
type Binding[T any] struct {
	plan *Plan
	b    bind.Binding
}

// Bind binds a plan to a struct type. An error lists all fields that fit no column; each part is an *Error,
// TypeMismatch, with the field and the column.
func Bind[T any](p *Plan) (*Binding[T], error) {
	if p.isEmpty() {
		return nil, errNoPlan()
	}
	b := &Binding[T]{plan: p}
	var wrong []error
	for _, fault := range b.b.Make(&p.compiled, reflect.TypeFor[T]()) {
		wrong = append(wrong, asError(fault))
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return b, nil
}

func (b *Binding[T]) made() bool { return b != nil && b.plan != nil }

// Plan returns the bound plan.
func (b *Binding[T]) Plan() *Plan { return b.plan }

// Append appends the encoded struct to dst. Like append it touches nothing after the result. The error is the
// first value that was refused (see Misfit and Refuse), or DepthExceeded; the rest of the struct is appended
// nevertheless. A nil pointer is an empty message.
func (b *Binding[T]) Append(dst []byte, v *T) ([]byte, error) {
	if !b.made() {
		return dst, errUnmade()
	}
	s := encode.TakeScratch()
	out, fault := b.b.Append(*s, unsafe.Pointer(v))
	return s.AppendTo(dst, out), asError(fault)
}

// AppendScratch is Append with all of dst's spare capacity as scratch, which is overwritten.
func (b *Binding[T]) AppendScratch(dst []byte, v *T) ([]byte, error) {
	if !b.made() {
		return dst, errUnmade()
	}
	dst, fault := b.b.Append(dst, unsafe.Pointer(v))
	return dst, asError(fault)
}

// AppendDelimited is Append for a length-prefixed message.
func (b *Binding[T]) AppendDelimited(dst []byte, v *T) ([]byte, error) {
	if !b.made() {
		return dst, errUnmade()
	}
	s := encode.TakeScratch()
	out, fault := b.b.AppendDelimited(*s, unsafe.Pointer(v))
	return s.AppendTo(dst, out), asError(fault)
}

// AppendDelimitedScratch is AppendDelimited with all of dst's spare capacity as scratch, which is overwritten.
func (b *Binding[T]) AppendDelimitedScratch(dst []byte, v *T) ([]byte, error) {
	if !b.made() {
		return dst, errUnmade()
	}
	dst, fault := b.b.AppendDelimited(dst, unsafe.Pointer(v))
	return dst, asError(fault)
}

// AppendRecord sets the columns of a record of the same plan to the struct's values. Zero values set nothing.
// Apart from that the effect is the same as setting each column with its handle: deferred columns are kept, first
// values stay, and the record counts misfits.
func (b *Binding[T]) AppendRecord(r *Record, v *T) {
	switch {
	case r == nil:
	case !b.made():
		r.inner().Fail(wire.HandleMisuse, "", "the binding was not created by Bind")
	default:
		b.b.AppendRecord(r.inner(), unsafe.Pointer(v))
	}
}

// AddTo adds the struct's message to a batch. Errors are those of Append, and the message is in the batch
// nevertheless. After HandleMisuse it is not.
func (b *Binding[T]) AddTo(to *Batch, v *T) error {
	if !b.made() || !to.inner().Made() {
		return errUnmade()
	}
	return asError(b.b.AddTo(to.inner(), unsafe.Pointer(v)))
}

// Misfits returns how many values a column could not hold since the binding was created, without those of
// AppendRecord.
func (b *Binding[T]) Misfits(h Handle) uint64 { return b.b.Misfits(h.h) }
