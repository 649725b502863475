package decode

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sequence"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/sflow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// A Watcher sees what a decoder reads, and what it makes of that, for explanations. It is called while the exporter is
// locked. What it gets is valid during the call.
type Watcher interface {
	Header(*Header)
	Definition(*Definition)
	Set(*Set)
	Sequence(flow.Protocol, Sequence)
}

// Header is the beginning of a datagram.
type Header struct {
	Protocol flow.Protocol
	Exporter netip.Addr // sFlow: the agent
	Domain   uint32     // observation domain, source id, engine or sub-agent
	Sequence uint32
	Records  uint32        // NetFlow v9: the claimed number
	Rate     uint32        // NetFlow v5; 0 for none
	Export   time.Time     // not sFlow
	Uptime   time.Duration // not IPFIX
	Shift    time.Duration // of an exporter's clock that cannot be right
}

// Sequence is what the number of a datagram shows.
type Sequence struct {
	Lost, Found         uint64
	Repeated, Restarted bool
}

// Drop is a loss.
type Drop struct {
	Reason count.Reason
	Number uint64
}

// Change is what a template of a datagram did to the decoder's.
type Change uint8

// The changes.
const (
	NewTemplate Change = iota
	OtherTemplate
	SameTemplate
	RefusedTemplate // counted in Dropped
	Withdrawal
)

// Definition is a template, or a withdrawal.
type Definition struct {
	Protocol flow.Protocol
	ID       uint16
	Options  bool
	Change   Change
	Scopes   int // the first fields
	Fields   []template.Field
	Bytes    int  // of a record
	Varies   bool // Bytes is the least
	Biflow   bool
	Faults   []error // fields that cannot fill a column
	Dropped  []Drop
	Detail   string // why it is dropped
}

// Kind is what a set has.
type Kind uint8

// The kinds of sets.
const (
	Data        Kind = iota
	OptionsData      // records about the exporter
	Waiting          // data without a template; lost if Dropped is not empty
	UnknownSet       // of a number that has no meaning
	Samples          // a whole datagram of sFlow
)

// Set is a data set, or the payload of a datagram of NetFlow v5 or sFlow.
type Set struct {
	Kind     Kind
	ID       uint16
	Protocol flow.Protocol
	Scopes   int
	Fields   []template.Field
	Bytes    []byte
	Records  []Record
	Faults   []error // fields that cannot fill a column
	Rest     []byte  // after the last record
	Flows    []byte  // that the decoder made of it, length-prefixed
	Dropped  []Drop
	Absence  string // why there is no template
	Waited   bool   // it has waited for its template
	Reverse  bool   // the flows are those in the other direction
	Rated    bool   // it was held for its sampling rate
	Sequence uint32
	Received time.Time // of its datagram

	watch   *watch
	message message.Header // a copy, so that the decoder's stays out of the heap
	domain  *session.Domain
	learnt  *session.Template
	sender  netip.AddrPort
}

// Record is a data record.
type Record struct {
	Bytes       []byte
	Held        bool // until its sampling rate comes
	ReverseHeld bool // likewise, the flow in the other direction
	Spans       []Span
}

// Span is where the value of a field is.
type Span struct{ At, Length int }

// watch is a decoder's watcher.
type watch struct {
	to      Watcher
	trial   *Decoder // decodes the same once more, for its result alone
	scratch count.Counters
	shadow  *session.Store // of trial
	busy    bool           // a set is being decoded that will be reported
	before  [count.Reasons]uint64
	numbers sequence.Totals
}

// Watch makes w see what the decoder reads from now on. It is not for production: a record costs as much as a thousand.
func (d *Decoder) Watch(w Watcher) error {
	x := &watch{to: w}
	x.shadow = session.NewStore(*d.limits, &x.scratch)
	x.shadow.SetRules(d.store.Rules())
	trial, err := New(x.shadow, d.layout, nil)
	x.trial, d.watch = trial, x
	return err
}

