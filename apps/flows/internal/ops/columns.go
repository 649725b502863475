package ops

import (
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// columns are the columns that the talkers are computed from, wherever the schema has them and whatever their
// names are.
type columns struct {
	layout         *layout.Layout
	row            *schema.Row
	src, dst       schema.IPColumn
	bytes, packets schema.UintColumn
	rate           schema.UintColumn
	missing        []string // the columns that the schema lacks
}

// The information elements of the columns, in order of preference.
var (
	srcElements    = []uint16{8, 27}
	dstElements    = []uint16{12, 28}
	bytesElements  = []uint16{1, 85, 23, 352, 231}
	packetElements = []uint16{2, 86, 24, 298}
	rateElements   = []uint16{layout.SamplingInterval, 50}
)

func columnsOf(l *layout.Layout) *columns {
	c := &columns{layout: l, row: l.Plan.NewRow()}
	find(c, l, &c.src, "source address", srcElements)
	find(c, l, &c.dst, "destination address", dstElements)
	find(c, l, &c.bytes, "bytes", bytesElements)
	find(c, l, &c.packets, "packets", packetElements)
	find(c, l, &c.rate, "sampling rate", rateElements)
	return c
}

// find sets a handle to the column that is on and has one of the elements as its source.
func find[C ~struct{ schema.Handle }](c *columns, l *layout.Layout, to *C, subject string, elements []uint16) {
	for _, element := range elements {
		for _, column := range l.Plan.Columns(l.Plan.Root()) {
			for _, source := range column.Sources {
				if source != (schema.Source{Element: element}) {
					continue
				}
				if handle, err := schema.Lookup[C](l.File.Schema.Message, column.Name); err == nil {
					*to = handle
					return
				}
			}
		}
	}
	c.missing = append(c.missing, subject)
}
