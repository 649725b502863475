package decode

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sequence"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/decoders/netflowlegacy"
)

// Options choose how a rig decodes.
type Options struct {
	Goflow2 bool // goflow2 decodes NetFlow and IPFIX, and handles set the flows
}

// An appender is one of the ways to decode.
type appender interface {
	Append(dst []byte, dg *flow.Datagram) (out []byte, flows int)
}

// appenderOf is the way that the options choose, with the state of a decoder.
func appenderOf(d *Decoder, o Options) appender {
	if o.Goflow2 {
		return &goflow2Path{Decoder: d, setters: map[*session.Template]setters{}}
	}
	return d
}

// goflow2Path reads sets with goflow2's decoder. Exporters, clocks, rates and sequences are the Decoder's, and so are sets that wait
// longer than their own datagram. The columns are the same, whatever decodes.
type goflow2Path struct {
	*Decoder
	setters  map[*session.Template]setters
	setters5 setters
	buffer   bytes.Buffer
}

// version is the protocol's number in goflow2.
func version(p flow.Protocol) uint16 {
	if p == flow.NetFlow9 {
		return 9
	}
	return 10
}

func (d *goflow2Path) Append(dst []byte, dg *flow.Datagram) (out []byte, flows int) {
	p := flow.Detect(dg.Payload)
	if dg.Cut || p != flow.NetFlow5 && p != flow.NetFlow9 && p != flow.IPFIX {
		return d.Decoder.Append(dst, dg)
	}
	d.counts.Datagrams[p].Add(1)
	d.counts.Bytes[p].Add(uint64(len(dg.Payload)))
	d.domain, d.detail, d.looked, d.placed, d.counts.Set = 0, session.Detail{}, false, false, 0
	d.store.Tick(dg.Received)
	out, flows = d.netflow(dst, dg, p)
	d.counts.Flows[p].Add(uint64(flows))
	d.counts.Encoded.Add(uint64(len(out) - len(dst)))
	if d.lateFlows > 0 {
		out, flows = d.addLate(out, flows)
	}
	d.countMisfits()
	if !d.placed || d.counts.Any() || d.sflow.Losses().Any() {
		d.attribute(dg)
	}
	return out, flows
}

func (d *goflow2Path) netflow(dst []byte, dg *flow.Datagram, p flow.Protocol) (out []byte, flows int) {
	m, ok := message.Read(p, dg, &d.counts)
	d.domain = m.Domain
	if !ok || p == flow.NetFlow5 && len(m.Sets) == 0 {
		return dst, 0
	}
	dom := d.enter(dg, &m)
	if dom == nil {
		d.counts.Drop(count.ExporterLimit, 1)
		return dst, 0
	}
	e := dom.Exporter
	defer e.Unlock()
	var has sequence.Count
	early := 0 // flows that have waited
	if dom.HoldIsOver(dg.Received) {
		dst, early = d.releaseHeld(dst, dom, true)
	}
	if dom.MayCatchUp() {
		var n int
		dst, n = d.catchUp(dst, &m, dom)
		early += n
	}
	if p == flow.NetFlow5 {
		out, flows, has = d.records5(dst, &m, dom, dg.Payload)
	} else {
		out, flows, has = d.sets(dst, &m, dom)
	}
	dom.Follow(dg.From.Port(), &m, has)
	flows += early
	e.Flows += uint64(flows)
	if flows > 0 {
		e.Proves(dg.Received)
	}
	e.Place(dg.Received, flows)
	return out, flows
}