// header reports the header of a datagram.
func (w *watch) header(d *Decoder, m *message.Header, dom *session.Domain) {
	w.numbers = dom.Exporter.Totals
	w.to.Header(&Header{
		Protocol: m.Protocol, Exporter: dom.Exporter.From.Addr(), Domain: m.Domain, Sequence: m.Sequence, Records: m.Records,
		Rate: m.Rate, Export: m.Export, Uptime: time.Duration(m.Uptime) * time.Millisecond, Shift: m.Jumped,
	})
	w.drops(d)
}

// agent is header for sFlow.
func (w *watch) agent(o *sflow.Opening, e *session.Exporter) {
	w.numbers = e.Totals
	w.to.Header(&Header{
		Protocol: flow.SFlow5, Exporter: o.Agent, Domain: o.SubAgent, Sequence: o.Sequence,
		Uptime: time.Duration(o.Uptime) * time.Millisecond,
	})
}

// sequence reports what the datagram's number has shown.
func (w *watch) sequence(p flow.Protocol, e *session.Exporter) {
	now, before := e.Totals, w.numbers
	found := now.Found - before.Found
	w.to.Sequence(p, Sequence{
		Lost: now.Lost - before.Lost + found, Found: found,
		Repeated: now.Repeated > before.Repeated, Restarted: now.Restarts > before.Restarts,
	})
}

// drops returns what the decoder has counted since the last call.
func (w *watch) drops(d *Decoder) (list []Drop) { return changed(d.counts.Counters, &w.before) }

func changed(c *count.Counters, before *[count.Reasons]uint64) (list []Drop) {
	for r := range count.Reasons {
		now := c.Dropped(r)
		if n := now - before[r]; n > 0 {
			list = append(list, Drop{r, n})
		}
		before[r] = now
	}
	return list
}

// learn is Decoder.learn, and reports the template.
func (w *watch) learn(d *Decoder, dom *session.Domain, m *message.Header, def *templates.Definition) {
	before := dom.Template(def.ID)
	d.learn(dom, m, def)
	now := dom.Template(def.ID)
	x := &Definition{
		Protocol: m.Protocol, ID: def.ID, Options: def.Options, Scopes: def.Scopes, Fields: def.Fields, Bytes: def.Least, Varies: def.Variable,
		Dropped: w.drops(d),
	}
	for _, drop := range x.Dropped {
		if drop.Reason == d.detail.Reason {
			x.Detail = d.detail.Text
		}
	}
	switch {
	case now == nil || len(x.Dropped) > 0:
		x.Change = RefusedTemplate
	case now == before:
		x.Change = SameTemplate
	case before != nil:
		x.Change = OtherTemplate
	}
	if now != nil && !now.Options {
		x.Biflow = now.Reverse != nil
		x.Faults = w.faults(&now.Definition)
	}
	w.to.Definition(x)
}

// faults returns the fields of a template that cannot fill a column.
func (w *watch) faults(def *templates.Definition) []error {
	_, wrong, _ := w.trial.binder.Bind(def)
	return wrong
}

// malformed reports a template that cannot be read.
func (w *watch) malformed(d *Decoder, p flow.Protocol, b []byte, options bool) {
	w.to.Definition(&Definition{
		Protocol: p, ID: binary.BigEndian.Uint16(b), Options: options, Change: RefusedTemplate, Dropped: w.drops(d),
		Detail: templates.Fault(p, b, options),
	})
}

func (w *watch) withdrawn(id uint16, options bool) {
	w.to.Definition(&Definition{ID: id, Options: options, Change: Withdrawal})
}

