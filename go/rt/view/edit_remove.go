package view

import (
	"math"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// removeAll removes all records of a field. Records that the view counts as unknown fields stay. The message must be
// scanned again.
func (e *Edit) removeAll(f *wire.FieldTable) { e.remove(&removal{field: f, to: math.MaxInt}) }

// removeElements removes the elements from one index up to another from a repeated field, if the field has them. If
// not, it sets the buffer's error. The message must be scanned again.
func (e *Edit) removeElements(run Run, f *wire.FieldTable, from, to int) bool {
	if from < 0 || to < from || to > run.Len() {
		e.outOfRange()
		return false
	}
	e.remove(&removal{field: f, from: from, to: to})
	return true
}

// removal describes the elements to remove.
type removal struct {
	field    *wire.FieldTable
	from, to int      // by index
	spec     *MapSpec // for a map field
	key      *Datum   // for a map field: remove by key
	item     uint32   // for a message set, without a field: remove by type
	index    int      // of the next element
	dry      bool     // move nothing, only count the bytes
}

// gone returns the number of bytes that r would remove.
func (e *Edit) gone(r *removal) int {
	r.dry = true
	return e.remove(r)
}

// remove goes over the records of the message and moves the remaining ones together. It returns the number of bytes
// removed.
func (e *Edit) remove(r *removal) (gone int) {
	b := e.buf
	if debug && !r.dry {
		Expire(b.b[:cap(b.b)])
	}
	c := e.content()
	w := 0
	for i := 0; i < len(c); {
		tag, at := wire.ReadTag(c, i)
		next := wire.Skip(c, at, tag, 1<<15-1)
		switch {
		case r.item != 0:
			if r.isItem(c, i) {
				i = next
				continue
			}
		case tag.Number() != r.field.Number || !r.field.Matches(tag.Type()):
		case tag.Type() == wire.BytesType && r.field.Kind.Type() != wire.BytesType: // packed
			start, stop := wire.ReadBytes(c, at)
			size, index := r.pack(c, start, stop, -1)
			if size < stop-start {
				switch {
				case size == 0:
				case r.dry:
					w += at - i + wire.SizeVarint(uint64(size)) + size
				default:
					w += copy(c[w:], c[i:at])
					w = put(c, w, uint64(size)) // it ends before start, because the record does not grow
					r.pack(c, start, stop, w)
					w += size
				}
				r.index, i = index, next
				continue
			}
			r.index = index
		case r.drops(c[:next], at):
			i = next
			continue
		}
		if w != i && !r.dry {
			copy(c[w:], c[i:next])
		}
		w += next - i
		i = next
	}
	gone = len(c) - w
	if r.dry {
		return gone
	}
	if gone > 0 {
		b.b = append(b.b[:b.start+w], b.b[b.start+len(c):]...)
	}
	e.forget()
	e.touch()
	return gone
}

// pack returns the size of the remaining elements between start and stop, and moves them to w unless w is negative.
func (r *removal) pack(c []byte, start, stop, w int) (size, index int) {
	width := widthOf(r.field.Kind.Type())
	index = r.index
	for i := start; i < stop; {
		next := i + width
		if width == 0 {
			next = wire.SkipVarint(c, i)
		}
		gone := false
		if r.field.Closed == nil || closedHas(r.field.Closed, c, i) {
			gone = index >= r.from && index < r.to
			index++
		}
		if !gone {
			if w >= 0 {
				copy(c[w+size:], c[i:next])
			}
			size += next - i
		}
		i = next
	}
	return size, index
}

// drops reports whether to remove the record whose value is between at and the end of c.
func (r *removal) drops(c []byte, at int) bool {
	switch {
	case r.spec != nil:
		start, stop := wire.ReadBytes(c, at)
		entry := findEntry(c[:stop], start, wire.MakeTag(1, r.spec.Key.Type()), wire.MakeTag(2, r.spec.Value.Type()))
		if r.spec.Closed != nil && entry.value.Has() && !closedHas(r.spec.Closed, c, int(entry.value.at)) {
			return false // an unknown field
		}
		if r.key != nil {
			return r.spec.isKey(c, entry.key, r.key)
		}
	case r.field.Closed != nil && !closedHas(r.field.Closed, c, at):
		return false // an unknown field
	}
	index := r.index
	r.index++
	return index >= r.from && index < r.to
}
