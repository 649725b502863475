package decode

import (
	"math"
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sequence"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/sflow"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Decoder decodes datagrams with the templates of a Store. One goroutine may use it.
type Decoder struct {
	store  *Store
	counts count.Local

	layout   *layout.Layout
	enricher flow.Enricher
	direct   bool // messages are written directly, without a record
	sflow    *sflow.Decoder
	five     templates.Bound // the template of NetFlow v5

	binder  *templates.Binder
	lists   templates.Lists  // of the record that is being read
	listed  *domain          // whose records these are
	fields  []template.Field // of the template that is being read
	learnt  []uint16         // templates of the set that is being read
	copied  []byte           // a set, to be changed
	record  *schema.Record
	misfits uint64 // misfits of record that are already counted
	last    *exporter

	caughtUp time.Time // when what waits was looked through

	late      []byte // flows of exporters that gave way, which go out with the datagram's
	lateFlows int

	applied *State // the one that was offered last

	holding   *inputTemplate // of the set that is being encoded, whose records may be held; nil if they may not
	holdBack  bool           // only their other direction
	biflows   []byte         // records of biflows that have another direction
	replaying bool           // held records are being encoded
	restoring bool           // templates come from a state, which may have many
	final     bool           // and are not held again
	ending    bool           // no datagram comes any more

	// Of the datagram.
	domain uint32
	detail detail
	looked bool // among the other ports for a template
	placed bool // it counts as one of its exporter's

	// Of the datagram, or waiting set, that is being decoded.
	values layout.Values
	prefix []byte // the beginning of the messages, with the rate in values; nil before the first one

	watch *watch // nil but in explanations
}

// NewDecoder creates a decoder that encodes with a layout. The enricher may be nil.
func (s *Store) NewDecoder(l *layout.Layout, e flow.Enricher) (*Decoder, error) {
	d := &Decoder{store: s, counts: count.Local{Counters: s.counts}}
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
	if s := d.store; s.layout.Swap(l) != l { // only once, not for each worker
		d.counts.Counters.Drop(count.FieldRefused, len(refused)+samples.Refused) // of no exporter
	}
	samples.SamplingRate, samples.Rules = d.store.limits.SamplingRate, d.store.rules.Rates
	d.sflow = samples
	d.layout, d.enricher, d.five, d.binder = l, e, five, binder
	d.record, d.misfits = l.Plan.NewRecord(), 0
	d.lists = binder.NewLists(d.listTemplate)
	d.direct = e == nil && !slices.ContainsFunc(l.Plan.Columns(l.Plan.Root()), func(c schema.Column) bool { return c.KeepFirst })
	return nil
}

// listTemplate returns the template of records in a list.
func (d *Decoder) listTemplate(id uint16) *templates.Definition {
	if t := d.listed.templates[id]; t != nil {
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
	d.domain, d.detail, d.looked, d.placed, d.counts.Set = 0, detail{}, false, false, 0
	d.store.tick(dg.Received)
	switch {
	case dg.Cut:
		d.counts.Drop(count.Truncated, 1)
		d.detail = detail{count.Truncated, "the datagram is longer than --max-datagram"}
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

// countMisfits counts the misfits of the record that are not counted yet.
func (d *Decoder) countMisfits() {
	if n := d.record.AllMisfits(); n > d.misfits {
		d.counts.Drop(count.Misfit, int(n-d.misfits))
		d.misfits = n
	}
}

// attribute counts the losses of a datagram for its exporter, if there is room for one, and reports them. A datagram that
// could not be read is one of its exporter's, if that is known.
func (d *Decoder) attribute(dg *flow.Datagram) {
	if !d.placed {
		d.store.unread(dg.From)
	}
	d.store.attribute(dg, &d.counts, d.domain, d.detail)
	d.store.attribute(dg, d.sflow.Losses(), d.domain, detail{})
}

// note notes an agent of sFlow, for which nothing has to be kept. If there is no room for the agent, its flows are
// not lost.
func (d *Decoder) note(dg *flow.Datagram, o *sflow.Opening, flows int) {
	e := d.lock(d.last, dg.From, dg.Received)
	if e == nil {
		return
	}
	defer e.mu.Unlock()
	d.last, e.seen = e, dg.Received
	e.protocols[flow.SFlow5] = true
	e.datagrams++
	d.placed = true
	e.flows += uint64(flows)
	e.unsampled += d.sflow.Unsampled()
	if dom := e.domain(domainKey{flow.SFlow5, o.SubAgent, o.Agent}, dg.Received); dom != nil {
		if d.watch != nil {
			d.watch.agent(o, e)
		}
		x := e.follow(dom, dg.From.Port(), &message.Header{Sequence: o.Sequence, Uptime: o.Uptime}, sequence.Count{All: 1, Known: true})
		if x.Restarted {
			dom.drops.Restart()
		}
		if !x.Late {
			d.counts.Drop(count.AgentDrops, dom.drops.See(d.sflow.Drops(), e.Reserve))
		}
		if d.watch != nil {
			d.watch.sequence(flow.SFlow5, e)
		}
	}
	e.place(dg.Received, 0)
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
	e := dom.exporter
	defer e.mu.Unlock()
	var has sequence.Count
	early := 0 // flows that have waited
	if len(dom.held) > 0 && !dg.Received.Before(dom.holdUntil) {
		dst, early = d.releaseHeld(dst, dom, true)
	}
	if p == flow.NetFlow9 {
		dom.started = m.Boot.UnixMilli()
	}
	if e.borrows || len(dom.waiting) > 0 {
		var n int
		dst, n = d.catchUp(dst, &m, dom)
		early += n
	}
	if p == flow.NetFlow5 {
		out, flows, has = d.netflow5(dst, &m, dom)
	} else {
		out, flows, has = d.sets(dst, &m, dom)
	}
	e.follow(dom, dg.From.Port(), &m, has)
	if d.watch != nil {
		d.watch.sequence(p, e)
	}
	flows += early
	e.flows += uint64(flows)
	if flows > 0 {
		e.proves(dg.Received)
	}
	e.place(dg.Received, flows)
	return out, flows
}

// enter finds the observation domain of a datagram, and locks its exporter; nil if there is no room for it.
func (d *Decoder) enter(dg *flow.Datagram, m *message.Header) *domain {
	e := d.lock(d.last, dg.From, dg.Received)
	if e == nil {
		return nil
	}
	d.last, e.owner, e.seen = e, d, dg.Received
	e.protocols[m.Protocol] = true
	e.datagrams++
	d.placed = true
	dom := e.domain(domainKey{protocol: m.Protocol, id: m.Domain}, dg.Received)
	if dom == nil {
		e.mu.Unlock()
		return nil
	}
	d.checkClock(m)
	if m.Rate > d.store.limits.SamplingRate {
		d.counts.Drop(count.SamplingAbsurd, 1)
		m.Rate = 0
	}
	if d.watch != nil {
		d.watch.header(d, m, dom)
	}
	return dom
}

// proves notes when the first flow of an exporter came.
func (e *exporter) proves(now time.Time) {
	if e.proof.IsZero() {
		e.proof, e.settles = now, now.Add(tenure).UnixNano()
	}
}

// checkClock checks the exporter's clock. If it cannot be right, the exporter's times are shifted so that the
// export is now: relative times keep their distances from one another and from the export.
func (d *Decoder) checkClock(m *message.Header) {
	limit := d.store.limits.ClockSkew
	if limit == 0 {
		return
	}
	if skew := m.Received.Sub(m.Export); skew > limit || -skew > limit {
		d.counts.Drop(count.ClockJump, 1)
		m.Jumped = skew
	}
}

// clock is the reference of the records' relative times.
func (d *domain) clock(m *message.Header) template.Clock {
	boot := m.Boot
	if m.Protocol == flow.IPFIX {
		boot = d.boot
	}
	if m.Jumped != 0 && !boot.IsZero() {
		boot = boot.Add(m.Jumped)
	}
	return template.Clock{Boot: boot, Export: m.Export.Add(m.Jumped)}
}

// clockOf is the clock of records that may say themselves when their exporter was started.
func (d *domain) clockOf(m *message.Header, s *templates.Attributes) template.Clock {
	c := d.clock(m)
	if boot, ok := bootOf(s.Boot); ok {
		c.Boot = boot.Add(m.Jumped)
	} else if c.Boot.IsZero() && s.Relative {
		c.Boot = c.Export.Add(-time.Duration(s.Uptime) * time.Millisecond)
	}
	return c
}

// bootOf is when an exporter was started, if it says so; zero means unknown.
func bootOf(millis uint64) (time.Time, bool) {
	return time.UnixMilli(int64(millis)), millis > 0 && millis <= math.MaxInt64/1000
}

// begin prepares for the records of a message. The collector's own values are encoded when the first record comes.
func (d *Decoder) begin(m *message.Header, e *exporter) {
	d.values = layout.Values{
		Protocol: uint8(m.Protocol), Sequence: m.Sequence, Exporter: e.from.Addr(), Received: m.Received,
	}
	d.prefix = nil
}