// data is Decoder.data, and reports the set.
func (w *watch) data(d *Decoder, dst []byte, m *message.Header, dom *session.Domain, t *session.Template, set []byte) (out []byte, flows, records int) {
	held := len(dom.Held())
	w.busy = true
	out, flows, records = d.data(dst, m, dom, t, set)
	w.busy = false
	s := w.set(d, Data, m, dom, t, set)
	s.Flows = out[len(dst):]
	for i := range s.Records {
		r := &s.Records[i]
		for _, h := range dom.Held()[min(held, len(dom.Held())):] {
			if bytes.Contains(h.Records, r.Bytes) {
				r.Held, r.ReverseHeld = r.Held || !h.Reverse, r.ReverseHeld || h.Reverse
			}
		}
	}
	w.to.Set(s)
	return out, flows, records
}

// held reports records whose sampling rate has come.
func (w *watch) held(d *Decoder, h *session.Held, dom *session.Domain, flows []byte) {
	s := w.set(d, Data, &h.Message, dom, h.Template, h.Records)
	s.Flows, s.Rated, s.Waited, s.Reverse = flows, true, false, h.Reverse
	w.to.Set(s)
}

// five reports the records of NetFlow v5.
func (w *watch) five(d *Decoder, m *message.Header, dom *session.Domain, records, flows []byte) {
	s := w.set(d, Data, m, dom, nil, records)
	s.Flows = flows
	w.to.Set(s)
}

// options is Decoder.optionsSet, and reports the set.
func (w *watch) options(d *Decoder, dom *session.Domain, m *message.Header, t *session.Template, body []byte) (records int) {
	w.busy = true
	records = d.optionsSet(dom, m, t, body)
	w.busy = false
	w.to.Set(w.set(d, OptionsData, m, dom, t, body))
	return records
}

// waits reports a set that has no template.
func (w *watch) waits(d *Decoder, dom *session.Domain, m *message.Header, id uint16, body []byte) {
	kind := Waiting
	if id < 256 {
		kind = UnknownSet
	}
	w.to.Set(&Set{Kind: kind, ID: id, Absence: dom.Missing(count.WaitingExpired, id), Protocol: m.Protocol, Bytes: body, Dropped: w.drops(d), Sequence: m.Sequence, Received: m.Received})
}

// samples reports the payload of a datagram of sFlow.
func (w *watch) samples(d *Decoder, dg *flow.Datagram, flows []byte) {
	w.to.Set(&Set{
		Kind: Samples, Protocol: flow.SFlow5, Bytes: dg.Payload, Flows: flows, Dropped: w.drops(d), Received: dg.Received,
		watch: w, sender: dg.From,
	})
}

// set describes a set, which has been decoded. The template of NetFlow v5 is nil.
func (w *watch) set(d *Decoder, kind Kind, m *message.Header, dom *session.Domain, t *session.Template, set []byte) *Set {
	def := &templates.NetFlow5
	if t != nil {
		def = &t.Definition
	}
	s := &Set{
		Kind: kind, ID: def.ID, Protocol: m.Protocol, Scopes: def.Scopes, Fields: def.Fields, Bytes: set, Dropped: w.drops(d),
		Waited: m.Sets == nil, Sequence: m.Sequence, Received: m.Received, watch: w, message: *m, domain: dom, learnt: t,
	}
	for len(set) >= def.Least {
		r := Record{}
		size := def.Record(set, func(_ int, value []byte) {
			r.Spans = append(r.Spans, Span{cap(set) - cap(value), len(value)})
		})
		if size == 0 {
			break
		}
		r.Bytes = set[:size]
		s.Records = append(s.Records, r)
		set = set[size:]
	}
	s.Rest = set
	if t != nil && !t.Options {
		s.Faults = w.faults(def)
	}
	return s
}

