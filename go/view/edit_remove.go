package view

import (
	"math"

	"github.com/hotpb/hotpb/go/wire"
)

// removeAll takes all records of a field out. What the view shows among the unknown fields stays. The message is to be
// scanned again.
func (e *Edit) removeAll(f *wire.FieldTable) { e.remove(&removal{field: f, to: math.MaxInt}) }

// removeElements takes the elements from one index up to another out of a repeated field, when the field has them. If
// not, the buffer has the error. The message is to be scanned again.
func (e *Edit) removeElements(run Run, f *wire.FieldTable, from, to int) bool {
	if from < 0 || to < from || to > run.Len() {
		e.outOfRange()
		return false
	}
	e.remove(&removal{field: f, from: from, to: to})
	return true
}

// removal says which elements go.
type removal struct {
	field    *wire.FieldTable
	from, to int      // by index
	spec     *MapSpec // of a map field
	key      *Datum   // of a map field: by key
	item     uint32   // of a message set, without a field: by type
	index    int      // of the next element
	dry      bool     // nothing is moved, what would go is counted
}

// gone is how many bytes r takes out.
func (e *Edit) gone(r *removal) int {
	r.dry = true
	return e.remove(r)
}

// remove goes over the records of the message and moves those that stay together. It returns how many bytes go.
func (e *Edit) remove(r *removal) (gone int) {
	b := e.buf
	if debug && !r.dry {
		Expire(b.b)
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
					w = put(c, w, uint64(size)) // ends before start: the record does not grow
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
	e.found = found{}
	e.touch()
	return gone
}

// pack gives the size of the elements that stay, of those between start and stop,
// and moves them to w unless that is negative.
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

// drops tells whether the record goes whose value stands between at and the end of c.
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
