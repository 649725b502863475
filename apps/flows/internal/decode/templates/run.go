package templates

import (
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// Attributes are what a record says that affects its encoding, apart from its own fields.
type Attributes struct {
	Boot              uint64
	Sampling          sampling.Record
	Rate              float64 // or sampling.Unclear
	Octets, Packets   uint64
	Ether, InnerEther uint16
	Uptime            uint64 // of the exporter at the export, as far as the record's times show it
	Relative          bool   // has that
	Incomplete        bool   // has parameters of sampling that give no rate
	Traits            Traits
}

// Needs are the values that records say, and that matter.
type Needs uint8

const (
	needSampler Needs = 1 << iota // or selection sequence, or start of the exporter
	needPorts
	needRate
	needPSAMP
	needScaled
	needEther
	needUptime
	needTraits
)

// Needed reports which values records contain and need: the interfaces if rates of them are known, their exporter's uptime if
// its start is not.
func (def *Definition) Needed(l *layout.Layout, ports, uptime bool) (w Needs) {
	if def.sampler.field > 0 || def.sequence.field > 0 || def.boot.field > 0 {
		w |= needSampler
	}
	if (def.in.field > 0 || def.out.field > 0) && ports {
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
	if uptime && def.relative() {
		w |= needUptime
	}
	if def.vary {
		w |= needTraits
	}
	return w
}

// Run finds how many of the records from set[at] on say the same. The end equals at if not even the first record
// is whole.
func (def *Definition) Run(set []byte, at int, w Needs) (same Attributes, end int) {
	switch {
	case w == 0:
		return Attributes{Ether: def.outer.addresses.implied}, len(set)
	case w == needTraits && def.outer.quick && !def.Variable:
		same.Traits.outer, end = def.protocolRun(set, at)
		same.Ether = def.outer.addresses.implied
		return same, end
	case !def.Variable:
		first := set[at : at+def.Least]
		if w&^needTraits == needEther && def.outer.addresses.quick && (w == needEther || def.outer.quick) {
			same.Ether, same.Traits = def.etherOf(first), def.TraitsOf(first)
			return same, def.versionRun(set, at, w, same.Traits.outer)
		}
		same, _ = def.readAttributes(set[at:], w)
		for end = at + def.Least; len(set)-end >= def.Least && def.same(first, set[end:], w, &same); {
			end += def.Least
		}
		return same, end
	}
	for end = at; len(set)-end >= def.Least; {
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
func (def *Definition) same(a, b []byte, w Needs, s *Attributes) bool {
	equal := func(p place) bool {
		if p.field == 0 {
			return true
		}
		end := p.at + int(def.Fields[p.field-1].Length)
		return string(a[p.at:end]) == string(b[p.at:end])
	}
	return w&needPSAMP == 0 &&
		(w&needSampler == 0 || equal(def.sampler) && equal(def.sequence) && equal(def.boot)) &&
		(w&needPorts == 0 || equal(def.in) && equal(def.out) && equal(def.direction)) &&
		(w&needRate == 0 || equal(def.rates[0]) && equal(def.rates[1])) &&
		(w&needUptime == 0 || s.Boot != 0 || s.Uptime == def.reference(b)) &&
		(w&needScaled == 0 || def.octets.in(def, a) == def.octets.in(def, b) && def.packets.in(def, a) == def.packets.in(def, b)) &&
		(w&needTraits == 0 || def.outer.quick && s.Traits.outer == traitOfProtocol(uint64(b[def.outer.protocol.at])) || def.sameTraits(b, s)) &&
		(w&needEther == 0 || s.Ether == def.etherOf(b))
}

// in returns the first of the counters of a record that is not zero.
func (c *counters) in(def *Definition, b []byte) uint64 {
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
func (def *Definition) protocolRun(set []byte, at int) (t trait, end int) {
	protocol := def.outer.protocol.at
	t = traitOfProtocol(uint64(set[at+protocol]))
	for end = at + def.Least; len(set)-end >= def.Least && traitOfProtocol(uint64(set[end+protocol])) == t; {
		end += def.Least
	}
	return t, end
}

// versionRun is that of records which have the version of IP in one byte, and perhaps the protocol.
func (def *Definition) versionRun(set []byte, at int, w Needs, t trait) (end int) {
	i, j, compare := def.outer.addresses.version.at, def.outer.protocol.at, w&needTraits != 0
	version := set[at+i]
	for end = at + def.Least; len(set)-end >= def.Least && set[end+i] == version; end += def.Least {
		if compare && traitOfProtocol(uint64(set[end+j])) != t {
			break
		}
	}
	return end
}

// readAttributes reads what a record says, and the record's length; 0 if it is cut off.
func (def *Definition) readAttributes(b []byte, w Needs) (s Attributes, size int) {
	if def.Variable {
		if size = def.Record(b, nil); size == 0 {
			return s, 0
		}
	} else {
		size = def.Least
	}
	read := func(p place) (v uint64) {
		if p.field > 0 {
			v, _ = def.number(b, p)
		}
		return v
	}
	if w&needSampler != 0 {
		s.Sampling.Sampler, s.Sampling.Sequence, s.Boot = read(def.sampler), read(def.sequence), read(def.boot)
	}
	if w&needPorts != 0 {
		s.Sampling.In, s.Sampling.Out, s.Sampling.Direction = read(def.in), read(def.out), read(def.direction)
	}
	if w&(needPSAMP|needRate) != 0 {
		var f sampling.Finding
		s.Rate, f, _ = def.OwnRate(b)
		s.Incomplete = f == sampling.Incomplete
	}
	if w&needUptime != 0 {
		s.Uptime, s.Relative = def.reference(b), true
	}
	if w&needScaled != 0 {
		s.Octets, s.Packets = def.octets.in(def, b), def.packets.in(def, b)
	}
	s.Ether, s.Traits = def.etherOf(b), def.TraitsOf(b)
	if s.Traits.Tunnelled {
		s.InnerEther = def.innerEtherOf(b, s.Traits)
	}
	return s, size
}

// selector reads the fields about sampling of the record at the beginning of b.
func (def *Definition) selector(b []byte) (s sampling.Selector) {
	def.Record(b, func(i int, value []byte) {
		if f := def.Fields[i]; f.Enterprise == 0 {
			s.Take(f.Element, value)
		}
	})
	return s
}

// OwnRate returns the rate that the record at the beginning of b reports itself, or sampling.Unclear, and the record's length; 0
// if it is cut off.
func (def *Definition) OwnRate(b []byte) (rate float64, f sampling.Finding, size int) {
	if def.psamp {
		s := def.selector(b)
		if rate, f = s.Rate(); f == sampling.Senseless {
			rate = sampling.Unclear
		}
		return rate, f, def.Record(b, nil)
	}
	size = def.Least
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

// HasRates reports whether records have a sampling rate of their own.
func (def *Definition) HasRates() bool { return def.rates != [2]place{} }

// ClearRates removes the sampling rates from the record at the beginning of b.
func (def *Definition) ClearRates(b []byte) {
	for _, p := range def.rates {
		if p.field > 0 {
			value, _ := def.value(b, p)
			clear(value)
		}
	}
}

// Unclear is what a record at the beginning of b has about sampling, for the log.
func (def *Definition) Unclear(b []byte) string {
	s := def.selector(b)
	return s.String()
}
