package row

import (
	"slices"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// missing returns the path of the first required column that is absent in a message: first its own columns, then
// those of its messages, both by ascending number. Maps are not sorted yet: of their entries, those that count are
// checked in the order in which they came.
func (d *Decoder) missing(t *Type, row []uint64) string {
	for _, o := range t.Columns {
		if o.Column.Required && !(Fields{d, t, &row[0]}).Present(o) {
			return o.Column.Name
		}
	}
	for _, o := range t.nested {
		child, table := &d.plan.Types[o.Child], &d.tables[o.Child]
		if !o.Column.Repeated {
			if word := row[o.slot]; word != 0 {
				if path := d.missing(child, table.slots[int(word-1)*table.width:int(word)*table.width]); path != "" {
					return wire.Within(o.Column.Name, -1, path)
				}
			}
			continue
		}
		rows := table.rows(row[o.slot])
		n := len(rows) / child.width
		at := func(i int) string { return d.missing(child, rows[i*child.width:(i+1)*child.width]) }
		var counting []int32 // of a map
		if o.Column.Map && n > 0 {
			counting = slices.Clone(d.lastOfKeys(child, rows))
			slices.Sort(counting)
			n = len(counting)
		}
		for i := range n {
			entry := i
			if counting != nil {
				entry = int(counting[i])
			}
			if path := at(entry); path != "" {
				return wire.Within(o.Column.Name, i, path)
			}
		}
	}
	return ""
}
