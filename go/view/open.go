package view

import (
	"errors"

	"github.com/hotpb/hotpb/go/wire"
)

// The methods below are those of every generated view, whose Raw is r. It is nil when the view is.

// Decode opens b.
func (l *Layout) Decode(r *Raw, b []byte, o Options) error {
	if r == nil {
		return ErrIndex()
	}
	r.start(b, o)
	if !r.refused() && l.scan(r) {
		return nil
	}
	return l.refuse(r)
}

// OpenElement opens the current element of an iterator.
func (l *Layout) OpenElement(r *Raw, it *Messages) error {
	if r == nil || it == nil {
		return ErrIndex()
	}
	it.enter(r)
	if !r.refused() && l.scan(r) {
		return nil
	}
	return l.refuse(r)
}

// OpenMessage opens a message. The parts of one that came in several records are appended to *scratch, or to memory of
// their own when scratch is nil.
func (l *Layout) OpenMessage(r *Raw, m Message, scratch *[]byte) error {
	if m.several { // each must be well-formed by itself
		for records := m.records(); records.Next(); {
			if err := l.OpenElement(r, &records); err != nil {
				return err
			}
		}
		m = m.mergeInto(scratch)
	}
	if r == nil {
		return ErrIndex()
	}
	m.enter(r)
	if !r.refused() && l.scan(r) {
		return nil
	}
	return l.refuse(r)
}

// refused reports whether the message may not be scanned at all.
func (r *Raw) refused() bool { return r.levels < 0 || len(r.b) > int(r.limit) }

// refuse empties a view whose message could not be opened, and says what is wrong with that.
func (l *Layout) refuse(r *Raw) error {
	err := l.fail(r)
	*r = Raw{}
	l.clear(r)
	return err
}

// fail says what is wrong with a message whose scan failed.
func (l *Layout) fail(r *Raw) error {
	if r.levels < 0 {
		return &wire.Error{Code: wire.DepthExceeded}
	}
	if err := wire.Check(*l.Tables, l.Index, r.b, r.options()); err != nil {
		return err
	}
	return errors.New("hotpb: internal error: a view refused what wire.Check accepts")
}

// Validate checks the message with all that is in it.
func (l *Layout) Validate(r *Raw) error {
	if r == nil {
		return nil
	}
	if debug {
		r.check(r.b)
	}
	if wire.Valid(*l.Tables, l.Index, r.b, r.options()) {
		return nil
	}
	return l.fail(r)
}

// UnknownFields iterates over the unknown fields of the message.
func (l *Layout) UnknownFields(r *Raw) UnknownFields {
	if r == nil {
		return UnknownFields{}
	}
	if debug {
		r.check(r.b)
	}
	return UnknownFields{b: r.b, i: r.unknown, end: r.last, group: *l.Tables, message: l.table()}
}
