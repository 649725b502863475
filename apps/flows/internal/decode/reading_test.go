package decode

import (
	"bytes"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/netsampler/goflow2/v2/decoders/netflow"
)

// setters read records slowly, as the documentation says it: which packet a field is about, which element of several
// fills a column, what is ICMP. They share no code for that with the decoder.
type setters struct {
	layout  *layout.Layout
	columns []schema.Column
	fields  []template.Field
	stock   []netflow.Field
	refused int
	made    map[madeFor]setter
}

type madeFor struct {
	column, field int
	octet         bool
}

// reading is a record.
type reading struct {
	fields       []template.Field
	values       [][]byte // nil for a template
	outer, inner []int    // fields of packets, by index; inner is nil if there is one packet
	tunnelled    bool
	named        []named
}

// named is a field, or an octet of it, under a name.
type named struct {
	source schema.Source
	field  int
	octet  int // from the end, 0 for all
}

// properties are the elements that say the same about a packet.
var properties = [][]uint16{
	{8, 27}, {12, 28}, {4}, {7, 180, 182}, {11, 181, 183}, {5}, {6}, {192}, {32, 139, 176, 178}, {32, 139, 177, 179}, {60}, {31}, {256},
}

func isProperty(element uint16) bool {
	return slices.ContainsFunc(properties, func(p []uint16) bool { return slices.Contains(p, element) })
}

func isAddress(element uint16) bool {
	return element == 8 || element == 12 || element == 27 || element == 28
}

// clash reports whether the i-th and a later field of a list cannot be about one packet.
func (r *reading) clash(list []int, i, j int) bool {
	a, b := r.fields[list[i]].Element, r.fields[list[j]].Element
	if !slices.ContainsFunc(properties, func(p []uint16) bool { return slices.Contains(p, a) && slices.Contains(p, b) }) {
		return false
	}
	beside := isAddress(a) && isAddress(b) && a != b
	for _, f := range list[min(i, j):max(i, j)] {
		beside = beside && isAddress(r.fields[f].Element)
	}
	return !beside
}

// longest is the longest beginning of a list without a clash.
func (r *reading) longest(list []int) []int {
	for n := range list {
		for before := range n {
			if r.clash(list, before, n) {
				return list[:n]
			}
		}
	}
	return list
}

func (r *reading) zero(field int) bool { return r.values == nil || ipfix.Zeros(r.values[field]) }

func (r *reading) find(list []int, element uint16) int {
	for _, i := range list {
		if r.fields[i].Element == element {
			return i
		}
	}
	return -1
}

// read finds the packets of a record, and names its fields.
func read(fields []template.Field, values [][]byte) *reading {
	r := &reading{fields: fields, values: values}
	var list []int
	for i, f := range fields {
		if f.Enterprise == 0 && isProperty(f.Element) {
			list = append(list, i)
		}
	}
	tunnels, twice, apart := false, false, false
	for j := range list {
		for i := range j {
			switch e := fields[list[i]].Element; {
			case e != fields[list[j]].Element:
				apart = apart || isAddress(e) && r.clash(list, i, j)
			case isAddress(e) || slices.Contains([]uint16{4, 7, 11, 180, 181, 182, 183}, e):
				tunnels = true
			default:
				twice = true
			}
		}
	}
	r.outer = list
	if tunnels || twice && apart {
		r.outer = r.longest(list)
		reversed := slices.Clone(list)
		slices.Reverse(reversed)
		r.inner = r.longest(reversed)
		slices.Sort(r.inner)
		var own, addresses []int
		for _, i := range r.inner {
			if !slices.Contains(r.outer, i) {
				if own = append(own, i); isAddress(fields[i].Element) {
					addresses = append(addresses, i)
				}
			}
		}
		if len(addresses) > 0 {
			own = addresses
		}
		r.tunnelled = slices.ContainsFunc(own, func(i int) bool { return !r.zero(i) })
	}
	r.name(list)
	return r
}