// sets decodes the sets of a datagram.
func (d *goflow2Path) sets(dst []byte, m *message.Header, dom *session.Domain) (out []byte, flows int, has sequence.Count) {
	out, has.Known = dst, true
	d.begin(m, dom.Exporter)
	for {
		d.counts.Set = 0
		id, body, ok := m.NextSet(&d.counts)
		if !ok {
			break
		}
		if id >= 256 {
			d.counts.Set = id
		}
		t := dom.Template(id)
		if id >= 256 && (t == nil || t.Borrowed) {
			t = d.borrowOnce(dom, m, id, t)
		}
		var n int
		first := map[bool]uint16{false: 2}[m.Protocol == flow.NetFlow9] // the id of templates; that of options follows
		switch {
		case id == first || id == first+1:
			d.learnt = d.learnt[:0]
			d.readTemplates(dom, m, body, id != first)
			for _, id := range d.learnt {
				out, n = d.waited(out, m, dom, id)
				flows += n
			}
		case id < 256:
			m.Wrong = true
			d.counts.Drop(count.Malformed, 1)
		case t == nil:
			dom.Wait(m, id, body)
			has.Known = false
		case t.Options:
			records := uint32(d.optionsSet(dom, m, t, body))
			has.Options, has.All = has.Options+records, has.All+records
			out, n = d.releaseRated(out, m, dom.Exporter)
			flows += n
		default:
			out, n = d.data(out, m, dom, t, body)
			flows, has.All = flows+n, has.All+uint32(n)
		}
	}
	if m.Protocol == flow.NetFlow9 {
		if has.Known && !m.Wrong && has.All+m.Found < m.Records {
			d.counts.Drop(count.Truncated, 1)
		}
		return out, flows, sequence.Count{All: 1, Known: true}
	}
	has.Known = has.Known && !m.Wrong
	return out, flows, has
}

// waited decodes the sets that have waited for a template of this datagram.
func (d *goflow2Path) waited(dst []byte, m *message.Header, dom *session.Domain, id uint16) (out []byte, flows int) {
	t := dom.Template(id)
	if !dom.Waits(id) || t == nil || t.Options {
		return d.released(dst, m, dom, id)
	}
	out = dst
	d.counts.Set = id
	for _, w := range dom.TakeWaiting(id) {
		d.begin(&w.Message, dom.Exporter)
		var n int
		out, n = d.data(out, &w.Message, dom, t, w.Body)
		flows += n
	}
	d.begin(m, dom.Exporter)
	return out, flows
}

func (d *goflow2Path) data(dst []byte, m *message.Header, dom *session.Domain, t *session.Template, set []byte) (out []byte, records int) {
	dom.Use(t)
	return d.records(dst, m, dom, t, set)
}

// readTemplates reads a set of templates.
func (d *goflow2Path) readTemplates(dom *session.Domain, m *message.Header, body []byte, options bool) {
	var definitions []templates.Definition
	var err error
	add := func(id uint16, scopes, fields []netflow.Field) {
		definitions = append(definitions, definitionOf(m.Protocol, id, options, scopes, fields))
	}
	switch buffer := bytes.NewBuffer(body); {
	case !options:
		var records []netflow.TemplateRecord
		records, err = netflow.DecodeTemplateSet(version(m.Protocol), buffer)
		for _, r := range records {
			add(r.TemplateId, nil, r.Fields)
		}
	case m.Protocol == flow.NetFlow9:
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
		m.Wrong = true
		d.counts.Drop(count.TemplateMalformed, 1)
	}
	for i := range definitions {
		switch def := &definitions[i]; {
		case len(def.Fields) == 0 && def.ID == 0: // padding
		case len(def.Fields) == 0 && m.Protocol == flow.IPFIX:
			dom.Withdraw(def.ID, options)
		case def.ID < 256:
			m.Wrong = true
			d.counts.Drop(count.TemplateMalformed, 1)
		default:
			d.learn(dom, m, def)
			m.Found++
		}
	}
}

// definitionOf converts a template of goflow2 into our own form.
func definitionOf(p flow.Protocol, id uint16, options bool, scopes, fields []netflow.Field) templates.Definition {
	var list []template.Field
	for _, from := range slices.Concat(scopes, fields) {
		f := template.Field{Element: from.Type, Length: from.Length}
		if from.PenProvided {
			f.Element, f.Enterprise = from.Type&0x7fff, from.Pen
		}
		list = append(list, f)
	}
	return templates.New(p, id, options, len(scopes), list)
}

