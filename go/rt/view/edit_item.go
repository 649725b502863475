package view

import "github.com/hotpb/hotpb/go/rt/wire"

// The methods below serve the extensions of a message set. e has borrowed the message set from its editor.

// SetItem replaces the items of an extension with one that has this content. The message must be scanned again.
func (e *Editor) SetItem(number uint32, content []byte) { e.setItem(&e.raw, number, content) }

// ClearItem removes the items of an extension. The message must be scanned again.
func (e *Editor) ClearItem(number uint32) { e.clearItem(number) }

// EditItem opens the item that SetItem wrote last, unless the message was not lent or there was an error. It reports
// whether h entered the message.
func (e *Editor) EditItem(lent bool, err error, h Handle) (entered bool, _ error) {
	cr := h.reset()
	if !lent || !e.enterLastItem(&e.raw, err, h.Edit, cr) {
		return false, e.Lost(h, nil)
	}
	return true, h.scan(&e.Edit)
}

// clearItem removes the message-set items of an extension. The message must be scanned again.
func (e *Edit) clearItem(number uint32) { e.remove(&removal{item: number}) }

// setItem replaces the items of an extension with one that has this content. The message must be scanned again.
func (e *Edit) setItem(r *Raw, number uint32, content []byte) {
	if r.levels <= 0 {
		e.buf.fail(wire.DepthExceeded)
		return
	}
	b := e.buf
	content = b.stable(content)
	n := 4 + wire.SizeVarint(uint64(number)) + wire.SizeVarint(uint64(len(content))) + len(content)
	if !b.fits(n) && !b.has(n-e.gone(&removal{item: number})) {
		return
	}
	e.clearItem(number)
	i := e.add(n)
	if i < 0 {
		return
	}
	i = put(b.b, i, uint64(itemTag))
	i = put(b.b, i, uint64(itemTypeTag))
	i = put(b.b, i, uint64(number))
	i = put(b.b, i, uint64(itemMessageTag))
	i = put(b.b, i, uint64(len(content)))
	i += copy(b.b[i:], content)
	put(b.b, i, uint64(itemTag)+1)
}

// enterLastItem opens the item that SetItem wrote last for h, unless there was an error.
func (e *Edit) enterLastItem(r *Raw, err error, h *Edit, hr *Raw) bool {
	if err != nil {
		e.leave(err)
		return false
	}
	if !e.child(r, h, hr, 1) {
		return false
	}
	c := e.content()
	last := uint32(0)
	for i := uint32(0); i < uint32(len(c)); i = skipRecord(c, i, uint32(len(c))) {
		last = i
	}
	p := e.recordAt(last) // its contents: type_id, then the message
	_, at := wire.ReadTag(c, int(p.start))
	_, head := wire.ReadTag(c, wire.SkipVarint(c, at))
	start, end := wire.ReadBytes(c, head)
	p.head, p.start, p.end = uint32(head), uint32(start), uint32(end)
	e.enter(p, h, hr)
	return true
}

// isItem reports whether the record between i and the end of c is one of the items.
func (r *removal) isItem(c []byte, i int) bool {
	tag, at := wire.ReadTag(c, i)
	if tag == itemTag {
		end, _ := wire.SkipGroup(c, at, 1, 1<<15-1)
		id, complete := readItem(c[:end], at)
		return complete && id == r.item
	}
	return r.item <= wire.MaxNumber && tag == wire.MakeTag(r.item, wire.BytesType)
}
