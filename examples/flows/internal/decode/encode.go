package decode

import (
	"errors"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// encode encodes the records of a data set. Those that name their sampler have its rate, others the one of their
// domain.
func (d *Decoder) encode(
	dst []byte, m *message, dom *domain, def *definition, b *bound, set []byte,
) (out []byte, records int) {
	out = dst
	clock := dom.clock(m)
	if def.sampler < 0 {
		if m.rate == 0 {
			d.setRate(dom.rate(0, false))
		}
		out, records = d.encodeRun(out, m, def, b, set, clock)
	} else {
		for at := 0; len(set)-at >= def.least; {
			sampler, end := def.run(set, at)
			if end == at {
				d.malformed(m)
				break
			}
			d.setRate(dom.rate(sampler, true))
			var n int
			out, n = d.encodeRun(out, m, def, b, set[at:end], clock)
			records += n
			at = end
		}
	}
	if !def.variable {
		d.padding(m, set[len(set)-len(set)%def.least:])
	}
	return out, records
}

// encodeRun encodes records that have one sampling rate.
func (d *Decoder) encodeRun(
	dst []byte, m *message, def *definition, b *bound, set []byte, clock schema.Clock,
) (out []byte, records int) {
	if !d.direct {
		return d.encodeRecords(dst, m, def, b, set, clock)
	}
	if d.prefix == nil {
		d.layout.Begin(d.record, &d.values)
		d.prefix = d.record.Encoded()
	}
	out, records, err := b.template.AppendSetAfter(dst, d.prefix, set, clock)
	if errors.Is(err, wire.Truncated) {
		d.malformed(m)
	}
	return out, records
}

// encodeRecords is for records that a stage looks at before they are finished.
func (d *Decoder) encodeRecords(
	dst []byte, m *message, def *definition, b *bound, set []byte, clock schema.Clock,
) (out []byte, records int) {
	r := d.record
	for len(set) >= def.least {
		d.layout.Begin(r, &d.values)
		n, err := b.template.AppendRecord(r, set, clock)
		if err != nil {
			d.malformed(m)
			break
		}
		if d.enricher != nil {
			d.enricher.Enrich(r, d.values.Exporter)
		}
		dst = r.AppendDelimited(dst)
		records++
		set = set[n:]
	}
	return dst, records
}

// setRate changes the sampling rate that messages have from now on.
func (d *Decoder) setRate(rate uint32) {
	if d.values.Rate != rate {
		d.values.Rate = rate
		d.prefix = nil
	}
}

// malformed counts a record that goes on behind the end of its set.
func (d *Decoder) malformed(m *message) {
	m.wrong = true
	d.counts.Drop(count.Malformed, 1)
}

// padding looks at what is left of a set: zeros, or the lengths are wrong.
func (d *Decoder) padding(m *message, rest []byte) {
	if !zeros(rest) {
		d.malformed(m)
	}
}

// count counts the misfits that are not counted yet.
func (b *bound) count(c *count.Counters) {
	if n := b.template.AllMisfits(); n > b.misfits {
		c.Drop(count.Misfit, int(n-b.misfits))
		b.misfits = n
	}
}

// run finds how many of the records from set[at] on have the same sampler. The end is at when not even the first one is
// whole.
func (def *definition) run(set []byte, at int) (sampler uint64, end int) {
	for end = at; len(set)-end >= def.least; {
		id, size := def.samplerOf(set[end:])
		if size == 0 || end > at && id != sampler {
			break
		}
		sampler = id
		end += size
	}
	return sampler, end
}

// samplerOf reads the sampler of a record, and how long that is; 0 when it is cut off.
func (def *definition) samplerOf(b []byte) (sampler uint64, size int) {
	if !def.variable {
		sampler, _ = number(b[def.samplerAt : def.samplerAt+int(def.fields[def.sampler].Length)])
		return sampler, def.least
	}
	size = def.record(b, func(i int, value []byte) {
		if i == def.sampler {
			sampler, _ = number(value)
		}
	})
	return sampler, size
}
