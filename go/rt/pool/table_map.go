package pool

import (
	"cmp"
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// MapType describes a type of maps to code that does not know it. MapOf and SortedOf implement it.
type MapType interface {
	decode(l *Layout, f *Field, p *Part, m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, b []byte, start, from, levels int) int
	encode(l *Layout, f *Field, p *Part, m unsafe.Pointer, e *Encoder, i int) int
	size(l *Layout, f *Field, p *Part, m unsafe.Pointer) int
	equal(l *Layout, f *Field, p *Part, m, peer unsafe.Pointer) bool
	missing(l *Layout, f *Field, p *Part, m unsafe.Pointer, byKey bool) string
	walk(p *Part, slabs unsafe.Pointer, w *Walk)
	count(p *Part, slabs unsafe.Pointer)
}

// MapOf is the type of a Go map; V is a pointer if the values are messages.
type MapOf[K comparable, V any] struct{}

// mapCost returns the number of bytes that an entry of a Go map is charged with.
func mapCost(p *Part) int {
	cost := 8
	for _, is := range [...]uint32{p.Key, p.Is} {
		switch wire.Kind(is & kindBits) {
		case wire.String:
			cost += 16
		case wire.Bytes:
			cost += 24
		default:
			cost += 8
		}
	}
	return cost
}

func (*MapOf[K, V]) decode(l *Layout, f *Field, p *Part, m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, b []byte, start, from, levels int) int {
	if !d.Take(mapCost(p)) {
		return d.Exceeded(start)
	}
	var key K
	var value V
	if !l.mapValue(d, p, slabs, unsafe.Pointer(&value)) {
		return d.Exceeded(start)
	}
	if !l.mapEntry(d, p, slabs, unsafe.Pointer(&key), unsafe.Pointer(&value), b, from, levels) {
		return failed
	}
	if l.undefined(f, p, unsafe.Pointer(&value)) {
		d.Keep(l.hidden(m), b[start:])
		return len(b)
	}
	field := (*map[K]V)(unsafe.Add(m, f[1]))
	if *field == nil {
		*field = Map((*Slab[map[K]V])(unsafe.Add(slabs, p.Slab)))
	}
	(*field)[key] = value
	keepOrder(p, m, slabs, key)
	return len(b)
}

// keepOrder records the key if the order of the entries matters to errors.
func keepOrder[K any](p *Part, m, slabs unsafe.Pointer, key K) {
	if p.Of&Ordered != 0 {
		keys := (*[]K)(unsafe.Add(m, p.Keys))
		*keys = append((*Slab[K])(unsafe.Add(slabs, p.Order)).Extend(*keys, 1), key)
	}
}

// mapValue initializes the value of an entry that has none. It returns false if there is no memory left.
func (l *Layout) mapValue(d *Decoder, p *Part, slabs, value unsafe.Pointer) bool {
	switch wire.Kind(p.Is & kindBits) {
	case wire.Message:
		child := l.child(p)
		if !d.Take(int(child.Size)) {
			return false
		}
		*(*unsafe.Pointer)(value) = slabAt(slabs, p.Value).allocate(elements{child.Of, child.Size})
	case wire.Enum:
		*(*int32)(value) = p.Else
	}
	return true
}

// mapEntry reads the entry that starts at i in b.
func (l *Layout) mapEntry(d *Decoder, p *Part, slabs, key, value unsafe.Pointer, b []byte, i, levels int) bool {
	keyIs, valueIs := wire.Kind(p.Key&kindBits), wire.Kind(p.Is&kindBits)
	for i < len(b) {
		tag, next := wire.ReadTag(b, i)
		if next < 0 {
			return false
		}
		var v scalar
		switch {
		case tag == wire.MakeTag(1, keyIs.Type()):
			if i = v.read(d, b, next, keyIs, p.Key&verifies != 0); i < 0 {
				return false
			}
			v.store(key, keyIs)
		case tag != wire.MakeTag(2, valueIs.Type()):
			if i = wire.Skip(b, next, tag, levels-1); i < 0 {
				return false
			}
		case valueIs == wire.Message:
			if i = l.child(p).decodeAt(*(*unsafe.Pointer)(value), d, l.slabsOf(p, slabs), b, next, levels-1); i < 0 {
				return false
			}
		default:
			if i = v.read(d, b, next, valueIs, p.Is&verifies != 0); i < 0 {
				return false
			}
			v.store(value, valueIs)
		}
	}
	return true
}

// undefined reports whether a value is not defined by its closed enum.
func (l *Layout) undefined(f *Field, p *Part, value unsafe.Pointer) bool {
	if p.Is&isClosed == 0 {
		return false
	}
	field := l.tableOf(f)
	group := *l.Tables
	if field.Child != nil {
		group = *field.Child
	}
	return !group[field.Index].Fields[1].Closed.Has(*(*int32)(value))
}

func (*MapOf[K, V]) encode(l *Layout, f *Field, p *Part, m unsafe.Pointer, e *Encoder, i int) int {
	entries := *(*map[K]V)(unsafe.Add(m, f[1]))
	if e.Deterministic {
		keys := SortedKeys(entries)
		for n := len(keys) - 1; n >= 0; n-- { // no iterator, see Encoder
			key, value := keys[n], entries[keys[n]]
			i = l.encodeEntry(e, f, p, unsafe.Pointer(&key), unsafe.Pointer(&value), i)
		}
		return i
	}
	for key, value := range entries {
		i = l.encodeEntry(e, f, p, unsafe.Pointer(&key), unsafe.Pointer(&value), i)
	}
	return i
}

func (l *Layout) encodeEntry(e *Encoder, f *Field, p *Part, key, value unsafe.Pointer, i int) int {
	written := len(e.B) - i
	if valueIs := wire.Kind(p.Is & kindBits); valueIs == wire.Message {
		i = l.child(p).encodeAt(*(*unsafe.Pointer)(value), e, e.room(i))
		i = e.room(i)
		i = e.Length(i, written)
	} else {
		i = e.value(i, value, valueIs, p.Is&verifies != 0)
	}
	i = e.tag(i, uint32(wire.MakeTag(2, wire.Kind(p.Is&kindBits).Type())))
	keyIs := wire.Kind(p.Key & kindBits)
	i = e.value(i, key, keyIs, p.Key&verifies != 0)
	i = e.tag(i, uint32(wire.MakeTag(1, keyIs.Type())))
	i = e.room(i)
	i = e.Length(i, written)
	return e.tag(i, f.tag())
}

func (*MapOf[K, V]) size(l *Layout, f *Field, p *Part, m unsafe.Pointer) (size int) {
	for key, value := range *(*map[K]V)(unsafe.Add(m, f[1])) {
		size += l.entrySize(f, p, unsafe.Pointer(&key), unsafe.Pointer(&value))
	}
	return size
}

func (l *Layout) entrySize(f *Field, p *Part, key, value unsafe.Pointer) int {
	n := 2 + enc.Size(key, wire.Kind(p.Key&kindBits)) // the tags of key and value have one byte each
	if valueIs := wire.Kind(p.Is & kindBits); valueIs == wire.Message {
		child := l.child(p).size(*(*unsafe.Pointer)(value))
		n += wire.SizeVarint(uint64(child)) + child
	} else {
		n += enc.Size(value, valueIs)
	}
	return wire.SizeVarint(uint64(f.tag())) + wire.SizeVarint(uint64(n)) + n
}

func (*MapOf[K, V]) equal(l *Layout, f *Field, p *Part, m, peer unsafe.Pointer) bool {
	entries, others := *(*map[K]V)(unsafe.Add(m, f[1])), *(*map[K]V)(unsafe.Add(peer, f[1]))
	if len(entries) != len(others) {
		return false
	}
	for key, a := range entries {
		if b, has := others[key]; !has || !l.equalEntries(p, unsafe.Pointer(&a), unsafe.Pointer(&b)) {
			return false
		}
	}
	return true
}

func (l *Layout) equalEntries(p *Part, a, b unsafe.Pointer) bool {
	kind := wire.Kind(p.Is & kindBits)
	if kind != wire.Message {
		return equalValues(a, b, kind)
	}
	child, left, right := l.child(p), *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
	if left == nil || right == nil { // an empty message, as the encoder writes it
		return child.size(left) == child.size(right)
	}
	return child.equal(left, right)
}

func (*MapOf[K, V]) missing(l *Layout, f *Field, p *Part, m unsafe.Pointer, byKey bool) string {
	entries := *(*map[K]V)(unsafe.Add(m, f[1]))
	child := l.child(p)
	complete := true
	for _, value := range entries {
		if child.missing(*(*unsafe.Pointer)(unsafe.Pointer(&value)), byKey) != "" {
			complete = false
			break
		}
	}
	if complete {
		return ""
	}
	// The order matters, and costs memory, only if a required field is missing.
	var keys []K
	if byKey {
		keys = SortedKeys(entries)
	} else {
		keys = LastKeys(*(*[]K)(unsafe.Add(m, p.Keys)))
	}
	for n, key := range keys {
		value := entries[key]
		if path := child.missing(*(*unsafe.Pointer)(unsafe.Pointer(&value)), byKey); path != "" {
			return wire.Within(l.tableOf(f).Name, n, "value."+path)
		}
	}
	return ""
}

func (*MapOf[K, V]) walk(p *Part, slabs unsafe.Pointer, w *Walk) {
	slabAt(slabs, p.Slab).visit(elements{scalars[isMap], sizes[isMap]}, w)
	if p.Of&Ordered != 0 {
		(*Slab[K])(unsafe.Add(slabs, p.Order)).visit(w)
	}
}

func (*MapOf[K, V]) count(*Part, unsafe.Pointer) {}

// SortedOf is the type of a SortedMap and, with keys of uint8, of a BoolMap.
type SortedOf[K cmp.Ordered, V any] struct{}

func (*SortedOf[K, V]) decode(l *Layout, f *Field, p *Part, m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, b []byte, start, from, levels int) int {
	var key K
	var value V
	if !l.mapValue(d, p, slabs, unsafe.Pointer(&value)) {
		return d.Exceeded(start)
	}
	if !l.mapEntry(d, p, slabs, unsafe.Pointer(&key), unsafe.Pointer(&value), b, from, levels) {
		return failed
	}
	if l.undefined(f, p, unsafe.Pointer(&value)) {
		d.Keep(l.hidden(m), b[start:])
		return len(b)
	}
	if !(*SortedMap[K, V])(unsafe.Add(m, f[1])).PutHot(d, (*SortedSlab[K, V])(unsafe.Add(slabs, p.Slab)), key, value) {
		return d.Exceeded(start)
	}
	keepOrder(p, m, slabs, key)
	return len(b)
}

func (*SortedOf[K, V]) encode(l *Layout, f *Field, p *Part, m unsafe.Pointer, e *Encoder, i int) int {
	entries := *(*SortedMap[K, V])(unsafe.Add(m, f[1]))
	for n := entries.Len() - 1; n >= 0; n-- {
		key, value := entries.At(n)
		i = l.encodeEntry(e, f, p, unsafe.Pointer(&key), unsafe.Pointer(&value), i)
	}
	return i
}

func (*SortedOf[K, V]) size(l *Layout, f *Field, p *Part, m unsafe.Pointer) (size int) {
	entries := *(*SortedMap[K, V])(unsafe.Add(m, f[1]))
	for n := range entries.Len() {
		key, value := entries.At(n)
		size += l.entrySize(f, p, unsafe.Pointer(&key), unsafe.Pointer(&value))
	}
	return size
}

func (*SortedOf[K, V]) equal(l *Layout, f *Field, p *Part, m, peer unsafe.Pointer) bool {
	entries, others := *(*SortedMap[K, V])(unsafe.Add(m, f[1])), *(*SortedMap[K, V])(unsafe.Add(peer, f[1]))
	if entries.Len() != others.Len() {
		return false
	}
	for n := range entries.Len() {
		key, a := entries.At(n)
		if b, has := others.Get(key); !has || !l.equalEntries(p, unsafe.Pointer(&a), unsafe.Pointer(&b)) {
			return false
		}
	}
	return true
}

func (*SortedOf[K, V]) missing(l *Layout, f *Field, p *Part, m unsafe.Pointer, byKey bool) string {
	entries := *(*SortedMap[K, V])(unsafe.Add(m, f[1]))
	child := l.child(p)
	complete := true
	for n := range entries.Len() {
		_, value := entries.At(n)
		complete = complete && child.missing(*(*unsafe.Pointer)(unsafe.Pointer(&value)), byKey) == ""
	}
	if complete {
		return ""
	}
	var keys []K
	if byKey {
		keys = Keys(entries.All())
	} else {
		keys = LastKeys(*(*[]K)(unsafe.Add(m, p.Keys)))
	}
	for n, key := range keys {
		value, _ := entries.Get(key)
		if path := child.missing(*(*unsafe.Pointer)(unsafe.Pointer(&value)), byKey); path != "" {
			return wire.Within(l.tableOf(f).Name, n, "value."+path)
		}
	}
	return ""
}

func (*SortedOf[K, V]) walk(p *Part, slabs unsafe.Pointer, w *Walk) {
	(*SortedSlab[K, V])(unsafe.Add(slabs, p.Slab)).visit(w)
	if p.Of&Ordered != 0 {
		(*Slab[K])(unsafe.Add(slabs, p.Order)).visit(w)
	}
}

func (*SortedOf[K, V]) count(p *Part, slabs unsafe.Pointer) {
	(*SortedSlab[K, V])(unsafe.Add(slabs, p.Slab)).Count(1)
	if p.Is&kindBits == uint32(wire.Message) {
		slabAt(slabs, p.Value).want++
	}
}