// Try decodes a record, or the payload of a datagram of sFlow, once more, by the decoder's own way but without stages. It
// returns the flows, length-prefixed, and what was counted. Nothing else changes.
func (s *Set) Try(record []byte) (flows []byte, dropped []Drop) {
	d := s.watch.trial
	var before [count.Reasons]uint64
	changed(&s.watch.scratch, &before)
	if s.Kind == Samples {
		flows, _ = d.sflow.Append(nil, &flow.Datagram{Received: s.Received, From: s.sender, Payload: record})
		return flows, changed(&s.watch.scratch, &before)
	}
	m, e := s.message, s.domain.Exporter
	unsampled := e.Unsampled
	d.final = true // nothing is held
	d.begin(&m, e)
	if s.learnt == nil {
		m.Sets = record
		flows, _, _ = d.netflow5(nil, &m, s.domain)
	} else {
		flows, _, _ = d.data(nil, &m, s.domain, s.learnt, record)
	}
	d.counts.Take(func(*count.Losses) {})
	e.Unsampled = unsampled
	return flows, changed(&s.watch.scratch, &before)
}

// RateOf returns where the sampling rate of a record comes from, apart from the record itself; "" if it has none or has
// it itself.
func (s *Set) RateOf(record []byte) string {
	flows, _ := s.Try(record)
	differs := func() bool {
		without, _ := s.Try(record)
		return !bytes.Equal(flows, without)
	}
	if s.Kind == Samples {
		rules := s.watch.trial.sflow.Rules
		defer func() { s.watch.trial.sflow.Rules = rules }()
		if s.watch.trial.sflow.Rules = nil; differs() {
			return "--sampling-override or --sampling-default"
		}
		return ""
	}
	dom, e := s.domain, s.domain.Exporter
	own, all, header := dom.Rates, e.Rates, s.message.Rate
	defer func() { dom.Rates, e.Rates, s.message.Rate = own, all, header }()
	if e.Rates.Override = 0; differs() {
		return "--sampling-override"
	}
	if s.message.Rate = 0; differs() {
		return "the header"
	}
	if e.Rates.Fallback = 0; differs() {
		return "--sampling-default"
	}
	dom.Rates, e.Rates = e.Rates.Domain(), e.Rates.Silent()
	if differs() {
		return "options"
	}
	return ""
}

// Reported are the values that a record of options has for the decoder.
type Reported struct {
	Rates   []string // sampling rates, with what they are of
	Boot    time.Time
	Dropped []Drop
}

// Report reads a record of options alone: the decoder's own way, for an exporter that has sent nothing else.
func (s *Set) Report(record []byte) (r Reported) {
	w := s.watch
	var before [count.Reasons]uint64
	changed(&w.scratch, &before)
	defer w.shadow.Close()
	w.shadow.Close()
	from := s.domain.Exporter.From
	w.trial.Append(nil, &flow.Datagram{Received: s.Received, From: from, Payload: s.messageOf(setOf(s.learnt.Announcement(s.Protocol)))})
	changed(&w.scratch, &before)
	w.trial.Append(nil, &flow.Datagram{Received: s.Received, From: from, Payload: s.messageOf(setOf(s.ID, record))})
	r.Dropped = changed(&w.scratch, &before)
	w.shadow.Each(func(e *session.Exporter) {
		for _, dom := range e.Domains() {
			r.Boot = dom.Boot
			r.Rates = append(r.Rates, dom.Rates.Strings()...)
		}
	})
	slices.Sort(r.Rates)
	return r
}

// messageOf returns a datagram with one set.
func (s *Set) messageOf(set []byte) []byte {
	export := uint32(s.Received.Unix())
	if s.Protocol == flow.IPFIX {
		b := binary.BigEndian.AppendUint16([]byte{0, 10}, uint16(message.HeaderSizeIPFIX+len(set)))
		b = binary.BigEndian.AppendUint32(b, export)
		return append(binary.BigEndian.AppendUint64(b, uint64(s.message.Domain)), set...)
	}
	b := binary.BigEndian.AppendUint32([]byte{0, 9, 0, 1}, s.message.Uptime)
	b = binary.BigEndian.AppendUint32(b, export)
	return append(binary.BigEndian.AppendUint64(b, uint64(s.message.Domain)), set...)
}

func setOf(id uint16, body []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, id)
	return append(binary.BigEndian.AppendUint16(b, uint16(message.SetHeaderSize+len(body))), body...)
}
