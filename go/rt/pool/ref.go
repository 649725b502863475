package pool

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Ref is a message as this package sees it. Generated methods call the methods of their Ref. The Ref of a nil message
// is nil, too.
type Ref struct {
	l *Layout
	m unsafe.Pointer
}

// RefOf returns the message at m, with its layout.
func RefOf(l *Layout, m unsafe.Pointer) Ref { return Ref{l, m} }

// Layout returns the description of the message's type for the loops of this package.
func (r Ref) Layout() *Layout { return r.l }

// Hidden returns the message's Hidden; nil for a nil message.
func (r Ref) Hidden() *Hidden { return (*Hidden)(r.m) }

// UnmarshalAs decodes with the default rules. In the usual case, a well-formed message and memory from an earlier decode, it
// only calls the message's decoder. In all other cases it decodes from the start.
func (r Ref) UnmarshalAs(b []byte, mode Mode) error {
	if r.m == nil {
		return nilError()
	}
	r.l.code(r.m).Reset()
	if d, slabs, own := r.Again(b, mode); d != nil && r.l.decodeAt(r.m, d, slabs, own, root, wire.DefaultDepth+1) >= 0 {
		if d.strayed != nil {
			d.settle()
		}
		if r.l.Traits&Requires == 0 || r.l.missing(r.m, false) == "" {
			return nil
		}
	}
	return r.unmarshal(b, &Options{Mode: mode}, false)
}

// Unmarshal decodes with the given rules.
func (r Ref) Unmarshal(b []byte, o Options) error { return r.unmarshal(b, &o, false) }

// Missing returns the path of the first required field that is absent, or "".
func (r Ref) Missing(byKey bool) string { return r.l.missing(r.m, byKey) }

// Absent returns the encoding error for the first required field that is absent, or nil if none is.
func (r Ref) Absent() error {
	if path := r.l.missing(r.m, true); path != "" {
		return Missing(path)
	}
	return nil
}

// Marshal, MarshalWith, MarshalScratch and MarshalToSizedBuffer encode the message without checking its required
// fields.
func (r Ref) Marshal() ([]byte, error) {
	var room [fewBytes]byte
	e := Over(room[:])
	return e.Fresh(r.encode(&e), r)
}

func (r Ref) MarshalWith(dst []byte, o MarshalOptions) ([]byte, error) {
	var room [fewBytes]byte
	e := Over(room[:])
	e.Deterministic = o.Deterministic
	if o.Strict {
		e.end, e.late = isStrict, false
	}
	return e.Append(dst, r.encode(&e), r)
}

func (r Ref) MarshalScratch(dst []byte) ([]byte, error) {
	if cap(dst)-len(dst) < fewBytes {
		return r.MarshalWith(dst, MarshalOptions{})
	}
	e := Over(dst[len(dst):cap(dst)])
	return e.Append(dst, r.encode(&e), r)
}

func (r Ref) MarshalToSizedBuffer(b []byte) (int, error) {
	return r.fill(b)
}

// fewBytes is the room on the stack that an encoding starts with.
const fewBytes = 512

func (r Ref) encode(e *Encoder) int { return r.l.encodeAt(r.m, e, len(e.B)) }

// Size returns the size of the encoding.
func (r Ref) Size() int { return r.l.size(r.m) }

// FieldSize returns the size of the encoding of one field.
func (r Ref) FieldSize(k int) int { return r.l.sizeOfFields(r.m, r.l.Fields[k:k+1]) }

// Equal reports whether two messages of one type have the same fields with the same values, and the same unknown fields.
func (r Ref) Equal(peer Ref) bool { return r.l.equal(r.m, peer.m) }

// Clone returns a copy that shares nothing with the message, or nil for a nil message.
func (r Ref) Clone() unsafe.Pointer {
	if r.m == nil {
		return nil
	}
	return r.l.clone(r.m)
}

// UnknownFields iterates over the unknown fields.
//
//go:noinline
func (r Ref) UnknownFields() UnknownFields { return r.Hidden().UnknownFields() }

// SetUnknown replaces the unknown fields.
func (r Ref) SetUnknown(records []byte) error { return r.Hidden().SetUnknown(records) }

// KeptMemory returns the number of bytes that the message keeps for its next decode.
func (r Ref) KeptMemory() int { return r.Hidden().KeptMemory() }

// Shrink frees that memory if it exceeds limit bytes.
func (r Ref) Shrink(limit int) { r.Hidden().Shrink(limit) }
