package view

import (
	"errors"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// Base is a view in the form that the methods common to all generated views need. The Raw is nil if the view is.
type Base struct {
	of *Layout
	r  *Raw
}

// Base returns the base of the view at v, which has this layout or is nil.
func (l *Layout) Base(v unsafe.Pointer) Base { return Base{l, (*Raw)(v)} }

// Decode opens b.
func (v Base) Decode(b []byte, o Options) error { return v.of.decode(v.r, b, o) }

// OpenElement opens the current element of an iterator: Open(it.Message(), nil) in fewer steps.
func (v Base) OpenElement(it *Messages) error { return v.of.openElement(v.r, it) }

// Open opens a message. If it came in several records, Open merges them by appending them to *scratch, or to new
// memory if scratch is nil.
func (v Base) Open(m Message, scratch *[]byte) error { return v.of.open(v.r, m, scratch) }

// Validate checks the whole message, nested messages included.
func (v Base) Validate() error {
	r := v.r
	if r == nil {
		return nil
	}
	if debug {
		r.check(r.b)
	}
	if wire.Valid(*v.of.Tables, v.of.Index, r.b, r.options()) {
		return nil
	}
	return v.of.fail(r)
}

// RawBytes returns the bytes of the message.
func (v Base) RawBytes() []byte {
	if v.r == nil {
		return nil
	}
	b := v.r.Bytes()
	return b[:len(b):len(b)]
}

// AsMessage returns the message itself, which can be opened as another type. It is empty if the view is nil.
func (v Base) AsMessage() Message {
	r := v.r
	if r == nil {
		return Message{}
	}
	if debug {
		r.check(r.b)
	}
	return Message{b: r.b, end: uint32(len(r.b)), rules: r.rules}
}

// UnknownFields iterates over the unknown fields of the message.
func (v Base) UnknownFields() UnknownFields {
	r := v.r
	if r == nil {
		return UnknownFields{}
	}
	if debug {
		r.check(r.b)
	}
	return UnknownFields{b: r.b, i: r.unknown, end: r.last, group: *v.of.Tables, message: v.of.table()}
}

func (l *Layout) decode(r *Raw, b []byte, o Options) error {
	if r == nil {
		return ErrIndex()
	}
	r.start(b, o)
	if !r.refused() && l.Scan(hiddenLayout(l), hiddenRaw(r)) {
		return nil
	}
	return l.refuse(r)
}

func (l *Layout) openElement(r *Raw, it *Messages) error {
	if r == nil || it == nil {
		return ErrIndex()
	}
	it.enter(r)
	if !r.refused() && l.Scan(hiddenLayout(l), hiddenRaw(r)) {
		return nil
	}
	return l.refuse(r)
}

func (l *Layout) open(r *Raw, m Message, scratch *[]byte) error {
	if m.several { // each must be well-formed by itself
		for records := m.records(); records.Next(); {
			if err := l.openElement(r, &records); err != nil {
				return err
			}
		}
		m = m.mergeInto(scratch)
	}
	if r == nil {
		return ErrIndex()
	}
	m.enter(r)
	if !r.refused() && l.Scan(hiddenLayout(l), hiddenRaw(r)) {
		return nil
	}
	return l.refuse(r)
}

// refused reports whether the message must not be scanned at all.
func (r *Raw) refused() bool { return r.levels < 0 || len(r.b) > int(r.limit) }

// refuse empties a view whose message could not be opened, and returns the error.
func (l *Layout) refuse(r *Raw) error {
	err := l.fail(r)
	*r = Raw{}
	l.clear(r)
	return err
}

// fail returns the error of a message whose scan failed.
func (l *Layout) fail(r *Raw) error {
	if r.levels == missing {
		return ErrIndex()
	}
	if r.levels < 0 {
		return &wire.Error{Code: wire.DepthExceeded}
	}
	if err := wire.Check(*l.Tables, l.Index, r.b, r.options()); err != nil {
		return err
	}
	return errors.New("hotpb: internal error: the view rejects a message that wire.Check accepts")
}
