// Package templates has the templates of exporters and what their records say, apart from the flows that they become: which
// packets the fields are about, the parts of a set that are encoded in one way, and the bindings to a layout.
package templates

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Definition is the content of a template.
type Definition struct {
	ID       uint16
	Options  bool
	Scopes   int // the first fields of options, which say what the options are about
	Fields   []template.Field
	Least    int // bytes of a record
	Variable bool
	boot     place // has the start of the exporter, for IPFIX

	// What sampling depends on.
	sampler, sequence  place // name the sampler, the selection sequence
	in, out, direction place // the interfaces, and at which of them the flow was counted
	rates              [2]place
	psamp              bool     // a record has parameters of a selector (RFC 5477)
	uptimes            [2]place // the flow's end and start since the exporter's start
	octets, packets    counters
	totals             [2]place
	frames             frames
	structured         bool // has lists

	Sampling sampling.Fields // see Settle

	// What packets it has; see Settle.
	outer   packet
	inner   *packet
	tunnels bool    // has two packets
	own     []place // of the inner packet alone: records without any of these have none
	repeats []int   // the last fields of elements that repeat, but are not about packets
	fixed   int     // fields before the first of variable length
	vary    bool    // records differ in their packets' traits
}

// counters are the places of layout.Octets or layout.Packets.
type counters [3]place

// place is a field of a template, counted from 1, and its offset unless lengths are variable; 0 if there is none.
type place struct{ field, at int }

// Size estimates how much memory a template needs before it is bound.
func (def *Definition) Size() int { return templateSize + len(def.Fields)*fieldSize }

// Read reads the template at the beginning of b, and returns how many bytes it has; 0 if it cannot be a
// template. Its fields are appended to the given ones.
func Read(p flow.Protocol, b []byte, options bool, fields []template.Field) (def Definition, size int) {
	id, n := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
	def = Definition{ID: id, Options: options}
	at := 4
	if options {
		if len(b) < 6 {
			return def, 0
		}
		at = 6
		switch second := int(binary.BigEndian.Uint16(b[4:])); {
		case p == flow.IPFIX:
			def.Scopes = second
		case n%4 == 0 && second%4 == 0: // lengths in bytes: of the scope, of the options
			def.Scopes, n = n/4, (n+second)/4
		default:
			return def, 0
		}
	}
	if id < 256 || n == 0 || def.Scopes > n || len(b)-at < 4*n {
		return def, 0
	}
	for i := range n {
		if len(b)-at < 4 {
			return def, 0
		}
		f := template.Field{Element: binary.BigEndian.Uint16(b[at:]), Length: binary.BigEndian.Uint16(b[at+2:])}
		at += 4
		if p == flow.IPFIX && f.Element&0x8000 != 0 {
			if len(b)-at < 4 {
				return def, 0
			}
			f.Element, f.Enterprise = f.Element&0x7fff, binary.BigEndian.Uint32(b[at:])
			at += 4
		}
		fields = append(fields, f)
		def.add(i, f, p)
	}
	def.Fields = fields
	return def, at
}

// add takes the field at i into account.
func (def *Definition) add(i int, f template.Field, p flow.Protocol) {
	// The scopes of NetFlow v9 have types of their own.
	isElement := f.Enterprise == 0 && (p == flow.IPFIX || i >= def.Scopes)
	if isElement {
		var to *place
		switch f.Element {
		case ipfix.SamplerID, ipfix.SelectorID:
			to = &def.sampler
		case ipfix.SystemInitTime:
			if p == flow.IPFIX {
				to = &def.boot
			}
		case ipfix.SamplingInterval:
			to = &def.rates[0]
		case ipfix.SamplerRandomInterval:
			to = &def.rates[1]
		case ipfix.SelectionSequenceID:
			to = &def.sequence
		case ipfix.IngressInterface:
			to = &def.in
		case ipfix.EgressInterface:
			to = &def.out
		case ipfix.FlowDirection:
			to = &def.direction
		case ipfix.EndUptime:
			to = &def.uptimes[0]
		case ipfix.StartUptime:
			to = &def.uptimes[1]
		}
		def.psamp = def.psamp || sampling.IsParameter(f.Element)
		def.structured = def.structured || p == flow.IPFIX && listKind(f) != noList
		def.frames.add(f.Element, place{i + 1, def.Least})
		def.octets.add(layout.Octets, f.Element, place{i + 1, def.Least})
		def.packets.add(layout.Packets, f.Element, place{i + 1, def.Least})
		if n := slices.Index(layout.Totals, f.Element); n >= 0 {
			def.totals[n] = place{i + 1, def.Least}
		}
		if to != nil && to.field == 0 {
			*to = place{i + 1, def.Least}
		}
	}
	if f.Length == template.VariableLength {
		def.Variable = true
		def.Least++
	} else {
		def.Least += int(f.Length)
	}
}

// add takes the first field of an element of the list.
func (c *counters) add(list []uint16, element uint16, at place) {
	if i := slices.Index(list, element); i >= 0 && c[i].field == 0 {
		c[i] = at
	}
}

