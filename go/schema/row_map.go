package schema

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// Entries returns the entries of a map, sorted by key: numbers by value, false before true, strings by their
// bytes. Keys are unique: of the entries with one key, the last one counts. The handles of the entry's columns
// read key and value.
func (f Fields) Entries(c MapColumn) Messages { return f.messages(c.Handle) }

// Entry finds the entry of a map by its key: a string, a signed number, or an unsigned number, which stands for a bool,
// too, as 0 or 1. A key of another type than the map's is not found.
func Entry[K string | int64 | uint64](f Fields, c MapColumn, key K) (entry Fields, found bool) {
	m := f.messages(c.Handle)
	if m.Len() == 0 {
		return m.none(f.d)
	}
	o := m.t.columns[0]
	switch key := any(key).(type) {
	case string:
		if o.kind == wire.String {
			return m.search(f.d, func(e Fields) int { return cmp.Compare(string(f.d.text(e.at(o.slot))), key) })
		}
	case int64:
		if o.signed() {
			return m.search(f.d, func(e Fields) int { return cmp.Compare(int64(e.at(o.slot)), key) })
		}
	case uint64:
		if !o.signed() && o.kind != wire.String {
			return m.search(f.d, func(e Fields) int { return cmp.Compare(e.at(o.slot), key) })
		}
	}
	return m.none(f.d)
}

func (m Messages) none(d *decoder) (Fields, bool) {
	if m.t == nil {
		return Fields{}, false
	}
	return Fields{d, m.t, &d.plan.zeros[0]}, false
}

func (m Messages) search(d *decoder, compare func(entry Fields) int) (Fields, bool) {
	i := sort.Search(m.Len(), func(i int) bool { return compare(m.At(i)) >= 0 })
	if i < m.Len() && compare(m.At(i)) == 0 {
		return m.At(i), true
	}
	return m.none(d)
}

func (o *cell) signed() bool { return encode.KindShapes[o.kind] == encode.ShapeInt }

// sortMaps sorts the entries of all maps by key and keeps only the last one of each key.
func (d *decoder) sortMaps() {
	for i := range d.plan.types {
		t := &d.plan.types[i]
		for _, o := range t.maps {
			for slots := d.tables[i].slots; len(slots) > 0; slots = slots[t.width:] {
				if run := slots[o.slot]; run&runLength > 1 {
					slots[o.slot] = d.sortMap(&d.plan.types[o.child], &d.tables[o.child], run)
				}
			}
		}
	}
}

// compareKeys compares the keys of two entries.
func (d *decoder) compareKeys(t *rowType, a, b []uint64) int {
	key := t.columns[0]
	v, w := a[key.slot], b[key.slot]
	switch {
	case key.kind == wire.String:
		return bytes.Compare(d.text(v), d.text(w))
	case key.signed():
		return cmp.Compare(int64(v), int64(w))
	}
	return cmp.Compare(v, w)
}

// byKey is compareKeys for entries of the map being sorted.
func (d *decoder) byKey(a, b int32) int {
	t, w := d.sorting, d.sorting.width
	return d.compareKeys(t, d.entries[int(a)*w:int(a+1)*w], d.entries[int(b)*w:int(b+1)*w])
}

// sortMap sorts the entries of one map and returns their run.
func (d *decoder) sortMap(t *rowType, table *table, run uint64) uint64 {
	rows, w := table.rows(run), t.width
	ascending := true
	for at := w; at < len(rows) && ascending; at += w {
		ascending = d.compareKeys(t, rows[at-w:at], rows[at:at+w]) < 0
	}
	if ascending { // as most are
		return run
	}
	last := d.lastOfKeys(t, rows)
	d.sorted = d.sorted[:0]
	for _, i := range last {
		d.sorted = append(d.sorted, rows[int(i)*w:int(i+1)*w]...)
	}
	clear(rows[copy(rows, d.sorted):])
	return run&^runLength | uint64(len(last))
}

// lastOfKeys returns the entries that count, by ascending key: of those with the same key the last one.
func (d *decoder) lastOfKeys(t *rowType, rows []uint64) []int32 {
	d.sorting, d.entries = t, rows
	d.order = d.order[:0]
	for i := range len(rows) / t.width {
		d.order = append(d.order, int32(i))
	}
	slices.SortStableFunc(d.order, d.compare)
	last := d.order[:0]
	for i, entry := range d.order {
		if i+1 == len(d.order) || d.byKey(entry, d.order[i+1]) != 0 {
			last = append(last, entry)
		}
	}
	d.entries = nil
	return last
}
