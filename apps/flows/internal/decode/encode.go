package decode

import (
	"errors"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/hotpb/hotpb/go/wire"
)

// encode encodes the records of a data set, in runs of the same sampling rate. flows are those that were encoded, the
// other records are held until their rate comes.
func (d *Decoder) encode(
	dst []byte, m *message, dom *domain, def *definition, b *bound, set []byte,
) (out []byte, flows, records int) {
	out = dst
	e := dom.exporter
	sent := set
	set = d.sensible(dom, def, set)
	needs := def.needed(dom, d.layout)
	for at := 0; len(set)-at >= def.least; {
		attributes, end := attributes{ether: def.outer.addresses.implied}, len(set)
		if needs == needTraits && def.outer.quick && !def.variable {
			attributes.traits.outer, end = def.protocolRun(set, at)
		} else if needs != 0 {
			if attributes, end = def.run(sent, at, needs); end == at {
				d.malformed(m)
				break
			}
		}
		rate := d.rateOf(m, dom, def, &attributes, sent[at:end])
		if rate == 0 {
			if attributes.rate != sampling.Unclear {
				if n, held := d.hold(dom, m, def, sent[at:end]); held {
					records += n
					at = end
					continue
				}
			}
			rate = e.rates.Fallback
		}
		d.sampled(rate, &attributes)
		if b.chosen = b.template; attributes.traits != (traits{}) && !d.choose(dom, def, b, attributes.traits) {
			m.wrong = true
			records += def.count(set[at:end])
			at = end
			continue
		}
		var n int
		if len(b.arrays) > 0 {
			out, n = d.encodeLists(out, m, dom, def, b, set[at:end], dom.clockOf(m, &attributes))
		} else {
			out, n = d.encodeRun(out, m, dom, def, b, set[at:end], dom.clockOf(m, &attributes))
		}
		if rate == 0 {
			e.unsampled += uint64(n)
			d.counts.Unsampled.Add(uint64(n))
			if attributes.incomplete {
				d.counts.Drop(count.SamplingUnclear, n)
				d.unclear(def, sent[at:end])
			}
		}
		if _, told := bootOf(attributes.boot); attributes.relative && !told && b.uptimes {
			d.counts.Drop(count.NoBootTime, n)
		}
		flows += n
		records += n
		at = end
	}
	return out, flows, records // what is shorter than a record is padding
}

// rateOf returns the sampling rate of records: the operator's, their own, that of the header, or that of options.
func (d *Decoder) rateOf(m *message, dom *domain, def *definition, s *attributes, records []byte) float64 {
	drop := func(r count.Reason) {
		if !d.replaying { // what was held is counted already
			d.counts.Drop(r, def.count(records))
		}
	}
	switch e := dom.exporter; {
	case e.rates.Override > 0:
		return e.rates.Override
	case s.rate == sampling.Unclear:
		drop(count.SamplingUnclear)
		d.unclear(def, records)
		return 0
	case s.rate > float64(d.store.limits.SamplingRate):
		drop(count.SamplingAbsurd)
		return dom.rates.Rate(&def.about, &s.about)
	case s.rate > 0:
		return s.rate
	case m.rate > 0:
		return float64(m.rate)
	default:
		return dom.rates.Rate(&def.about, &s.about)
	}
}

// sensible removes sampling rates from records if they are absurd or unclear, or if the operator has set another one. It
// changes only a copy.
func (d *Decoder) sensible(dom *domain, def *definition, set []byte) []byte {
	if def.rates == [2]place{} {
		return set
	}
	sent, copied := set, false
	for at := 0; len(sent)-at >= def.least; {
		rate, _, size := def.ownRate(sent[at:])
		if size == 0 {
			break
		}
		if rate == sampling.Unclear || rate > float64(d.store.limits.SamplingRate) || dom.exporter.rates.Override > 0 {
			if !copied {
				d.copied, copied = append(d.copied[:0], set...), true
				set = d.copied
			}
			for _, p := range def.rates {
				if p.field > 0 {
					value, _ := def.value(set[at:], p)
					clear(value)
				}
			}
		}
		at += size
	}
	return set
}

// encodeRun encodes records that have one sampling rate.
func (d *Decoder) encodeRun(
	dst []byte, m *message, dom *domain, def *definition, b *bound, set []byte, clock template.Clock,
) (out []byte, records int) {
	if def.frames.section.field > 0 {
		return d.encodeFrames(dst, m, dom, def, b, set, clock)
	}
	if !d.direct {
		return d.encodeRecords(dst, m, def, b, set, clock)
	}
	if d.prefix == nil {
		d.layout.Begin(d.record, &d.values)
		d.prefix = d.record.Encoded()
	}
	out, records, err := b.chosen.AppendSetAfter(dst, d.prefix, set, clock)
	if errors.Is(err, wire.Truncated) {
		d.malformed(m)
	}
	return out, records
}

