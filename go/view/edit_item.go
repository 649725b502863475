package view

import "github.com/hotpb/hotpb/go/wire"

// ClearItem takes the message-set items of an extension out. The message is to be scanned again.
func (e *Edit) ClearItem(number uint32) { e.remove(&removal{item: number}) }

// SetItem puts an item with this content in the place of those there are. The
// message is to be scanned again.
func (e *Edit) SetItem(r *Raw, number uint32, content []byte) {
	if r.levels <= 0 {
		e.buf.fail(wire.DepthExceeded)
		return
	}
	b := e.buf
	content = b.stable(content)
	e.ClearItem(number)
	i := e.add(4 + wire.SizeVarint(uint64(number)) + wire.SizeVarint(uint64(len(content))) + len(content))
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

// EnterLastItem opens the item that SetItem wrote last for h, unless there was an error.
func (e *Edit) EnterLastItem(r *Raw, err error, h *Edit, hr *Raw) bool {
	if err != nil {
		e.Leave(err)
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
	p := e.recordAt(last) // its content: type_id, then the message
	_, at := wire.ReadTag(c, int(p.start))
	_, head := wire.ReadTag(c, wire.SkipVarint(c, at))
	start, end := wire.ReadBytes(c, head)
	p.head, p.start, p.end = uint32(head), uint32(start), uint32(end)
	e.enter(p, h, hr)
	return true
}

// isItem tells whether the record between i and the end of c is one of the items.
func (r *removal) isItem(c []byte, i int) bool {
	tag, at := wire.ReadTag(c, i)
	if tag == itemTag {
		end, _ := wire.SkipGroup(c, at, 1, 1<<15-1)
		id, complete := readItem(c[:end], at)
		return complete && id == r.item
	}
	return r.item <= wire.MaxNumber && tag == wire.MakeTag(r.item, wire.BytesType)
}
