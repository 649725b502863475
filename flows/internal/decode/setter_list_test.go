package decode

import (
	"math"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/hotpb/hotpb/go/wire"
)

// listSetter sets a repeated column of numbers from fields that goflow2 has decoded: each adds a number unless it is zero. Lists in
// fields (RFC 6313) are ours only.
type listSetter struct {
	fields []int
	labels []bool
	add    func(r *schema.Record, v uint64, n int)
}

// bindList finds the fields for a repeated column.
func (d *Decoder) bindList(all *setters, c *schema.Column, fields []template.Field, places map[schema.Source]int) {
	set := listSetter{add: adder(d.layout.File.Schema, c)}
	for _, source := range c.Sources {
		i := places[source] - 1
		if i < 0 {
			continue
		}
		n, label := fields[i].Length, isLabel(source)
		fits := n == template.VariableLength || n >= 1 && n <= 8
		if c.Kind == wire.Float || c.Kind == wire.Double {
			fits = n == template.VariableLength || n == 4 || n == 8
		}
		if label && n != 3 && n != template.VariableLength {
			fits = false
		}
		if !fits || set.add == nil {
			all.refused++
			continue
		}
		set.fields, set.labels = append(set.fields, i), append(set.labels, label)
	}
	if len(set.fields) > 0 {
		all.lists = append(all.lists, set)
	}
}

// adder adds a number of so many bytes to a list; nil if the column is no list of plain numbers.
func adder(s *schema.Schema, c *schema.Column) func(r *schema.Record, v uint64, n int) {
	if c.Logical != schema.Plain {
		return nil
	}
	if h, err := s.FindUintList(c.Name); err == nil {
		return func(r *schema.Record, v uint64, _ int) { r.AddUint(h, v) }
	}
	if h, err := s.FindIntList(c.Name); err == nil {
		return func(r *schema.Record, v uint64, n int) { r.AddInt(h, int64(v<<(64-8*n))>>(64-8*n)) }
	}
	if h, err := s.FindBoolList(c.Name); err == nil {
		return func(r *schema.Record, v uint64, _ int) { r.AddBool(h, v == 1) }
	}
	if h, err := s.FindEnumList(c.Name); err == nil {
		mask := c.Misfit == schema.Mask
		return func(r *schema.Record, v uint64, _ int) {
			if v <= math.MaxInt32 || mask {
				r.AddEnum(h, int32(v&math.MaxInt32))
			}
		}
	}
	if h, err := s.FindFloatList(c.Name); err == nil {
		return func(r *schema.Record, v uint64, n int) {
			switch n {
			case 4:
				r.AddFloat(h, float64(math.Float32frombits(uint32(v))))
			case 8:
				r.AddFloat(h, math.Float64frombits(v))
			}
		}
	}
	return nil
}

// set adds the numbers of a record.
func (l *listSetter) set(r *schema.Record, value func(field int) []byte) {
	for j, i := range l.fields {
		b := value(i)
		v, ok := number(b)
		if !ok || v == 0 || l.labels[j] && len(b) != 3 {
			continue
		}
		if !l.labels[j] {
			l.add(r, v, len(b))
			continue
		}
		l.add(r, v>>4, 4)
		if v&1 != 0 { // the bottom of the stack
			return
		}
	}
}
