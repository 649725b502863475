package view

import (
	"errors"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// The methods of a view that need its layout. v is a view with this layout, or nil.

// Validate checks the whole message, nested messages included.
func (l *Layout) Validate(v *Base) error {
	if v == nil {
		return nil
	}
	r := (*Raw)(v)
	if debug {
		r.check(r.b)
	}
	if wire.Valid(*l.Tables, l.Index, r.b, r.options()) {
		return nil
	}
	return l.fail(r)
}

// UnknownFields iterates over the unknown fields of the message.
//
//go:noinline
func (l *Layout) UnknownFields(v *Base) UnknownFields {
	if v == nil {
		return UnknownFields{}
	}
	if debug {
		v.check(v.b)
	}
	return UnknownFields{b: v.b, i: v.unknown, end: v.last, group: *l.Tables, message: l.table()}
}

// Decode opens b.
func (l *Layout) Decode(v *Base, b []byte, o Options) error {
	r := (*Raw)(v)
	if r == nil {
		return ErrIndex()
	}
	r.start(b, o)
	if !r.refused() && l.Scan(hiddenLayout(l), hiddenRaw(r)) {
		return nil
	}
	return l.refuse(r)
}

// OpenElement opens the current element of an iterator: Open(elements.Message(), nil) in fewer steps.
func (l *Layout) OpenElement(v *Base, elements *Messages) error {
	r := (*Raw)(v)
	if r == nil || elements == nil {
		return ErrIndex()
	}
	elements.enter(r)
	if !r.refused() && l.Scan(hiddenLayout(l), hiddenRaw(r)) {
		return nil
	}
	return l.refuse(r)
}

// Open opens a message. If it came in several records, Open merges them by appending them to *scratch, or to new memory if
// scratch is nil.
func (l *Layout) Open(v *Base, m Message, scratch *[]byte) error {
	r := (*Raw)(v)
	if m.several { // each must be well-formed by itself
		for records := m.records(); records.Next(); {
			if err := l.OpenElement(v, &records); err != nil {
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

// OpenSub is Open for the message in a slot of the view that holds it, of a field with this tag: Open(from.Sub(at, tag), nil), or
// Open(from.Member(at, number, tag), nil) for the member of a oneof, in fewer steps. The views may be the same.
func (l *Layout) OpenSub(v, from *Base, at uintptr, number uint32, tag wire.Tag) error {
	if from != nil && v != nil && !debug {
		s := *(*Sub)(from.slot(at))
		if number != 0 {
			s = (*Choice)(from.slot(at)).Sub(number)
		}
		if s.end != 0 && s.first&split == 0 {
			start, stop, _ := record(from.b, s.first, s.end, tag, 1<<15-1)
			r := (*Raw)(v)
			r.b, r.rules = from.b[start:stop:stop], from.rules.below()
			r.unknown, r.last = 0, 0
			if !r.refused() && l.Scan(hiddenLayout(l), hiddenRaw(r)) {
				return nil
			}
			return l.refuse(r)
		}
	}
	return l.Open(v, message((*Raw)(from), at, number, tag), nil)
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
