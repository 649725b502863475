package pool

import "unsafe"

// Ref is a message as this package sees it. Generated methods call those of their Ref. Of a nil message it is nil, too.
type Ref struct {
	l *Layout
	m unsafe.Pointer
}

// RefOf is the message at m, with its layout.
func RefOf(l *Layout, m unsafe.Pointer) Ref { return Ref{l, m} }

// Layout is how the loops of this package see messages of this type.
func (r Ref) Layout() *Layout { return r.l }

// Hidden is what the message holds beside its fields; nil of a nil message.
func (r Ref) Hidden() *Hidden { return (*Hidden)(r.m) }

// UnmarshalAs decodes by the default rules.
func (r Ref) UnmarshalAs(b []byte, mode Mode) error {
	return r.unmarshal(b, &Options{Mode: mode}, false)
}

// Unmarshal decodes by these rules.
func (r Ref) Unmarshal(b []byte, o Options) error { return r.unmarshal(b, &o, false) }

// Missing is the path of the first required field that is absent, or "".
func (r Ref) Missing(byKey bool) string { return r.l.missing(r.m, byKey) }

// Absent is the error of the first required field that is absent on encoding; nil when all are there.
func (r Ref) Absent() error {
	if path := r.l.missing(r.m, true); path != "" {
		return Missing(path)
	}
	return nil
}

// Marshal, MarshalWith, MarshalScratch and MarshalToSizedBuffer encode the message without a look at its required fields.
func (r Ref) Marshal() ([]byte, error) {
	e := scratchFor(MarshalOptions{})
	return e.exact(r.encode(e), r.l)
}

func (r Ref) MarshalWith(dst []byte, o MarshalOptions) ([]byte, error) {
	e := scratchFor(o)
	return e.copy(dst, r.encode(e), r.l)
}

func (r Ref) MarshalScratch(dst []byte) ([]byte, error) {
	e := overRoom(dst[len(dst):cap(dst)])
	return e.append(dst, r.encode(e), r.l)
}

func (r Ref) MarshalToSizedBuffer(b []byte) (int, error) {
	e := overRoom(b)
	return e.fill(b, r.encode(e), r.l)
}

func (r Ref) encode(e *Encoder) int { return r.l.encodeAt(r.m, e, len(e.B)) }

// Size is the size of the encoding.
func (r Ref) Size() int { return r.l.size(r.m) }

// Equal reports whether two messages of one type have the same fields with the same values, and the same unknown fields.
func (r Ref) Equal(other Ref) bool { return r.l.equal(r.m, other.m) }

// Clone returns a copy that shares nothing with the message; nil of a nil message.
func (r Ref) Clone() unsafe.Pointer {
	if r.m == nil {
		return nil
	}
	return r.l.clone(r.m)
}

// UnknownFields iterates over the unknown fields.
func (r Ref) UnknownFields() UnknownFields { return r.Hidden().UnknownFields() }

// SetUnknown replaces them.
func (r Ref) SetUnknown(records []byte) error { return r.Hidden().SetUnknown(records) }

// KeptMemory is how many bytes the message keeps for its next decode.
func (r Ref) KeptMemory() int { return r.Hidden().KeptMemory() }

// Shrink gives that memory back when it is more than limit bytes.
func (r Ref) Shrink(limit int) { r.Hidden().Shrink(limit) }
