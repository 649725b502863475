package sampling

import (
	"fmt"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Options has the fields of an options record that matter.
type Options struct {
	Boot uint64 // when the exporter was started, in milliseconds since 1970

	selector  Selector
	samplers  [mostSelectors]uint64
	selectors int
	part      part
	direction struct {
		value uint64
		told  bool
	}
}

// Take reads a field. Longer fields than 8 bytes are not numbers.
func (o *Options) Take(protocol flow.Protocol, scope bool, element uint16, value []byte) {
	o.part.scope(protocol, scope, element, value)
	if protocol != flow.IPFIX && scope {
		return
	}
	switch element {
	case ipfix.SamplerID, ipfix.SelectorID:
		if v, ok := ipfix.Number(value); ok {
			if o.selectors < mostSelectors {
				o.samplers[o.selectors] = v
			}
			o.selectors++
		}
	case ipfix.FlowDirection:
		o.direction.value, o.direction.told = ipfix.Number(value)
	case ipfix.SystemInitTime:
		o.Boot, _ = ipfix.Number(value)
	default:
		o.selector.Take(element, value)
	}
}

// String is why the rate cannot be interpreted.
func (o *Options) String() string {
	if o.selectors > mostSelectors {
		return fmt.Sprintf("options: %d selectors; at most %d are read", o.selectors, mostSelectors)
	}
	return "options: " + o.selector.String()
}

// Learn keeps what an options record of a template reports. It counts a rate that cannot be interpreted, and reports whether
// there is one: it replaces a rate that was reported before, because that may be wrong now.
func (d *Domain) Learn(o *Options, template uint16, now time.Time, c *count.Local) (unclear bool) {
	rate, found := o.selector.Rate()
	p := o.part
	if o.direction.told {
		p.directed(o.direction.value)
	}
	if p.kind == oneSequence { // which implies the observation point (RFC 5476, 6.5.1)
		p.port, p.way, p.scopes = 0, noWay, 0
	}
	samplers := o.samplers[:min(o.selectors, mostSelectors)]
	known := d.rates[p]
	switch {
	case found == Resolved && rate > d.exporter.limits.Rate:
		c.Drop(count.SamplingAbsurd, 1)
		rate = Unclear
	case found == Resolved:
	case found != Silent:
		unclear = true
	case o.selectors > 0 && (p.kind == oneSequence || p.way != noWay):
		if p.kind != oneSequence { // the sampler of an interface
			p.kind, p.id = anySampler, 0
		}
		unclear = o.selectors > mostSelectors
	case o.selector.told: // only zeros, which say nothing, unless the same options have said more before
		unclear = true
		if known == nil || known.template != template {
			c.Drop(count.SamplingUnclear, 1)
			return true
		}
	default:
		return false
	}
	if unclear {
		c.Drop(count.SamplingUnclear, 1)
		rate = Unclear
	}
	if rate != 0 {
		samplers = nil
	}
	if !d.set(p, rate, samplers, template, now) {
		c.Drop(count.SamplerLimit, 1)
	}
	return unclear
}