func (r *reading) name(list []int) {
	last := map[schema.Source]int{}
	for i, f := range r.fields {
		source := sourceOf(f)
		first := last[source] == 0
		last[source] = i + 1
		if first && !slices.Contains(list, i) {
			r.named = append(r.named, named{source: source, field: i})
		}
	}
	r.packet(r.outer, 0)
	if r.tunnelled {
		r.packet(r.inner, layout.Inner)
	}
	for i, f := range r.fields {
		ofPacket := r.inner != nil && isProperty(f.Element)
		isFirst := slices.IndexFunc(r.fields, func(field template.Field) bool { return sourceOf(field) == sourceOf(f) }) == i
		if f.Enterprise == 0 && last[sourceOf(f)] == i+1 && !isFirst && !ofPacket {
			r.named = append(r.named, named{source: schema.Source{Enterprise: layout.Inner, Element: f.Element}, field: i})
		}
	}
}

// packet names the fields of a packet. Type and code of ICMP may be in one number, or in the target port.
func (r *reading) packet(list []int, enterprise uint32) {
	protocol := uint64(0)
	if i := r.find(list, 4); i >= 0 && r.values != nil {
		protocol, _ = ipfix.Number(r.values[i])
	}
	icmp := protocol == 1 || protocol == 58
	reported := false
	for n, i := range list {
		e := r.fields[i].Element
		reported = reported || slices.Contains([]uint16{32, 139, 176, 177, 178, 179}, e)
		if icmp && slices.Contains([]uint16{7, 11, 180, 181, 182, 183}, e) || r.find(list[:n], e) >= 0 {
			continue
		}
		r.named = append(r.named, named{source: schema.Source{Enterprise: enterprise, Element: e}, field: i})
	}
	split := func(i int, kind uint16) {
		for octet := range 2 {
			r.named = append(r.named, named{schema.Source{Enterprise: enterprise, Element: kind + uint16(octet)}, i, 2 - octet})
		}
	}
	for _, unassigned := range []uint16{32, 139} {
		kind := uint16(176)
		if unassigned == 139 {
			kind = 178
		}
		apart := false
		for _, e := range []uint16{kind, kind + 1} {
			i := r.find(list, e)
			apart = apart || i >= 0 && !r.zero(i)
		}
		if i := r.find(list, unassigned); i >= 0 && !apart {
			split(i, kind)
		}
	}
	if port := r.find(list, 11); icmp && !reported && port >= 0 {
		split(port, map[uint64]uint16{1: 176, 58: 178}[protocol])
	}
}

// ether returns the EtherType of a packet by its version, or by its addresses.
func (r *reading) ether(list []int) uint16 {
	if r.find(list, 256) >= 0 {
		return 0
	}
	has := func(elements ...uint16) (there, set bool) {
		for _, e := range elements {
			if i := r.find(list, e); i >= 0 {
				there, set = true, set || !r.zero(i)
			}
		}
		return there, set
	}
	version := r.find(list, 60)
	if version >= 0 {
		switch v, _ := ipfix.Number(r.values[version]); v {
		case 4:
			return 0x800
		case 6:
			return 0x86dd
		}
	}
	four, set4 := has(8, 12)
	six, set6 := has(27, 28)
	switch sure := version < 0 && four != six; {
	case set6 || sure && six:
		return 0x86dd
	case set4 || sure && four:
		return 0x800
	}
	return 0
}

// replaced reports whether a source of a column is the outer packet's, after one of the inner packet.
func replaced(c *schema.Column, nth int) bool {
	if s := c.Sources[nth]; s.Enterprise != 0 || !isProperty(s.Element) {
		return false
	}
	return slices.ContainsFunc(c.Sources[:nth], func(s schema.Source) bool {
		return s.Enterprise == layout.Inner && isProperty(s.Element)
	})
}

// candidates are the fields that may fill a column, in the order of its sources.
func (r *reading) candidates(c *schema.Column) (list []named) {
	for nth, source := range c.Sources {
		if r.tunnelled && replaced(c, nth) {
			continue
		}
		for _, n := range r.named {
			if n.source == source && (n.octet < 2 || r.fields[n.field].Length > 1) {
				list = append(list, n)
			}
		}
	}
	return list
}

