package decode

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema/template"
)

// inputTemplate is a template or an options template of a domain.
type inputTemplate struct {
	definition
	learnt  time.Time
	seen    time.Time
	bytes   int       // of Store.memory
	bound   bound     // bound to the layout that was used last
	reverse *reversed // of biflows

	borrowed bool   // from another port of the address
	asOf     uint64 // address.changes when it was
}

// bound is a template bound to a layout.
type bound struct {
	layout   *layout.Layout
	template *template.Template
	variants []variant          // for records of other traits, bound when there is one
	chosen   *template.Template // of these, for the records that are being encoded
	arrays   []int              // which lists its records are expanded by
	misfits  uint64             // misfits that are already counted
	uptimes  bool               // a column reads times since the exporter's start
}

// definition is the content of a template.
type definition struct {
	id       uint16
	options  bool
	scopes   int // the first fields of options, which say what the options are about
	fields   []template.Field
	least    int // bytes of a record
	variable bool
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

	about sampling.Fields // see settle

	// What packets it has; see settle.
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

// The memory for a template besides its fields, for each of them, for each column, and for each column that they
// may fill.
const (
	templateSize = 800
	fieldSize    = 32
	handleSize   = 16
	columnSize   = 300
)

// learnSet reads a set of templates or options templates. A template with false lengths costs the rest of its set,
// because the next one cannot be found.
func (d *Decoder) learnSet(dom *domain, m *message, body []byte, options bool) {
	for len(body) >= 4 {
		id, n := binary.BigEndian.Uint16(body), int(binary.BigEndian.Uint16(body[2:]))
		if m.protocol == flow.IPFIX && n == 0 && (id >= 256 || id == 2 && !options || id == 3 && options) {
			dom.withdraw(id, options)
			if d.watch != nil {
				d.watch.withdrawn(id, options)
			}
			body = body[4:]
			continue
		}
		if ipfix.Zeros(body) {
			return
		}
		d.counts.Set = id
		def, size := d.readDefinition(m.protocol, body, options)
		if size == 0 {
			m.wrong = true
			d.counts.Drop(count.TemplateMalformed, 1)
			if d.unexplained() {
				d.detail = detail{count.TemplateMalformed, templateFault(m.protocol, body, options)}
			}
			if d.watch != nil {
				d.watch.malformed(d, m.protocol, body, options)
			}
			return
		}
		if d.watch != nil {
			d.watch.learn(d, dom, m, &def)
		} else {
			d.learn(dom, m, &def)
		}
		m.found++
		body = body[size:]
	}
	d.counts.Set = 0 // what is shorter than a template's header is padding
}

// learn keeps a template, whose fields are copied, and records in d.learnt if it is new or differs from the one
// before.
func (d *Decoder) learn(dom *domain, m *message, def *definition) {
	e, s := dom.exporter, d.store
	if t := dom.templates[def.id]; t != nil {
		if t.options == def.options && t.scopes == def.scopes && slices.Equal(t.fields, def.fields) {
			t.seen, t.borrowed = m.received, false
			t.forgetOld(d.layout)
			return
		}
		dom.remove(t)
	}
	if def.least == 0 || def.least > 65535 {
		m.wrong = true
		d.counts.Drop(count.TemplateMalformed, 1)
		if d.unexplained() {
			d.detail = detail{count.TemplateMalformed, fmt.Sprintf("template %d: a record of %d bytes", def.id, def.least)}
		}
		return
	}
	if len(def.fields) > s.limits.Fields {
		m.wrong = true
		d.counts.Drop(count.TemplateLarge, 1)
		if d.unexplained() {
			d.detail = detail{count.TemplateLarge, fmt.Sprintf("template %d has %d fields; the most are %d", def.id, len(def.fields), s.limits.Fields)}
		}
		return
	}
	n := def.size()
	if e.templates >= s.limits.Templates || !d.restoring && e.tooFast(m.received) || !e.Reserve(n) {
		m.wrong = true
		d.counts.Drop(count.TemplateFlood, 1)
		return
	}
	e.templates++
	s.templates.Add(1)
	if dom.templates == nil {
		dom.templates = map[uint16]*inputTemplate{}
	}
	t := &inputTemplate{definition: *def, learnt: m.received, seen: m.received, bytes: n}
	t.fields = slices.Clone(def.fields)
	t.settle()
	t.addReverse(m.protocol)
	dom.templates[def.id] = t
	dom.arrive(def.id)
	d.counts.Templates.Add(1)
	s.changes.Add(1)
	e.address.changes.Add(1)
	d.learnt = append(d.learnt, def.id)
}

// forgetOld drops what keeps another layout alive. The template is bound again when records come.
func (t *inputTemplate) forgetOld(l *layout.Layout) {
	if t.bound.layout != l {
		t.bound = bound{}
		if t.reverse != nil {
			t.reverse.bound = bound{}
		}
	}
}

// size estimates how much memory a template needs before it is bound.
func (def *definition) size() int { return templateSize + len(def.fields)*fieldSize }

// sizeOf estimates how much memory a template needs when it is bound to the layout.
func (d *Decoder) sizeOf(def *definition) int {
	n := def.size()
	if !def.options {
		n += d.columns*handleSize + min(d.columns, len(def.fields)*d.fan)*columnSize
		if def.structured {
			n += len(d.lists.wanted) * (fieldSize + columnSize)
		}
		if _, biflow := reverseFields(def.fields); biflow {
			n *= 2
		}
	}
	return n
}

// remove drops a template, unless it was dropped before, and only flows that are held use it.
func (d *domain) remove(t *inputTemplate) {
	if d.templates[t.id] != t {
		return
	}
	delete(d.templates, t.id)
	d.exporter.templates--
	d.exporter.address.changes.Add(1)
	d.exporter.store.templates.Add(-1)
	d.exporter.Release(t.bytes)
}

// withdraw drops a template that its exporter no longer uses; 2 is all templates, 3 all options templates. Other ports that
// have borrowed it lose it, too.
func (d *domain) withdraw(id uint16, options bool) {
	drop := func(d *domain, borrowed bool) (any bool) {
		for _, t := range d.templates {
			if t.options == options && (t.id == id || id < 256) && t.borrowed == borrowed {
				d.remove(t)
				d.leave(t, true)
				any = true
			}
		}
		return any
	}
	if drop(d, false) {
		d.exporter.siblings(func(x *exporter) {
			if from := x.domains[d.key]; from != nil && x.borrows {
				drop(from, true)
			}
		})
	}
}

// expireTemplates drops the templates that were neither used nor sent since a time, and the bindings that were not
// used since another time.
func (d *domain) expireTemplates(before, unused time.Time) {
	for _, t := range d.templates {
		if t.seen.Before(before) {
			d.remove(t)
			d.leave(t, false)
		} else if t.seen.Before(unused) {
			t.forgetOld(nil)
		}
	}
}

// readDefinition reads the template at the beginning of b, and returns how many bytes it has; 0 if it cannot be a
// template. The decoder owns its fields, until the next call.
func (d *Decoder) readDefinition(p flow.Protocol, b []byte, options bool) (def definition, size int) {
	id, n := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
	def = definition{id: id, options: options}
	at := 4
	if options {
		if len(b) < 6 {
			return def, 0
		}
		at = 6
		switch second := int(binary.BigEndian.Uint16(b[4:])); {
		case p == flow.IPFIX:
			def.scopes = second
		case n%4 == 0 && second%4 == 0: // lengths in bytes: of the scope, of the options
			def.scopes, n = n/4, (n+second)/4
		default:
			return def, 0
		}
	}
	if id < 256 || n == 0 || def.scopes > n || len(b)-at < 4*n {
		return def, 0
	}
	d.fields = d.fields[:0]
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
		d.fields = append(d.fields, f)
		def.add(i, f, p)
	}
	def.fields = d.fields
	return def, at
}

