package row

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// Entry finds the entry of a map by its key. A key of another type than the map's is not found.
func Entry[K string | int64 | uint64](f Fields, h plan.Handle, key K) (entry Fields, found bool) {
	m := f.Messages(h)
	if m.Len() == 0 {
		return m.none(f.d)
	}
	o := m.t.Columns[0]
	switch key := any(key).(type) {
	case string:
		if o.Kind == wire.String {
			return m.search(f.d, func(e Fields) int { return cmp.Compare(string(f.d.Text(e.at(o.slot))), key) })
		}
	case int64:
		if o.signed() {
			return m.search(f.d, func(e Fields) int { return cmp.Compare(int64(e.at(o.slot)), key) })
		}
	case uint64:
		if !o.signed() && o.Kind != wire.String {
			return m.search(f.d, func(e Fields) int { return cmp.Compare(e.at(o.slot), key) })
		}
	}
	return m.none(f.d)
}

func (m Messages) none(d *Decoder) (Fields, bool) {
	if m.t == nil {
		return Fields{}, false
	}
	return Fields{d, m.t, &d.plan.zeros[0]}, false
}

func (m Messages) search(d *Decoder, compare func(entry Fields) int) (Fields, bool) {
	i := sort.Search(m.Len(), func(i int) bool { return compare(m.At(i)) >= 0 })
	if i < m.Len() && compare(m.At(i)) == 0 {
		return m.At(i), true
	}
	return m.none(d)
}

func (o *Cell) signed() bool { return encode.KindShapes[o.Kind] == encode.ShapeInt }

// sortMaps sorts the entries of all maps by key and keeps only the last one of each key.
func (d *Decoder) sortMaps() {
	for i := range d.plan.Types {
		t := &d.plan.Types[i]
		for _, o := range t.maps {
			for slots := d.tables[i].slots; len(slots) > 0; slots = slots[t.width:] {
				if run := slots[o.slot]; run&runLength > 1 {
					slots[o.slot] = d.sortMap(&d.plan.Types[o.Child], &d.tables[o.Child], run)
				}
			}
		}
	}
}

// compareKeys compares the keys of two entries.
func (d *Decoder) compareKeys(t *Type, a, b []uint64) int {
	key := t.Columns[0]
	v, w := a[key.slot], b[key.slot]
	switch {
	case key.Kind == wire.String:
		return bytes.Compare(d.Text(v), d.Text(w))
	case key.signed():
		return cmp.Compare(int64(v), int64(w))
	}
	return cmp.Compare(v, w)
}

// byKey is compareKeys for entries of the map being sorted.
func (d *Decoder) byKey(a, b int32) int {
	t, w := d.sorting, d.sorting.width
	return d.compareKeys(t, d.entries[int(a)*w:int(a+1)*w], d.entries[int(b)*w:int(b+1)*w])
}

// sortMap sorts the entries of one map and returns their run.
func (d *Decoder) sortMap(t *Type, table *table, run uint64) uint64 {
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
func (d *Decoder) lastOfKeys(t *Type, rows []uint64) []int32 {
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
