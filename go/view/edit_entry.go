package view

// The methods below are those of the map fields of every generated editor. k is the index of the field.

// Put puts an entry into a map, or a value into the one there is.
func (l *Layout) Put(e *Edit, k int, key, value Datum) {
	if !l.Ready(e) {
		return
	}
	f := &l.Fields[k]
	slot := l.run(e, f)
	run, from, delta := e.put(e.raw(), *slot, l.spec(f), key, value)
	*slot = run // its end moves, too
	l.Shift(e, from, delta)
}

// Delete takes the entry with the key out, if there is one.
func (l *Layout) Delete(e *Edit, k int, key Datum) {
	if l.Ready(e) {
		l.delete(e, &l.Fields[k], e.keepKey(key))
	}
}

func (l *Layout) delete(e *Edit, f *Field, key Datum) {
	if spec := l.spec(f); e.hasKey(*l.run(e, f), spec, key) {
		e.removeKey(spec, key)
		l.Rescan(e)
	}
}

// PutMessage puts a copy of a message into a map.
func (l *Layout) PutMessage(e *Edit, k int, key Datum, content []byte) {
	if !l.Ready(e) {
		return
	}
	f := &l.Fields[k]
	content, key = e.buf.stable(content), e.keepKey(key)
	l.delete(e, f, key)
	slot := l.run(e, f)
	*slot = e.addMessageEntry(e.raw(), *slot, l.spec(f), key, content)
}

// NewEntry starts the message of a key again, empty, and opens it.
func (l *Layout) NewEntry(e *Edit, k int, key Datum, h Handle) {
	cr, ok := l.ready(e, h)
	if !ok {
		return
	}
	f := &l.Fields[k]
	key = e.keepKey(key)
	l.delete(e, f, key)
	l.newEntry(e, f, key, nil, h, cr)
}

func (l *Layout) newEntry(e *Edit, f *Field, key Datum, content []byte, h Handle, cr *Raw) {
	slot := l.run(e, f)
	*slot = e.newEntry(e.raw(), *slot, l.spec(f), key, content, h.Edit, cr)
}

// EditEntry opens the message of a key. When there is none, it is there from now on.
func (l *Layout) EditEntry(e *Edit, k int, key Datum, h Handle) error {
	cr, ok := l.ready(e, h)
	if !ok {
		return e.Err()
	}
	f := &l.Fields[k]
	key = e.keepKey(key)
	merged, ok := e.enterLastEntry(e.raw(), *l.run(e, f), l.spec(f), key, h.Edit, cr)
	if merged != nil { // it came in several records, which become one
		e.removeKey(l.spec(f), key)
		l.Rescan(e)
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