// add takes the field at i into account.
func (def *definition) add(i int, f template.Field, p flow.Protocol) {
	// The scopes of NetFlow v9 have types of their own.
	isElement := f.Enterprise == 0 && (p == flow.IPFIX || i >= def.scopes)
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
		def.frames.add(f.Element, place{i + 1, def.least})
		def.octets.add(layout.Octets, f.Element, place{i + 1, def.least})
		def.packets.add(layout.Packets, f.Element, place{i + 1, def.least})
		if n := slices.Index(layout.Totals, f.Element); n >= 0 {
			def.totals[n] = place{i + 1, def.least}
		}
		if to != nil && to.field == 0 {
			*to = place{i + 1, def.least}
		}
	}
	if f.Length == template.VariableLength {
		def.variable = true
		def.least++
	} else {
		def.least += int(f.Length)
	}
}

// add takes the first field of an element of the list.
func (c *counters) add(list []uint16, element uint16, at place) {
	if i := slices.Index(list, element); i >= 0 && c[i].field == 0 {
		c[i] = at
	}
}

// number reads a field of the record at the beginning of b, and returns the record's length; 0 if it is cut off.
func (def *definition) number(b []byte, p place) (v uint64, size int) {
	value, size := def.value(b, p)
	v, _ = ipfix.Number(value)
	return v, size
}

func (def *definition) value(b []byte, p place) (value []byte, size int) {
	if !def.variable {
		return b[p.at : p.at+int(def.fields[p.field-1].Length)], def.least
	}
	size = def.record(b, func(i int, field []byte) {
		if i == p.field-1 {
			value = field
		}
	})
	return value, size
}

// record finds the end of the record at the beginning of b, and its fields if they are asked for; 0 if it is cut
// off.
func (def *definition) record(b []byte, each func(field int, value []byte)) (size int) {
	at := 0
	for i := range def.fields {
		n := int(def.fields[i].Length)
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
