package decode

import (
	"bytes"
	"encoding/binary"

	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/decoders/netflowlegacy"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
	"github.com/hotpb/hotpb/examples/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// version is the protocol's number in goflow2.
func version(p flow.Protocol) uint16 {
	if p == flow.NetFlow9 {
		return 9
	}
	return 10
}

// learnSet2 is learnSet by goflow2.
func (d *Decoder) learnSet2(dom *domain, m *message, body []byte, options bool) {
	var definitions []definition
	var err error
	add := func(id uint16, scopes, fields []netflow.Field) {
		definitions = append(definitions, definitionOf(m.protocol, id, options, scopes, fields))
	}
	switch buffer := bytes.NewBuffer(body); {
	case !options:
		var records []netflow.TemplateRecord
		records, err = netflow.DecodeTemplateSet(version(m.protocol), buffer)
		for _, r := range records {
			add(r.TemplateId, nil, r.Fields)
		}
	case m.protocol == flow.NetFlow9:
		var records []netflow.NFv9OptionsTemplateRecord
		records, err = netflow.DecodeNFv9OptionsTemplateSet(buffer)
		for _, r := range records {
			add(r.TemplateId, r.Scopes, r.Options)
		}
	default:
		var records []netflow.IPFIXOptionsTemplateRecord
		records, err = netflow.DecodeIPFIXOptionsTemplateSet(buffer)
		for _, r := range records {
			add(r.TemplateId, r.Scopes, r.Options)
		}
	}
	if err != nil {
		m.wrong = true
		d.counts.Drop(count.TemplateMalformed, 1)
	}
	for i := range definitions {
		switch def := &definitions[i]; {
		case len(def.fields) == 0 && def.id == 0: // padding
		case len(def.fields) == 0 && m.protocol == flow.IPFIX:
			dom.withdraw(def.id, options)
		case def.id < 256:
			m.wrong = true
			d.counts.Drop(count.TemplateMalformed, 1)
		default:
			d.learn(dom, m, def)
			m.found++
		}
	}
}

// definitionOf converts a template of goflow2 into our own form.
func definitionOf(p flow.Protocol, id uint16, options bool, scopes, fields []netflow.Field) definition {
	def := definition{id: id, options: options, scopes: len(scopes)}
	for _, list := range [][]netflow.Field{scopes, fields} {
		for _, from := range list {
			f := template.Field{Element: from.Type, Length: from.Length}
			if from.PenProvided {
				f.Element, f.Enterprise = from.Type&0x7fff, from.Pen
			}
			def.add(len(def.fields), f, p)
			def.fields = append(def.fields, f)
		}
	}
	return def
}

// data2 encodes a data set whose records goflow2 decodes.
func (d *Decoder) data2(dst []byte, m *message, dom *domain, t *inputTemplate, set []byte) (out []byte, records int) {
	if t.setters.layout != d.layout {
		t.setters = d.bindSetters(t.fields)
		t.setters.stock = stockFields(t.fields)
		d.counts.Drop(count.FieldRefused, t.setters.refused)
	}
	t.seen = m.received
	set = d.sensible(&t.definition, set)
	for len(set) >= t.least {
		size := t.record(set, nil) // goflow2 reads beyond the end without an error
		if size == 0 {
			d.malformed(m)
			return dst, records
		}
		d.buffer = *bytes.NewBuffer(set[:size])
		values, err := netflow.DecodeDataSetUsingFields(version(m.protocol), &d.buffer, t.setters.stock)
		if err != nil {
			d.malformed(m)
			return dst, records
		}
		var says says
		if i := t.sampler.field; i > 0 {
			says.sampler, _ = number(values[i-1].Value.([]byte))
		}
		if i := t.boot.field; i > 0 {
			says.boot, _ = number(values[i-1].Value.([]byte))
		}
		clock := dom.clockOf(m, says)
		d.setRate(dom.rate(says.sampler, t.sampler.field > 0))
		d.layout.Begin(d.record, &d.values)
		for i, set := range t.setters.byField {
			if len(set) > 0 {
				d.setAll(set, values[i].Value.([]byte), clock)
			}
		}
		for i := range t.setters.choices {
			c := &t.setters.choices[i]
			d.setAll(c.set, c.of(values), clock)
		}
		dst = d.finish(dst)
		records++
		set = set[size:]
	}
	if !t.variable {
		d.padding(m, set)
	}
	return dst, records
}

func stockFields(fields []template.Field) []netflow.Field {
	list := make([]netflow.Field, len(fields))
	for i, f := range fields {
		list[i] = netflow.Field{Type: f.Element, Length: f.Length, PenProvided: f.Enterprise != 0, Pen: f.Enterprise}
	}
	return list
}

// goflow5 encodes the records of a datagram of NetFlow v5 that goflow2 decodes.
func (d *Decoder) goflow5(dst []byte, m *message, dom *domain, payload []byte) (out []byte, flows int, has tally) {
	d.begin(m, dom.exporter)
	// With as many records as there are: goflow2 allocates as many as the header says.
	whole := bytes.Clone(payload[:headerSize5+len(m.sets)])
	binary.BigEndian.PutUint16(whole[2:], uint16(len(m.sets)/recordSize5))
	var packet netflowlegacy.PacketNetFlowV5
	if err := netflowlegacy.DecodeMessageVersion(bytes.NewBuffer(whole), &packet); err != nil {
		d.malformed(m)
		return dst, 0, tally{}
	}
	if d.setters5.layout != d.layout {
		d.setters5 = d.bindSetters(fields5)
	}
	clock := dom.clock(m)
	for i := range packet.Records {
		r := &packet.Records[i]
		d.layout.Begin(d.record, &d.values)
		for i, v := range [...]uint32{
			uint32(r.SrcAddr), uint32(r.DstAddr), uint32(r.NextHop), uint32(r.Input), uint32(r.Output),
			r.DPkts, r.DOctets, r.First, r.Last, uint32(r.SrcPort), uint32(r.DstPort), uint32(r.Pad1),
			uint32(r.TCPFlags), uint32(r.Proto), uint32(r.Tos), uint32(r.SrcAS), uint32(r.DstAS),
			uint32(r.SrcMask), uint32(r.DstMask), uint32(r.Pad2),
		} {
			if set := d.setters5.byField[i]; len(set) > 0 {
				binary.BigEndian.PutUint32(d.number[:], v)
				d.setAll(set, d.number[4-fields5[i].Length:], clock)
			}
		}
		dst = d.finish(dst)
	}
	flows = len(packet.Records)
	return dst, flows, tally{all: uint32(flows), known: !m.wrong}
}

// setAll sets the columns that a field fills.
func (d *Decoder) setAll(list []setter, value []byte, clock template.Clock) {
	for _, set := range list {
		if !set(d.record, value, clock) {
			d.counts.Drop(count.Misfit, 1)
		}
	}
}

// finish ends a record and appends it.
func (d *Decoder) finish(dst []byte) []byte {
	if d.enricher != nil {
		d.enricher.Enrich(d.record, d.values.Exporter)
	}
	return d.record.AppendDelimited(dst)
}