// encodeRecords is for records that a stage looks at before they are finished.
func (d *Decoder) encodeRecords(
	dst []byte, m *message, def *definition, b *bound, set []byte, clock template.Clock,
) (out []byte, records int) {
	r := d.record
	for len(set) >= def.least {
		d.layout.Begin(r, &d.values)
		n, err := b.chosen.AppendRecord(r, set, clock)
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
func (d *Decoder) sampled(rate float64, s *attributes) {
	if v := &d.values; v.Rate != rate || v.Octets != s.octets || v.Packets != s.packets || v.EtherType != s.ether ||
		v.InnerEtherType != s.innerEther || v.Tunnelled != s.traits.tunnelled {
		v.Rate, v.Octets, v.Packets, v.EtherType = rate, s.octets, s.packets, s.ether
		v.InnerEtherType, v.Tunnelled = s.innerEther, s.traits.tunnelled
		d.prefix = nil
	}
}

// malformed counts a record that extends beyond the end of its set.
func (d *Decoder) malformed(m *message) {
	m.wrong = true
	d.counts.Drop(count.Malformed, 1)
}

// count counts the misfits that are not counted yet.
func (b *bound) count(c *count.Local) {
	if n := b.template.AllMisfits(); n > b.misfits {
		c.Drop(count.Misfit, int(n-b.misfits))
		b.misfits = n
	}
}

// attributes are what a record says that affects its encoding, apart from its own fields.
type attributes struct {
	boot              uint64
	about             sampling.Record
	rate              float64 // or sampling.Unclear
	octets, packets   uint64
	ether, innerEther uint16
	uptime            uint64 // of the exporter at the export, as far as the record's times show it
	relative          bool   // has that
	incomplete        bool   // has parameters of sampling that give no rate
	traits            traits
}

// needs are the values that records say, and that matter.
type needs uint8

const (
	needSampler needs = 1 << iota // or selection sequence, or start of the exporter
	needPorts
	needRate
	needPSAMP
	needScaled
	needEther
	needUptime
	needTraits
)

// needed reports which values records of a domain contain and need.
func (def *definition) needed(dom *domain, l *layout.Layout) (w needs) {
	if def.sampler.field > 0 || def.sequence.field > 0 || def.boot.field > 0 {
		w |= needSampler
	}
	if (def.in.field > 0 || def.out.field > 0) && dom.exporter.rates.HasPorts() {
		w |= needPorts
	}
	if def.rates[0].field > 0 || def.rates[1].field > 0 {
		w |= needRate
	}
	if def.psamp {
		w |= needPSAMP
	}
	if l.Scales() {
		w |= needScaled
	}
	if len(l.Meta.EtherType) > 0 && (def.outer.addresses.either || def.tunnels) {
		w |= needEther
	}
	if dom.key.protocol == flow.IPFIX && dom.boot.IsZero() && def.relative() {
		w |= needUptime
	}
	if def.vary {
		w |= needTraits
	}
	return w
}

// run finds how many of the records from set[at] on say the same. The end equals at if not even the first record
// is whole.
func (def *definition) run(set []byte, at int, w needs) (same attributes, end int) {
	if !def.variable {
		first := set[at : at+def.least]
		if w&^needTraits == needEther && def.outer.addresses.quick && (w == needEther || def.outer.quick) {
			same.ether, same.traits = def.etherOf(first), def.traitsOf(first)
			return same, def.versionRun(set, at, w, same.traits.outer)
		}
		same, _ = def.readAttributes(set[at:], w)
		for end = at + def.least; len(set)-end >= def.least && def.same(first, set[end:], w, &same); {
			end += def.least
		}
		return same, end
	}
	for end = at; len(set)-end >= def.least; {
		attributes, size := def.readAttributes(set[end:], w)
		if size == 0 || end > at && attributes != same {
			break
		}
		same = attributes
		end += size
	}
	return same, end
}

// same reports whether two records of fixed length say the same, byte for byte.
func (def *definition) same(a, b []byte, w needs, s *attributes) bool {
	equal := func(p place) bool {
		if p.field == 0 {
			return true
		}
		end := p.at + int(def.fields[p.field-1].Length)
		return string(a[p.at:end]) == string(b[p.at:end])
	}
	return w&needPSAMP == 0 &&
		(w&needSampler == 0 || equal(def.sampler) && equal(def.sequence) && equal(def.boot)) &&
		(w&needPorts == 0 || equal(def.in) && equal(def.out) && equal(def.direction)) &&
		(w&needRate == 0 || equal(def.rates[0]) && equal(def.rates[1])) &&
		(w&needUptime == 0 || s.boot != 0 || s.uptime == def.reference(b)) &&
		(w&needScaled == 0 || def.octets.in(def, a) == def.octets.in(def, b) && def.packets.in(def, a) == def.packets.in(def, b)) &&
		(w&needTraits == 0 || def.outer.quick && s.traits.outer == traitOfProtocol(uint64(b[def.outer.protocol.at])) || def.sameTraits(b, s)) &&
		(w&needEther == 0 || s.ether == def.etherOf(b))
}

// in returns the first of the counters of a record that is not zero.
func (c *counters) in(def *definition, b []byte) uint64 {
	for _, p := range c {
		if p.field > 0 {
			if v, _ := ipfix.Number(def.field(b, p)); v > 0 {
				return v
			}
		}
	}
	return 0
}

// protocolRun finds how many of the records from set[at] on have the same traits, which the protocol alone shows.
func (def *definition) protocolRun(set []byte, at int) (t trait, end int) {
	protocol := def.outer.protocol.at
	t = traitOfProtocol(uint64(set[at+protocol]))
	for end = at + def.least; len(set)-end >= def.least && traitOfProtocol(uint64(set[end+protocol])) == t; {
		end += def.least
	}
	return t, end
}

// versionRun is that of records which have the version of IP in one byte, and perhaps the protocol.
func (def *definition) versionRun(set []byte, at int, w needs, t trait) (end int) {
	i, j, compare := def.outer.addresses.version.at, def.outer.protocol.at, w&needTraits != 0
	version := set[at+i]
	for end = at + def.least; len(set)-end >= def.least && set[end+i] == version; end += def.least {
		if compare && traitOfProtocol(uint64(set[end+j])) != t {
			break
		}
	}
	return end
}

// readAttributes reads what a record says, and the record's length; 0 if it is cut off.
func (def *definition) readAttributes(b []byte, w needs) (s attributes, size int) {
	if def.variable {
		if size = def.record(b, nil); size == 0 {
			return s, 0
		}
	} else {
		size = def.least
	}
	read := func(p place) (v uint64) {
		if p.field > 0 {
			v, _ = def.number(b, p)
		}
		return v
	}
	if w&needSampler != 0 {
		s.about.Sampler, s.about.Sequence, s.boot = read(def.sampler), read(def.sequence), read(def.boot)
	}
	if w&needPorts != 0 {
		s.about.In, s.about.Out, s.about.Direction = read(def.in), read(def.out), read(def.direction)
	}
	if w&(needPSAMP|needRate) != 0 {
		var f sampling.Finding
		s.rate, f, _ = def.ownRate(b)
		s.incomplete = f == sampling.Incomplete
	}
	if w&needUptime != 0 {
		s.uptime, s.relative = def.reference(b), true
	}
	if w&needScaled != 0 {
		s.octets, s.packets = def.octets.in(def, b), def.packets.in(def, b)
	}
	s.ether, s.traits = def.etherOf(b), def.traitsOf(b)
	if s.traits.tunnelled {
		s.innerEther = def.innerEtherOf(b, s.traits)
	}
	return s, size
}

// unclear notes for the log which fields cannot be interpreted.
func (d *Decoder) unclear(def *definition, records []byte) {
	if d.detail.text == "" && d.store.report != nil {
		s := def.selector(records)
		d.detail = detail{count.SamplingUnclear, s.String()}
	}
}

// selector reads the fields about sampling of the record at the beginning of b.
func (def *definition) selector(b []byte) (s sampling.Selector) {
	def.record(b, func(i int, value []byte) {
		if f := def.fields[i]; f.Enterprise == 0 {
			s.Take(f.Element, value)
		}
	})
	return s
}

// ownRate returns the rate that the record at the beginning of b reports itself, or sampling.Unclear, and the record's length; 0
// if it is cut off.
func (def *definition) ownRate(b []byte) (rate float64, f sampling.Finding, size int) {
	if def.psamp {
		s := def.selector(b)
		if rate, f = s.Rate(); f == sampling.Senseless {
			rate = sampling.Unclear
		}
		return rate, f, def.record(b, nil)
	}
	size = def.least
	for _, p := range def.rates {
		if p.field == 0 {
			continue
		}
		var v uint64
		v, size = def.number(b, p)
		switch n := float64(v); {
		case v == 0 || n == rate:
		case rate != 0:
			return sampling.Unclear, sampling.Senseless, size
		default:
			rate, f = n, sampling.Resolved
		}
	}
	return rate, f, size
}

// finish appends the flow of the record, after a stage has looked at it.
func (d *Decoder) finish(dst []byte) []byte {
	if d.enricher != nil {
		d.enricher.Enrich(d.record, d.values.Exporter)
	}
	dst, _ = d.record.AppendDelimited(dst) // refused values count as misfits
	return dst
}
