package decode

import (
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sequence"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/sflow"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Decoder decodes datagrams with the templates of a Store. One goroutine may use it.
type Decoder struct {
	store  *session.Store
	limits *session.Limits // of store
	owner  *session.Owner
	counts count.Local

	layout   *layout.Layout
	enricher flow.Enricher
	direct   bool // messages are written directly, without a record
	sflow    *sflow.Decoder
	five     templates.Bound // the template of NetFlow v5

	binder  *templates.Binder
	lists   templates.Lists  // of the record that is being read
	listed  *session.Domain  // whose records these are
	fields  []template.Field // of the template that is being read
	learnt  []uint16         // templates of the set that is being read
	copied  []byte           // a set, to be changed
	record  *schema.Record
	misfits uint64 // misfits of record that are already counted
	last    *session.Exporter

	caughtUp time.Time // when what waits was looked through

	late      []byte // flows of exporters that gave way, which go out with the datagram's
	lateFlows int

	applied *session.State // the one that was offered last

	holding   *session.Template // of the set that is being encoded, whose records may be held; nil if they may not
	holdBack  bool              // only their other direction
	biflows   []byte            // records of biflows that have another direction
	replaying bool              // held records are being encoded
	restoring bool              // templates come from a state, which may have many
	final     bool              // and are not held again
	ending    bool              // no datagram comes any more

	// Of the datagram.
	domain uint32
	detail session.Detail
	looked bool // among the other ports for a template
	placed bool // it counts as one of its exporter's

	// Of the datagram, or waiting set, that is being decoded.
	values layout.Values
	prefix []byte // the beginning of the messages, with the rate in values; nil before the first one

	watch *watch // nil but in explanations
}

// New creates a decoder that encodes with a layout. The enricher may be nil.
func New(s *session.Store, l *layout.Layout, e flow.Enricher) (*Decoder, error) {
	d := &Decoder{store: s, limits: s.Limits(), counts: count.Local{Counters: s.Counters()}}
	d.owner = &session.Owner{Flush: d.flush}
	return d, d.Use(l, e)
}

// Use switches the decoder to another layout and enricher, from the next datagram on. After an error the decoder
// keeps the old ones.
func (d *Decoder) Use(l *layout.Layout, e flow.Enricher) error {
	binder := templates.NewBinder(l)
	five, refused, err := binder.Bind(&templates.NetFlow5)
	if err != nil {
		return err
	}
	samples, err := sflow.New(l, e, d.counts.Counters)
	if err != nil {
		return err
	}
	if d.store.BeginLayout(l) { // only once, not for each worker
		d.counts.Counters.Drop(count.FieldRefused, len(refused)+samples.Refused) // of no exporter
	}
	samples.SamplingRate, samples.Rules = d.limits.SamplingRate, d.store.Rules().Rates
	d.sflow = samples
	d.layout, d.enricher, d.five, d.binder = l, e, five, binder
	d.record, d.misfits = l.Plan.NewRecord(), 0
	d.lists = binder.NewLists(d.listTemplate)
	d.direct = e == nil && !slices.ContainsFunc(l.Plan.Columns(l.Plan.Root()), func(c schema.Column) bool { return c.KeepFirst })
	return nil
}

// listTemplate returns the template of records in a list.
func (d *Decoder) listTemplate(id uint16) *templates.Definition {
	if t := d.listed.Template(id); t != nil {
		return &t.Definition
	}
	return nil
}

// Append decodes a datagram and appends its flows to dst, each as a length-prefixed message. It returns how many
// there are, including flows that have waited for a template in this datagram. It counts datagrams, flows and
// their faults.
func (d *Decoder) Append(dst []byte, dg *flow.Datagram) (out []byte, flows int) {
	p := flow.Detect(dg.Payload)
	d.counts.Datagrams[p].Add(1)
	d.counts.Bytes[p].Add(uint64(len(dg.Payload)))
	d.domain, d.detail, d.looked, d.placed, d.counts.Set = 0, session.Detail{}, false, false, 0
	d.store.Tick(dg.Received)
	switch {
	case dg.Cut:
		d.counts.Drop(count.Truncated, 1)
		d.detail = session.Detail{Reason: count.Truncated, Text: "the datagram is longer than --max-datagram"}
		out = dst
	case p == flow.NetFlow5 || p == flow.NetFlow9 || p == flow.IPFIX:
		out, flows = d.netflow(dst, dg, p)
	case p == flow.SFlow5:
		out, flows = d.sflow.Append(dst, dg)
		if o, ok := d.sflow.Opening(); ok {
			d.domain = o.SubAgent
			d.note(dg, &o, flows)
		}
		if d.watch != nil {
			d.watch.samples(d, dg, out[len(dst):])
		}
	default:
		d.counts.Drop(count.UnknownVersion, 1)
		out = dst
	}
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

// addLate appends the flows of exporters that gave way, which are already counted.
func (d *Decoder) addLate(dst []byte, flows int) (out []byte, all int) {
	out, all = append(dst, d.late...), flows+d.lateFlows
	d.late, d.lateFlows = nil, 0
	return out, all
}

// attribute counts the losses of a datagram for its exporter, if there is room for one, and reports them. A datagram that
// could not be read is one of its exporter's, if that is known.
func (d *Decoder) attribute(dg *flow.Datagram) {
	if !d.placed {
		d.store.Unread(dg.From)
	}
	d.store.Attribute(dg, &d.counts, d.domain, d.detail)
	d.store.Attribute(dg, d.sflow.Losses(), d.domain, session.Detail{})
}

// note notes an agent of sFlow, for which nothing has to be kept. If there is no room for the agent, its flows are
// not lost.
func (d *Decoder) note(dg *flow.Datagram, o *sflow.Opening, flows int) {
	e := d.store.Lock(d.owner, d.last, dg.From, dg.Received)
	if e == nil {
		return
	}
	defer e.Unlock()
	d.last, d.placed = e, true
	dom := e.Receive(session.DomainKey{Protocol: flow.SFlow5, ID: o.SubAgent, Agent: o.Agent}, dg.Received)
	e.Flows += uint64(flows)
	e.Unsampled += d.sflow.Unsampled()
	if dom != nil {
		if d.watch != nil {
			d.watch.agent(o, e)
		}
		x := dom.Follow(dg.From.Port(), &message.Header{Sequence: o.Sequence, Uptime: o.Uptime}, sequence.Count{All: 1, Known: true})
		d.counts.Drop(count.AgentDrops, dom.Dropped(x, d.sflow.Drops()))
		if d.watch != nil {
			d.watch.sequence(flow.SFlow5, e)
		}
	}
	e.Place(dg.Received, 0)
}

// netflow decodes a datagram of NetFlow or IPFIX.
func (d *Decoder) netflow(dst []byte, dg *flow.Datagram, p flow.Protocol) (out []byte, flows int) {
	m, ok := message.Read(p, dg, &d.counts)
	d.domain = m.Domain
	if !ok || p == flow.NetFlow5 && len(m.Sets) == 0 { // which contains nothing useful, so it gets no place
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
		out, flows, has = d.netflow5(dst, &m, dom)
	} else {
		out, flows, has = d.sets(dst, &m, dom)
	}
	dom.Follow(dg.From.Port(), &m, has)
	if d.watch != nil {
		d.watch.sequence(p, e)
	}
	flows += early
	e.Flows += uint64(flows)
	if flows > 0 {
		e.Proves(dg.Received)
	}
	e.Place(dg.Received, flows)
	return out, flows
}

// enter finds the observation domain of a datagram, and locks its exporter; nil if there is no room for it.
func (d *Decoder) enter(dg *flow.Datagram, m *message.Header) *session.Domain {
	e := d.store.Lock(d.owner, d.last, dg.From, dg.Received)
	if e == nil {
		return nil
	}
	d.last, d.placed, e.Owner = e, true, d.owner
	dom := e.Receive(session.DomainKey{Protocol: m.Protocol, ID: m.Domain}, dg.Received)
	if dom == nil {
		e.Unlock()
		return nil
	}
	if m.Protocol == flow.NetFlow9 {
		dom.SetStart(m.Boot)
	}
	d.checkClock(m)
	if m.Rate > d.limits.SamplingRate {
		d.counts.Drop(count.SamplingAbsurd, 1)
		m.Rate = 0
	}
	if d.watch != nil {
		d.watch.header(d, m, dom)
	}
	return dom
}

// checkClock checks the exporter's clock. If it cannot be right, the exporter's times are shifted so that the
// export is now: relative times keep their distances from one another and from the export.
func (d *Decoder) checkClock(m *message.Header) {
	limit := d.limits.ClockSkew
	if limit == 0 {
		return
	}
	if skew := m.Received.Sub(m.Export); skew > limit || -skew > limit {
		d.counts.Drop(count.ClockJump, 1)
		m.Jumped = skew
	}
}
