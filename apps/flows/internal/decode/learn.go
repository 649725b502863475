package decode

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// learnSet reads a set of templates or options templates. A template with false lengths costs the rest of its set,
// because the next one cannot be found.
func (d *Decoder) learnSet(dom *session.Domain, m *message.Header, body []byte, options bool) {
	for len(body) >= 4 {
		id, n := binary.BigEndian.Uint16(body), int(binary.BigEndian.Uint16(body[2:]))
		if m.Protocol == flow.IPFIX && n == 0 && (id >= 256 || id == 2 && !options || id == 3 && options) {
			dom.Withdraw(id, options)
			if d.watch != nil {
				d.watch.withdrawn(id, options)
			}
			body = body[4:]
			continue
		}
		if ipfix.Zeros(body) {
			return
		}
		d.counts.Set = id
		def, size := templates.Read(m.Protocol, body, options, d.fields[:0])
		d.fields = def.Fields
		if size == 0 {
			m.Wrong = true
			d.counts.Drop(count.TemplateMalformed, 1)
			if d.unexplained() {
				d.detail = session.Detail{Reason: count.TemplateMalformed, Text: templates.Fault(m.Protocol, body, options)}
			}
			if d.watch != nil {
				d.watch.malformed(d, m.Protocol, body, options)
			}
			return
		}
		if d.watch != nil {
			d.watch.learn(d, dom, m, &def)
		} else {
			d.learn(dom, m, &def)
		}
		m.Found++
		body = body[size:]
	}
	d.counts.Set = 0 // what is shorter than a template's header is padding
}

// learn keeps a template, whose fields are copied, and records in d.learnt if it is new or differs from the one
// before.
func (d *Decoder) learn(dom *session.Domain, m *message.Header, def *templates.Definition) {
	t, fresh, refused := dom.Learn(def, m.Protocol, m.Received, d.restoring)
	switch {
	case t == nil:
		m.Wrong = true
		d.counts.Drop(refused, 1)
		if refused != count.TemplateFlood && d.unexplained() {
			d.detail = session.Detail{Reason: refused, Text: d.refusal(def, refused)}
		}
	case fresh:
		d.counts.Templates.Add(1)
		d.learnt = append(d.learnt, def.ID)
	default:
		t.ForgetOld(d.layout)
	}
}

// refusal is why a template is not kept.
func (d *Decoder) refusal(def *templates.Definition, r count.Reason) string {
	if r == count.TemplateLarge {
		return fmt.Sprintf("template %d has %d fields; the most are %d", def.ID, len(def.Fields), d.limits.Fields)
	}
	return fmt.Sprintf("template %d: a record of %d bytes", def.ID, def.Least)
}

// borrow returns the template of another port, or the one that was borrowed before if it still counts.
func (d *Decoder) borrow(dom *session.Domain, m *message.Header, id uint16, before *session.Template) *session.Template {
	l, kept := dom.Loan(id, before, m.Received, d.ending)
	if l == nil {
		return kept
	}
	def := l.Definition(m.Protocol, id)
	d.learn(dom, m, &def)
	return dom.Borrow(id, before, l, m.Received)
}

// borrowOnce borrows templates for one set of each datagram: the data of further ones waits until the next.
func (d *Decoder) borrowOnce(dom *session.Domain, m *message.Header, id uint16, before *session.Template) *session.Template {
	if before == nil && (d.looked || dom.Waits(id)) {
		return nil
	}
	d.looked = before == nil
	return d.borrow(dom, m, id, before)
}

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