// number reads a field of the record at the beginning of b, and returns the record's length; 0 if it is cut off.
func (def *Definition) number(b []byte, p place) (v uint64, size int) {
	value, size := def.value(b, p)
	v, _ = ipfix.Number(value)
	return v, size
}

func (def *Definition) value(b []byte, p place) (value []byte, size int) {
	if !def.Variable {
		return b[p.at : p.at+int(def.Fields[p.field-1].Length)], def.Least
	}
	size = def.Record(b, func(i int, field []byte) {
		if i == p.field-1 {
			value = field
		}
	})
	return value, size
}

// Record finds the end of the record at the beginning of b, and its fields if they are asked for; 0 if it is cut
// off.
func (def *Definition) Record(b []byte, each func(field int, value []byte)) (size int) {
	at := 0
	for i := range def.Fields {
		n := int(def.Fields[i].Length)
		if n == template.VariableLength {
			var prefix int
			if n, prefix = ipfix.VariableLength(b[at:]); prefix == 0 {
				return 0
			}
			at += prefix
		}
		if len(b)-at < n {
			return 0
		}
		if each != nil {
			each(i, b[at:at+n])
		}
		at += n
	}
	return at
}

// Count returns how many records there are.
func (def *Definition) Count(set []byte) (n int) {
	if !def.Variable {
		return len(set) / def.Least
	}
	for len(set) >= def.Least {
		size := def.Record(set, nil)
		if size == 0 {
			break
		}
		set = set[size:]
		n++
	}
	return n
}

// frames are the places of a sampled packet.
type frames struct {
	section place
	size    place // of the frame, of which the section is the beginning
	isIP    bool  // the section begins with IP's header, not with Ethernet's
}

func (f *frames) add(element uint16, at place) {
	switch element {
	case ipfix.FrameSection, ipfix.Layer2Section, ipfix.IPHeaderSection:
		if f.section.field == 0 {
			f.section, f.isIP = at, element == ipfix.IPHeaderSection
		}
	case ipfix.FrameSize:
		if f.size.field == 0 {
			f.size = at
		}
	}
}

// frame is a sampled packet: its first bytes, its length if the record has that, and whether it begins with IP's header.
type frame struct {
	Section []byte
	Length  uint64
	IsIP    bool
}

// Frame returns the sampled packet of the record at the beginning of b, and the record's length; 0 if it is cut off.
func (def *Definition) Frame(b []byte) (f frame, size int) {
	f.IsIP = def.frames.isIP
	f.Section, size = def.value(b, def.frames.section)
	if size > 0 && def.frames.size.field > 0 {
		f.Length, _ = def.number(b, def.frames.size)
	}
	return f, size
}

// HasFrame reports whether records hold a sampled packet.
func (def *Definition) HasFrame() bool { return def.frames.section.field > 0 }

// Fault says why a template cannot be read.
func Fault(p flow.Protocol, b []byte, options bool) string {
	id, n := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
	before, scopes := 4, 0
	if options {
		if len(b) < 6 {
			return fmt.Sprintf("options template %d ends within its header", id)
		}
		before, scopes = 6, int(binary.BigEndian.Uint16(b[4:]))
		if p == flow.NetFlow9 {
			first, second := n, scopes
			if first%4 != 0 || second%4 != 0 {
				return fmt.Sprintf("options template %d: scopes of %d bytes and options of %d bytes are not multiples of 4", id, first, second)
			}
			n, scopes = (first+second)/4, first/4
		}
	}
	switch {
	case id < 256:
		return fmt.Sprintf("template %d: numbers below 256 are no templates", id)
	case n == 0:
		return fmt.Sprintf("template %d has no fields", id)
	case scopes > n:
		return fmt.Sprintf("options template %d: %d scopes are more than its %d fields", id, scopes, n)
	}
	return fmt.Sprintf("template %d: the set has %d bytes for %d fields", id, len(b)-before, n)
}

// New returns the template with some fields, which it keeps.
func New(p flow.Protocol, id uint16, options bool, scopes int, fields []template.Field) Definition {
	def := Definition{ID: id, Options: options, Scopes: scopes, Fields: fields}
	for i, f := range fields {
		def.add(i, f, p)
	}
	return def
}

// Announcement returns the set that announces an options template: its id, and its bytes.
func (def *Definition) Announcement(p flow.Protocol) (id uint16, body []byte) {
	body = binary.BigEndian.AppendUint16(nil, def.ID)
	id = 3
	first, second := len(def.Fields), def.Scopes
	if p == flow.NetFlow9 {
		id = 1
		first, second = 4*def.Scopes, 4*(len(def.Fields)-def.Scopes)
	}
	body = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(body, uint16(first)), uint16(second))
	for _, f := range def.Fields {
		element := f.Element
		if f.Enterprise != 0 {
			element |= 0x8000
		}
		body = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(body, element), f.Length)
		if f.Enterprise != 0 {
			body = binary.BigEndian.AppendUint32(body, f.Enterprise)
		}
	}
	return id, body
}
