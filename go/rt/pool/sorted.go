package pool

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// SortedMap is a map field in code that was generated with maps=sorted: a list of entries by ascending key, strings
// by their bytes. It finds keys by binary search, iterates in the order of the keys, and stores entries side by side
// in memory that is reused. The zero value is an empty map. A copy of a SortedMap is the same map, as with Go's own
// maps; several readers may use it at once.
type SortedMap[K cmp.Ordered, V any] struct{ in *Sorted[K, V] }

// Sorted is the target of a SortedMap. It keeps its address when the message that holds the map moves.
type Sorted[K cmp.Ordered, V any] struct {
	entries []Entry[K, V]
	strayed bool      // some entry's key is not above the key before it
	next    unsettled // the previous map with entries out of order
}

// Entry is one entry of a SortedMap.
type Entry[K, V any] struct {
	Key   K
	Value V
}

// SortedSlab is the memory for the maps of one field.
type SortedSlab[K cmp.Ordered, V any] struct {
	maps    Slab[Sorted[K, V]]
	entries Slab[Entry[K, V]]
}

func (s *SortedSlab[K, V]) visit(w *Walk) {
	s.maps.visit(w)
	s.entries.visit(w)
}

// Count notes n entries that a counting scan has found.
func (s *SortedSlab[K, V]) Count(n int) { s.entries.Count(n) }

// unsettled is a map whose entries are still in input order.
type unsettled interface{ settle() (next unsettled) }

// Len returns the number of entries.
func (m SortedMap[K, V]) Len() int {
	if m.in == nil {
		return 0
	}
	return len(m.in.entries)
}

// At returns the entry at index i, 0 to Len()-1, by ascending key.
func (m SortedMap[K, V]) At(i int) (key K, value V) {
	entry := &m.in.entries[i]
	return entry.Key, entry.Value
}

// Get returns the value of a key, and whether there is one.
func (m SortedMap[K, V]) Get(key K) (value V, has bool) {
	if i, has := m.find(key); has {
		return m.in.entries[i].Value, true
	}
	return value, false
}

// All iterates by ascending key. Do not change the map meanwhile.
func (m SortedMap[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for i := range m.Len() {
			if !yield(m.At(i)) {
				return
			}
		}
	}
}

// Set puts an entry into the map and replaces the one with the same key. In the middle of the map it moves all later
// entries.
func (m *SortedMap[K, V]) Set(key K, value V) {
	if m.in == nil {
		m.in = new(Sorted[K, V])
	}
	i, has := m.find(key)
	if has {
		m.in.entries[i].Value = value
		return
	}
	m.in.entries = slices.Insert(m.in.entries, i, Entry[K, V]{key, value})
}

// Delete removes the entry of a key from the map, and reports whether there was one.
func (m SortedMap[K, V]) Delete(key K) bool {
	i, has := m.find(key)
	if has {
		m.in.entries = slices.Delete(m.in.entries, i, i+1)
	}
	return has
}

// find returns the index of a key, or the index where it belongs.
func (m SortedMap[K, V]) find(key K) (i int, has bool) {
	n := m.Len()
	i = sort.Search(n, func(i int) bool { return m.in.entries[i].Key >= key })
	return i, i < n && m.in.entries[i].Key == key
}

// PutHot adds an entry of the input. It returns false if there is no memory left.
//
// Most writers sort. If one does not, the map is sorted after the whole message has been read: sorting earlier would
// take time quadratic in the input when a message comes in many parts.
func (m *SortedMap[K, V]) PutHot(d *Decoder, s *SortedSlab[K, V], key K, value V) bool {
	if !s.entries.Take(d, 1) {
		return false
	}
	in := m.in
	if in == nil {
		if !s.maps.Take(d, 1) {
			return false
		}
		in = s.maps.One()
		*in = Sorted[K, V]{}
		m.in = in
	}
	list := s.entries.Open(in.entries)
	if n := len(list); n > 0 && list[n-1].Key >= key && !in.strayed {
		in.strayed, in.next = true, d.strayed
		d.strayed = in
	}
	if len(list) == cap(list) {
		list = s.entries.Grow(list, 1)
	}
	in.entries = s.entries.Close(append(list, Entry[K, V]{key, value}))
	return true
}

// settle sorts the entries; of entries with equal keys the last one stays.
func (in *Sorted[K, V]) settle() (next unsettled) {
	next = in.next
	slices.SortStableFunc(in.entries, func(a, b Entry[K, V]) int { return cmp.Compare(a.Key, b.Key) })
	kept := in.entries[:0]
	for i, entry := range in.entries {
		if i+1 == len(in.entries) || in.entries[i+1].Key != entry.Key {
			kept = append(kept, entry)
		}
	}
	clear(in.entries[len(kept):])
	in.entries, in.strayed, in.next = kept, false, nil
	return next
}

// SettleHot sorts the maps whose entries came out of order, and returns true.
func (d *Decoder) SettleHot() bool {
	d.settle()
	return true
}

// settle sorts the maps whose entries came out of order.
func (d *Decoder) settle() {
	for d.strayed != nil {
		d.strayed = d.strayed.settle()
	}
}

// BoolMap is a SortedMap whose keys are bools: false comes before true.
type BoolMap[V any] struct{ by SortedMap[uint8, V] }

// Len returns the number of entries.
func (m BoolMap[V]) Len() int { return m.by.Len() }

// At returns the entry at index i, 0 to Len()-1.
func (m BoolMap[V]) At(i int) (key bool, value V) {
	number, value := m.by.At(i)
	return number != 0, value
}

// Get returns the value of a key, and whether there is one.
func (m BoolMap[V]) Get(key bool) (value V, has bool) { return m.by.Get(uint8(Bit(key))) }

// All iterates over the entries. Do not change the map meanwhile.
func (m BoolMap[V]) All() iter.Seq2[bool, V] {
	return func(yield func(bool, V) bool) {
		for i := range m.Len() {
			if !yield(m.At(i)) {
				return
			}
		}
	}
}

// Set puts an entry into the map and replaces the one with the same key.
func (m *BoolMap[V]) Set(key bool, value V) { m.by.Set(uint8(Bit(key)), value) }

// Delete removes the entry of a key from the map, and reports whether there was one.
func (m BoolMap[V]) Delete(key bool) bool { return m.by.Delete(uint8(Bit(key))) }

// PutHot adds an entry of the input. It returns false if there is no memory left.
func (m *BoolMap[V]) PutHot(d *Decoder, s *SortedSlab[uint8, V], key bool, value V) bool {
	return m.by.PutHot(d, s, uint8(Bit(key)), value)
}