// records encodes a data set.
func (d *goflow2Path) records(dst []byte, m *message.Header, dom *session.Domain, t *session.Template, set []byte) (out []byte, records int) {
	setters := d.setters[t]
	if setters.layout != d.layout {
		setters = d.bindSetters(t.Fields)
		setters.stock = stockFields(t.Fields)
		d.counts.Drop(count.FieldRefused, setters.refused)
		if len(d.setters) == 1000 { // most are gone, as when a fuzz target begins again
			clear(d.setters)
		}
		d.setters[t] = setters
	}
	t.Seen = m.Received
	sent := set
	set = d.sensible(dom, &t.Definition, set)
	needs := t.Needed(d.layout, dom.Exporter.Rates.HasPorts(), m.Protocol == flow.IPFIX && dom.Boot.IsZero())
	for len(set) >= t.Least {
		size := t.Record(set, nil) // goflow2 reads beyond the end without an error
		if size == 0 {
			d.malformed(m)
			return dst, records
		}
		d.buffer = *bytes.NewBuffer(set[:size])
		values, err := netflow.DecodeDataSetUsingFields(version(m.Protocol), &d.buffer, setters.stock)
		if err != nil {
			d.malformed(m)
			return dst, records
		}
		attributes, _ := t.Run(sent[:size], 0, needs)
		d.sampledOrNot(m, dom, &t.Definition, &attributes, sent[:size])
		if _, told := session.BootOf(attributes.Boot); attributes.Relative && !told && t.UsesUptimes(d.layout) {
			d.counts.Drop(count.NoBootTime, 1)
		}
		clock := dom.ClockOf(m, &attributes)
		d.read(&setters, read(t.Fields, valuesOf(values)), clock)
		dst = d.finish(dst)
		records++
		set, sent = set[size:], sent[size:]
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

// records5 encodes the records of a datagram of NetFlow v5.
func (d *goflow2Path) records5(dst []byte, m *message.Header, dom *session.Domain, payload []byte) (out []byte, flows int, has sequence.Count) {
	d.begin(m, dom.Exporter)
	// With as many records as there are: goflow2 allocates as many as the header says.
	whole := bytes.Clone(payload[:message.HeaderSize5+len(m.Sets)])
	binary.BigEndian.PutUint16(whole[2:], uint16(len(m.Sets)/message.RecordSize5))
	var packet netflowlegacy.PacketNetFlowV5
	if err := netflowlegacy.DecodeMessageVersion(bytes.NewBuffer(whole), &packet); err != nil {
		d.malformed(m)
		return dst, 0, sequence.Count{}
	}
	if d.setters5.layout != d.layout {
		d.setters5 = d.bindSetters(templates.NetFlow5.Fields)
	}
	clock := dom.Clock(m)
	for i := range packet.Records {
		r := &packet.Records[i]
		attributes, _ := templates.NetFlow5.Run(m.Sets[i*message.RecordSize5:][:message.RecordSize5], 0, templates.NetFlow5.Needed(d.layout, dom.Exporter.Rates.HasPorts(), false))
		d.sampledOrNot(m, dom, &templates.NetFlow5, &attributes, m.Sets[i*message.RecordSize5:][:message.RecordSize5])
		values := [...]uint32{
			uint32(r.SrcAddr), uint32(r.DstAddr), uint32(r.NextHop), uint32(r.Input), uint32(r.Output),
			r.DPkts, r.DOctets, r.First, r.Last, uint32(r.SrcPort), uint32(r.DstPort), uint32(r.Pad1),
			uint32(r.TCPFlags), uint32(r.Proto), uint32(r.Tos), uint32(r.SrcAS), uint32(r.DstAS),
			uint32(r.SrcMask), uint32(r.DstMask), uint32(r.Pad2),
		}
		var fields [][]byte
		for field, f := range templates.NetFlow5.Fields {
			fields = append(fields, be32(values[field])[4-f.Length:])
		}
		d.read(&d.setters5, read(templates.NetFlow5.Fields, fields), clock)
		dst = d.finish(dst)
	}
	flows = len(packet.Records)
	return dst, flows, sequence.Count{All: uint32(flows), Known: !m.Wrong}
}

// read sets the columns of a record.
func (d *goflow2Path) read(s *setters, r *reading, clock template.Clock) {
	v := &d.values
	v.EtherType, v.InnerEtherType, v.Tunnelled = r.ether(r.outer), 0, r.tunnelled
	if r.tunnelled {
		v.InnerEtherType = r.ether(r.inner)
	}
	d.layout.Begin(d.record, v)
	s.set(d.Decoder, r, clock)
}

// sampledOrNot is what encode does before a run, except that nothing is held.
func (d *Decoder) sampledOrNot(m *message.Header, dom *session.Domain, def *templates.Definition, s *templates.Attributes, record []byte) {
	e := dom.Exporter
	rate := d.rateOf(m, dom, def, s, record)
	if rate == 0 {
		rate = e.Rates.Fallback
	}
	if d.sampled(rate, s); rate == 0 {
		e.Unsampled++
		d.counts.Unsampled.Add(1)
		if s.Incomplete {
			d.counts.Drop(count.SamplingUnclear, 1)
		}
	}
}
