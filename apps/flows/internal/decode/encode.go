package decode

import (
	"errors"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/sflow"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/hotpb/hotpb/go/wire"
)

// encode encodes the records of a data set, in runs of the same sampling rate. flows are those that were encoded, the
// other records are held until their rate comes.
func (d *Decoder) encode(
	dst []byte, m *message.Header, dom *session.Domain, def *templates.Definition, b *templates.Bound, set []byte,
) (out []byte, flows, records int) {
	out = dst
	e := dom.Exporter
	sent := set
	set = d.sensible(dom, def, set)
	needs := def.Needed(d.layout, e.Rates.HasPorts(), m.Protocol == flow.IPFIX && dom.Boot.IsZero())
	for at := 0; len(set)-at >= def.Least; {
		attributes, end := def.Run(sent, at, needs)
		if end == at {
			d.malformed(m)
			break
		}
		rate := d.rateOf(m, dom, def, &attributes, sent[at:end])
		if rate == 0 {
			if attributes.Rate != sampling.Unclear {
				if n, held := d.hold(dom, m, def, sent[at:end]); held {
					records += n
					at = end
					continue
				}
			}
			rate = e.Rates.Fallback
		}
		d.sampled(rate, &attributes)
		if !b.Choose(attributes.Traits) && !d.vary(dom, def, b, attributes.Traits) {
			m.Wrong = true
			records += def.Count(set[at:end])
			at = end
			continue
		}
		var n int
		if len(b.Arrays) > 0 {
			out, n = d.encodeLists(out, m, dom, def, b, set[at:end], dom.ClockOf(m, &attributes))
		} else {
			out, n = d.encodeRun(out, m, dom, def, b, set[at:end], dom.ClockOf(m, &attributes))
		}
		if rate == 0 {
			e.Unsampled += uint64(n)
			d.counts.Unsampled.Add(uint64(n))
			if attributes.Incomplete {
				d.counts.Drop(count.SamplingUnclear, n)
				d.unclear(def, sent[at:end])
			}
		}
		if _, told := session.BootOf(attributes.Boot); attributes.Relative && !told && b.Uptimes {
			d.counts.Drop(count.NoBootTime, n)
		}
		flows += n
		records += n
		at = end
	}
	return out, flows, records // what is shorter than a record is padding
}

// rateOf returns the sampling rate of records: the operator's, their own, that of the header, or that of options.
func (d *Decoder) rateOf(m *message.Header, dom *session.Domain, def *templates.Definition, s *templates.Attributes, records []byte) float64 {
	drop := func(r count.Reason) {
		if !d.replaying { // what was held is counted already
			d.counts.Drop(r, def.Count(records))
		}
	}
	switch e := dom.Exporter; {
	case e.Rates.Override > 0:
		return e.Rates.Override
	case s.Rate == sampling.Unclear:
		drop(count.SamplingUnclear)
		d.unclear(def, records)
		return 0
	case s.Rate > float64(d.limits.SamplingRate):
		drop(count.SamplingAbsurd)
		return dom.Rates.Rate(&def.Sampling, &s.Sampling)
	case s.Rate > 0:
		return s.Rate
	case m.Rate > 0:
		return float64(m.Rate)
	default:
		return dom.Rates.Rate(&def.Sampling, &s.Sampling)
	}
}

// hold keeps records without a sampling rate until that comes. It returns false if that is over or there is no room: then the
// records go out without a rate.
func (d *Decoder) hold(dom *session.Domain, m *message.Header, def *templates.Definition, records []byte) (n int, held bool) {
	if d.holding == nil || d.final || !dom.MayHold(m.Received) {
		return 0, false
	}
	if !dom.Hold(m, d.holding, records, d.holdBack) {
		return 0, false
	}
	n = def.Count(records)
	if !d.replaying {
		d.counts.Held.Add(uint64(n))
	}
	return n, true
}

// sensible removes sampling rates from records if they are absurd or unclear, or if the operator has set another one. It
// changes only a copy.
func (d *Decoder) sensible(dom *session.Domain, def *templates.Definition, set []byte) []byte {
	if !def.HasRates() {
		return set
	}
	sent, copied := set, false
	for at := 0; len(sent)-at >= def.Least; {
		rate, _, size := def.OwnRate(sent[at:])
		if size == 0 {
			break
		}
		if rate == sampling.Unclear || rate > float64(d.limits.SamplingRate) || dom.Exporter.Rates.Override > 0 {
			if !copied {
				d.copied, copied = append(d.copied[:0], set...), true
				set = d.copied
			}
			def.ClearRates(set[at:])
		}
		at += size
	}
	return set
}

// encodeRun encodes records that have one sampling rate.
func (d *Decoder) encodeRun(
	dst []byte, m *message.Header, dom *session.Domain, def *templates.Definition, b *templates.Bound, set []byte, clock template.Clock,
) (out []byte, records int) {
	if def.HasFrame() {
		return d.encodeFrames(dst, m, dom, def, b, set, clock)
	}
	if !d.direct {
		return d.encodeRecords(dst, m, def, b, set, clock)
	}
	if d.prefix == nil {
		d.layout.Begin(d.record, &d.values)
		d.prefix = d.record.Encoded()
	}
	out, records, err := b.Chosen.AppendSetAfter(dst, d.prefix, set, clock)
	if errors.Is(err, wire.Truncated) {
		d.malformed(m)
	}
	return out, records
}

// encodeRecords is for records that a stage looks at before they are finished.
func (d *Decoder) encodeRecords(
	dst []byte, m *message.Header, def *templates.Definition, b *templates.Bound, set []byte, clock template.Clock,
) (out []byte, records int) {
	r := d.record
	for len(set) >= def.Least {
		d.layout.Begin(r, &d.values)
		n, err := b.Chosen.AppendRecord(r, set, clock)
		if err != nil {
			d.malformed(m)
			break
		}
		dst = d.finish(dst)
		records++
		set = set[n:]
	}
	return dst, records
}

