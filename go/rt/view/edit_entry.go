package view

import "github.com/hotpb/hotpb/go/rt/wire"

// The methods below serve the map fields of every generated editor. k is the index of the field.

// Put puts an entry into a map, or replaces the value of the one with the same key.
func (l *Layout) Put(e *Edit, k int, key, value Datum) {
	if !e.current() {
		key, value.text = e.keepKey(key), e.keep(value.text)
	}
	if !l.Ready(e) {
		return
	}
	f := &l.Fields[k]
	slot := l.run(e, f)
	run, from, delta := e.put(e.raw(), *slot, l.spec(f), key, value)
	*slot = run // the end of the run moves, too
	l.Shift(e, from, delta)
}

// Delete removes the entry with the key, if there is one.
func (l *Layout) Delete(e *Edit, k int, key Datum) {
	key = e.keepKey(key)
	if l.Ready(e) {
		l.delete(e, &l.Fields[k], key)
	}
}

// delete reports whether the message can be edited afterwards.
func (l *Layout) delete(e *Edit, f *Field, key Datum) bool {
	spec := l.spec(f)
	if !e.hasKey(*l.run(e, f), spec, key) {
		return true
	}
	e.removeKey(spec, key)
	return l.Rescan(e)
}

// makeRoom removes the entry with the key if the map accepts a new one with this message.
func (l *Layout) makeRoom(e *Edit, f *Field, key, value Datum) bool {
	spec := l.spec(f)
	if !e.takesEntry(e.raw(), spec, &key, &value) {
		return false
	}
	if n := int(e.entrySize(spec, &key, &value)); !e.buf.fits(n) && !e.buf.has(n-e.gone(removalOf(spec, &key))) {
		return false
	}
	return l.delete(e, f, key)
}

// PutMessage puts a copy of a message into a map.
func (l *Layout) PutMessage(e *Edit, k int, key Datum, content []byte) {
	content, key = e.keep(content), e.keepKey(key)
	if !l.Ready(e) {
		return
	}
	if f, value := &l.Fields[k], Data(content); l.makeRoom(e, f, key, value) {
		slot := l.run(e, f)
		*slot = e.addEntry(*slot, l.spec(f), &key, &value)
	}
}

// NewEntry resets the message of a key to an empty one, and opens it.
func (l *Layout) NewEntry(e *Edit, k int, key Datum, h Handle) {
	key = e.keepKey(key)
	cr, ok := l.ready(e, h)
	if !ok {
		return
	}
	f := &l.Fields[k]
	if e.raw().levels < 2 {
		e.buf.fail(wire.DepthExceeded)
		ok = false
	}
	if !ok || !l.makeRoom(e, f, key, Datum{}) {
		*h.Edit = e.dead()
		return
	}
	l.newEntry(e, f, key, nil, h, cr)
}

func (l *Layout) newEntry(e *Edit, f *Field, key Datum, content []byte, h Handle, cr *Raw) {
	slot := l.run(e, f)
	*slot = e.newEntry(e.raw(), *slot, l.spec(f), key, content, h.Edit, cr)
}

// EditEntry opens the message of a key. If there is none, EditEntry adds it.
func (l *Layout) EditEntry(e *Edit, k int, key Datum, h Handle) error {
	key = e.keepKey(key)
	cr, ok := l.ready(e, h)
	if !ok {
		return e.Err()
	}
	f := &l.Fields[k]
	several, ok := e.enterLastEntry(e.raw(), *l.run(e, f), l.spec(f), key, h.Edit, cr)
	var merged []byte
	if several.several { // it came in several records: merge them into one
		if err := h.Of.Open((*Base)(cr), several, nil); err != nil {
			*h.Edit = e.dead()
			return e.leave(err)
		}
		merged = cr.b
		h.reset()
		e.removeKey(l.spec(f), key)
		if !l.Rescan(e) {
			*h.Edit = e.dead()
			return e.Err()
		}
		ok = false
	}
	if !ok {
		l.newEntry(e, f, key, merged, h, cr)
		if err := h.Edit.opened(); err != nil {
			return err
		}
	}
	return h.scan(e)
}
