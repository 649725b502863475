package decode

import (
	"errors"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/hotpb/hotpb/go/wire"
)

// encode encodes the records of a data set. Records that name their sampler have its rate, others the rate of
// their domain.
func (d *Decoder) encode(
	dst []byte, m *message, dom *domain, def *definition, b *bound, set []byte,
) (out []byte, records int) {
	out = dst
	set = d.sensible(def, set)
	if !def.hasValues() {
		if m.rate == 0 {
			d.setRate(dom.rate(0, false))
		}
		out, records = d.encodeRun(out, m, def, b, set, dom.clock(m))
	} else {
		for at := 0; len(set)-at >= def.least; {
			says, end := def.run(set, at)
			if end == at {
				d.malformed(m)
				break
			}
			d.setRate(dom.rate(says.sampler, def.sampler.field > 0))
			var n int
			out, n = d.encodeRun(out, m, def, b, set[at:end], dom.clockOf(m, says))
			records += n
			at = end
		}
	}
	if !def.variable {
		d.padding(m, set[len(set)-len(set)%def.least:])
	}
	return out, records
}

// sensible removes absurd sampling rates from records, which then have the rate of the others. It changes only a
// copy.
func (d *Decoder) sensible(def *definition, set []byte) []byte {
	copied := false
	for _, p := range def.rates {
		if p.field == 0 {
			continue
		}
		for at := 0; len(set)-at >= def.least; {
			rate, size := def.number(set[at:], p)
			if size == 0 {
				break
			}
			if rate > uint64(d.store.limits.SamplingRate) {
				d.counts.Drop(count.SamplingAbsurd, 1)
				if !copied {
					d.copied, copied = append(d.copied[:0], set...), true
					set = d.copied
				}
				value, _ := def.value(set[at:], p)
				clear(value)
			}
			at += size
		}
	}
	return set
}

// encodeRun encodes records that have one sampling rate.
func (d *Decoder) encodeRun(
	dst []byte, m *message, def *definition, b *bound, set []byte, clock template.Clock,
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
	dst []byte, m *message, def *definition, b *bound, set []byte, clock template.Clock,
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

// setRate changes the sampling rate of the messages that follow.
func (d *Decoder) setRate(rate uint32) {
	if d.values.Rate != rate {
		d.values.Rate = rate
		d.prefix = nil
	}
}

// malformed counts a record that extends beyond the end of its set.
func (d *Decoder) malformed(m *message) {
	m.wrong = true
	d.counts.Drop(count.Malformed, 1)
}

// padding checks the rest of a set: it must be zeros, else the lengths are wrong.
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

// says is what a record says that affects its encoding, apart from its own fields.
type says struct{ sampler, boot uint64 }

// hasValues reports whether records contain such values.
func (def *definition) hasValues() bool { return def.sampler.field > 0 || def.boot.field > 0 }

// run finds how many of the records from set[at] on say the same. The end equals at if not even the first record
// is whole.
func (def *definition) run(set []byte, at int) (same says, end int) {
	for end = at; len(set)-end >= def.least; {
		says, size := def.says(set[end:])
		if size == 0 || end > at && says != same {
			break
		}
		same = says
		end += size
	}
	return same, end
}

// says reads what a record says, and the record's length; 0 if it is cut off.
func (def *definition) says(b []byte) (s says, size int) {
	if def.sampler.field > 0 {
		s.sampler, size = def.number(b, def.sampler)
	}
	if def.boot.field > 0 {
		s.boot, size = def.number(b, def.boot)
	}
	return s, size
}