// sampled changes the sampling rate of the messages that follow, and what is multiplied by it.
func (d *Decoder) sampled(rate float64, s *templates.Attributes) {
	if v := &d.values; v.Rate != rate || v.Octets != s.Octets || v.Packets != s.Packets || v.EtherType != s.Ether ||
		v.InnerEtherType != s.InnerEther || v.Tunnelled != s.Traits.Tunnelled {
		v.Rate, v.Octets, v.Packets, v.EtherType = rate, s.Octets, s.Packets, s.Ether
		v.InnerEtherType, v.Tunnelled = s.InnerEther, s.Traits.Tunnelled
		d.prefix = nil
	}
}

// malformed counts a record that extends beyond the end of its set.
func (d *Decoder) malformed(m *message.Header) {
	m.Wrong = true
	d.counts.Drop(count.Malformed, 1)
}

// unclear notes for the log which fields cannot be interpreted.
func (d *Decoder) unclear(def *templates.Definition, records []byte) {
	if d.unexplained() {
		d.detail = session.Detail{Reason: count.SamplingUnclear, Text: def.Unclear(records)}
	}
}

// unexplained reports whether an example may need a detail: strangers' faults must not cost texts that nobody reads.
func (d *Decoder) unexplained() bool { return d.detail.Text == "" && d.store.Reports() }

// finish appends the flow of the record, after a stage has looked at it.
func (d *Decoder) finish(dst []byte) []byte {
	if d.enricher != nil {
		d.enricher.Enrich(d.record, d.values.Exporter)
	}
	dst, _ = d.record.AppendDelimited(dst) // refused values count as misfits
	return dst
}

// countMisfits counts the misfits of the record that are not counted yet.
func (d *Decoder) countMisfits() {
	if n := d.record.AllMisfits(); n > d.misfits {
		d.counts.Drop(count.Misfit, int(n-d.misfits))
		d.misfits = n
	}
}

// vary binds a template for the first records with some traits. It returns false, and counts that, if there is no memory for
// that.
func (d *Decoder) vary(dom *session.Domain, def *templates.Definition, b *templates.Bound, k templates.Traits) bool {
	if t := d.holding; t != nil && !dom.Grow(t, d.binder.VariantSize(def)) {
		d.counts.Drop(count.TemplateFlood, 1)
		return false
	}
	if d.binder.Vary(b, def, k) != nil { // it was bound to these fields before
		d.counts.Drop(count.TemplateMalformed, 1)
		return false
	}
	return true
}

// encodeFrames encodes records that hold a sampled packet: what its header says, and then what the record itself says.
func (d *Decoder) encodeFrames(
	dst []byte, m *message.Header, dom *session.Domain, def *templates.Definition, b *templates.Bound, set []byte, clock template.Clock,
) (out []byte, records int) {
	r := d.record
	octets, packets := d.values.Octets, d.values.Packets // the record's own
	for len(set) >= def.Least {
		frame, size := def.Frame(set)
		if size == 0 {
			d.malformed(m)
			break
		}
		protocol := sflow.Ethernet
		if frame.IsIP {
			protocol = sflow.IP(frame.Section)
		}
		d.values.Octets, d.values.Packets = octets, max(1, packets)
		if parsed := d.sflow.Parse(protocol, uint32(frame.Length), frame.Section); octets == 0 {
			d.values.Octets = parsed
		}
		d.values.EtherType, d.values.InnerEtherType, d.prefix = 0, 0, nil
		k := def.TraitsOf(set)
		k.Tunnelled = k.Tunnelled || d.sflow.Tunnelled()
		if !b.Choose(k) && !d.vary(dom, def, b, k) {
			m.Wrong = true
			set = set[size:]
			continue
		}
		d.layout.Begin(r, &d.values)
		d.sflow.Fill(r)
		n, err := b.Chosen.AppendRecord(r, set, clock)
		if err != nil {
			d.malformed(m)
			break
		}
		dst = d.finish(dst)
		records++
		set = set[n:]
	}
	d.values.Octets, d.values.Packets = octets, packets
	return dst, records
}

// encodeReverse encodes the other direction of those records that have packets or octets in it.
func (d *Decoder) encodeReverse(dst []byte, m *message.Header, dom *session.Domain, t *session.Template, set []byte) (out []byte, flows int) {
	r := t.Reverse
	d.biflows = d.biflows[:0]
	for at := 0; len(set)-at >= r.Least; {
		any, size := r.HasCounts(set[at:])
		if size == 0 {
			break
		}
		if any {
			d.biflows = append(d.biflows, set[at:at+size]...)
		}
		at += size
	}
	d.holding, d.holdBack = t, true
	out, flows, _ = d.encode(dst, m, dom, &r.Definition, &r.Bound, d.biflows)
	d.holdBack = false
	r.Bound.CountMisfits(&d.counts)
	return out, flows
}

// encodeLists is encodeRun for records with lists.
func (d *Decoder) encodeLists(
	dst []byte, m *message.Header, dom *session.Domain, def *templates.Definition, b *templates.Bound, set []byte, clock template.Clock,
) (out []byte, records int) {
	out, d.listed = dst, dom
	for ok := true; ok && len(set) >= def.Least; {
		var expanded []byte
		if expanded, set, ok = d.lists.Expand(def, b.Arrays, set); !ok {
			d.malformed(m)
		}
		var n int
		out, n = d.encodeRun(out, m, dom, def, b, expanded, clock)
		records += n
	}
	d.listed = nil
	d.lists.Count(&d.counts)
	return out, records
}