// bindSetters prepares for records of a template.
func (d *Decoder) bindSetters(fields []template.Field) setters {
	s := setters{layout: d.layout, fields: fields, made: map[madeFor]setter{}}
	s.columns = d.layout.Plan.Columns(d.layout.Plan.Root())
	r := read(fields, nil)
	for i := range s.columns {
		for _, n := range r.candidates(&s.columns[i]) {
			set := s.setter(i, n)
			if set == nil {
				s.refused++
			} else if s.columns[i].CountZero && fields[n.field].Length > 0 {
				break
			}
		}
	}
	return s
}

// setter returns nil for a field that cannot fill the column.
func (s *setters) setter(column int, n named) setter {
	key := madeFor{column, n.field, n.octet > 0}
	set, ok := s.made[key]
	if !ok {
		c, f := &s.columns[column], s.fields[n.field]
		if n.octet > 0 {
			f.Length = 1
		}
		if c.Repeated {
			set = itemSetter(s.layout.File.Schema, c, f)
		} else {
			set = columnSetter(s.layout.File.Schema, c, f)
		}
		s.made[key] = set
	}
	return set
}

// value is what a name has; false for a number that has no such octet.
func (r *reading) value(n named) ([]byte, bool) {
	b := r.values[n.field]
	if n.octet == 0 {
		return b, true
	}
	if len(b) > 2 && !ipfix.Zeros(b[:len(b)-2]) {
		return nil, false
	}
	if len(b) < n.octet {
		return nil, true
	}
	return b[len(b)-n.octet:][:1], true
}

// set sets the columns of a record.
func (s *setters) set(d *Decoder, r *reading, clock template.Clock) {
	for i := range s.columns {
		c := &s.columns[i]
		var chosen setter
		var value []byte
		for _, n := range r.candidates(c) {
			set := s.setter(i, n)
			v, fits := r.value(n)
			if !fits {
				d.counts.Drop(count.Misfit, 1)
			}
			if set == nil || s.fields[n.field].Length == 0 {
				continue
			}
			if c.Repeated {
				if ipfix.Zeros(v) {
					continue
				}
				if !isLabel(n.source) {
					set(d.record, v, clock)
				} else if len(v) == 3 {
					label := uint32(v[0])<<16 | uint32(v[1])<<8 | uint32(v[2])
					set(d.record, be32(label>>4), clock)
					if label&1 != 0 { // the bottom of the stack
						break
					}
				}
				continue
			}
			if chosen == nil || !ipfix.Zeros(v) {
				chosen, value = set, v
			}
			if !ipfix.Zeros(v) || c.CountZero {
				break
			}
		}
		if chosen != nil && !chosen(d.record, value, clock) {
			d.counts.Drop(count.Misfit, 1)
		}
	}
}

// itemSetter adds a number to a list.
func itemSetter(s *schema.Schema, c *schema.Column, f template.Field) setter {
	add, n := adder(s, c), f.Length
	fits := n == template.VariableLength || n >= 1 && n <= 8
	if c.Kind == wire.Float || c.Kind == wire.Double {
		fits = n == template.VariableLength || n == 4 || n == 8
	}
	if isLabel(sourceOf(f)) && n != 3 && n != template.VariableLength {
		fits = false
	}
	if !fits || add == nil {
		return nil
	}
	return func(r *schema.Record, b []byte, _ template.Clock) bool {
		if v, ok := ipfix.Number(b); ok {
			add(r, v, len(b))
		}
		return true
	}
}

// valuesOf are the values that goflow2 has decoded.
func valuesOf(list []netflow.DataField) (values [][]byte) {
	for _, v := range list {
		values = append(values, bytes.Clone(v.Value.([]byte)))
	}
	return values
}

func sourceOf(f template.Field) schema.Source {
	return schema.Source{Enterprise: f.Enterprise, Element: f.Element}
}

func isLabel(s schema.Source) bool { return s.Enterprise == 0 && s.Element >= 70 && s.Element <= 79 }
