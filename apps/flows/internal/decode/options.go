package decode

import (
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
)

// optionsSet reads a set of options records. They contain sampling rates, and for IPFIX the start of the exporter,
// to which its relative times refer.
func (d *Decoder) optionsSet(dom *session.Domain, m *message.Header, t *session.Template, body []byte) (records int) {
	if d.watch != nil && !d.watch.busy {
		return d.watch.options(d, dom, m, t, body)
	}
	t.Seen = m.Received
	for len(body) >= t.Least {
		var o sampling.Options
		size := t.Record(body, func(i int, value []byte) {
			f := t.Fields[i]
			if f.Enterprise != 0 {
				return
			}
			o.Take(m.Protocol, i < t.Scopes, f.Element, value)
		})
		if size == 0 {
			d.malformed(m)
			return records
		}
		d.learnOptions(dom, t.ID, &o, m.Received)
		records++
		body = body[size:]
	}
	return records // what is shorter than a record is padding
}

// learnOptions keeps the values of an options record of a template.
func (d *Decoder) learnOptions(dom *session.Domain, template uint16, o *sampling.Options, now time.Time) {
	d.counts.Options.Add(1)
	if boot, ok := session.BootOf(o.Boot); ok {
		dom.SetBoot(boot)
	}
	if dom.Rates.Learn(o, template, now, &d.counts) && d.unexplained() {
		d.detail = session.Detail{Reason: count.SamplingUnclear, Text: o.String()}
	}
}
