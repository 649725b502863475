package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// columns are those of a layout.
type columns struct {
	list  map[uint32]schema.Column // by number
	off   []schema.Column
	times []timeColumn
	rated uint32 // says that the sampling rate is known; 0 for none
}

type timeColumn struct {
	name   string
	handle schema.TimeColumn
}

func columnsOf(l *layout.Layout) columns {
	c := columns{list: map[uint32]schema.Column{}, off: l.Plan.ColumnsOff(l.Plan.Root())}
	for _, column := range l.Plan.Columns(l.Plan.Root()) {
		c.list[column.Number] = column
		if slices.Contains(column.Sources, schema.Source{Enterprise: layout.Reserved, Element: layout.SamplingKnown}) {
			c.rated = column.Number
		}
		if handle, err := schema.Lookup[schema.TimeColumn](l.File.Schema.Message, column.Name); err == nil && column.Logical == schema.Timestamp && !column.Repeated {
			c.times = append(c.times, timeColumn{column.Name, handle})
		}
	}
	return c
}

// listed returns the numbers of the columns that have an element among their sources: of the packet or of the one in it.
func (c *columns) listed(s schema.Source) (numbers []uint32) {
	for number, column := range c.list {
		if lists(column, s) {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers
}

func lists(c schema.Column, s schema.Source) bool {
	return slices.ContainsFunc(c.Sources, func(from schema.Source) bool {
		return from == s || s.Enterprise == 0 && from == schema.Source{Enterprise: layout.Inner, Element: s.Element}
	})
}

// use says which columns an element may fill.
func (c *columns) use(s schema.Source) string {
	if names := c.names(c.listed(s)); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return c.unused(s)
}

// unused says why an element fills no column.
func (c *columns) unused(s schema.Source) string {
	for _, column := range c.off {
		if lists(column, s) {
			return fmt.Sprintf("no column (%s is off)", column.Name)
		}
	}
	return "no column"
}

func (c *columns) names(numbers []uint32) (names []string) {
	for _, n := range numbers {
		if column, ok := c.list[n]; ok {
			names = append(names, column.Name)
		}
	}
	return names
}

// value is what a message has for a column: the records of its tag, without the tags. Of a column that is not repeated
// the last one counts.
type value []byte

// valuesOf returns the values of a message by column.
func valuesOf(message []byte) map[uint32]value {
	all := map[uint32]value{}
	d := wire.NewDecoder(message)
	for d.More() {
		number, kind, err := d.DecodeTag()
		if err != nil {
			break
		}
		start := d.Offset()
		if _, err := d.Skip(); err != nil {
			break
		}
		all[number] = append(value{byte(kind)}, message[start:d.Offset()]...)
	}
	return all
}

// changes returns the columns in which two flows differ, by number.
func changes(a, b map[uint32]value) (numbers []uint32) {
	for n, v := range a {
		if string(b[n]) != string(v) {
			numbers = append(numbers, n)
		}
	}
	for n := range b {
		if _, ok := a[n]; !ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// moves reports whether a value has changed as a field does in which a bit changes: a number by a power of two, bytes in
// few places. Other changes show that the field decides about the column without being its value.
func moves(a, b value) bool {
	if len(a) < 2 || len(b) < 2 || a[0] != b[0] {
		return false
	}
	if wire.Type(a[0]) == wire.VarintType {
		x, _ := wire.ReadVarint(a, 1)
		y, _ := wire.ReadVarint(b, 1)
		difference := max(x, y) - min(x, y)
		return difference&(difference-1) == 0
	}
	if len(a) != len(b) {
		return false
	}
	places := 0
	for i := range a {
		if a[i] != b[i] {
			places++
		}
	}
	return places <= 2
}
