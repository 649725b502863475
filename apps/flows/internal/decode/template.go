package decode

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// inputTemplate is a template or an options template of a domain.
type inputTemplate struct {
	templates.Definition
	learnt  time.Time
	seen    time.Time
	bytes   int                // of Store.memory
	bound   templates.Bound    // bound to the layout that was used last
	reverse *templates.Reverse // of biflows

	borrowed bool   // from another port of the address
	asOf     uint64 // address.changes when it was
}

// learnSet reads a set of templates or options templates. A template with false lengths costs the rest of its set,
// because the next one cannot be found.
func (d *Decoder) learnSet(dom *domain, m *message.Header, body []byte, options bool) {
	for len(body) >= 4 {
		id, n := binary.BigEndian.Uint16(body), int(binary.BigEndian.Uint16(body[2:]))
		if m.Protocol == flow.IPFIX && n == 0 && (id >= 256 || id == 2 && !options || id == 3 && options) {
			dom.withdraw(id, options)
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
				d.detail = detail{count.TemplateMalformed, templates.Fault(m.Protocol, body, options)}
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
func (d *Decoder) learn(dom *domain, m *message.Header, def *templates.Definition) {
	e, s := dom.exporter, d.store
	if t := dom.templates[def.ID]; t != nil {
		if t.Options == def.Options && t.Scopes == def.Scopes && slices.Equal(t.Fields, def.Fields) {
			t.seen, t.borrowed = m.Received, false
			t.forgetOld(d.layout)
			return
		}
		dom.remove(t)
	}
	if def.Least == 0 || def.Least > 65535 {
		m.Wrong = true
		d.counts.Drop(count.TemplateMalformed, 1)
		if d.unexplained() {
			d.detail = detail{count.TemplateMalformed, fmt.Sprintf("template %d: a record of %d bytes", def.ID, def.Least)}
		}
		return
	}
	if len(def.Fields) > s.limits.Fields {
		m.Wrong = true
		d.counts.Drop(count.TemplateLarge, 1)
		if d.unexplained() {
			d.detail = detail{count.TemplateLarge, fmt.Sprintf("template %d has %d fields; the most are %d", def.ID, len(def.Fields), s.limits.Fields)}
		}
		return
	}
	n := def.Size()
	if e.templates >= s.limits.Templates || !d.restoring && e.tooFast(m.Received) || !e.Reserve(n) {
		m.Wrong = true
		d.counts.Drop(count.TemplateFlood, 1)
		return
	}
	e.templates++
	s.templates.Add(1)
	if dom.templates == nil {
		dom.templates = map[uint16]*inputTemplate{}
	}
	t := &inputTemplate{Definition: *def, learnt: m.Received, seen: m.Received, bytes: n}
	t.Fields = slices.Clone(def.Fields)
	t.Settle()
	t.reverse = t.Reverse(m.Protocol)
	dom.templates[def.ID] = t
	dom.arrive(def.ID)
	d.counts.Templates.Add(1)
	s.changes.Add(1)
	e.address.changes.Add(1)
	d.learnt = append(d.learnt, def.ID)
}

// forgetOld drops what keeps another layout alive. The template is bound again when records come.
func (t *inputTemplate) forgetOld(l *layout.Layout) {
	if t.bound.Layout != l {
		t.bound = templates.Bound{}
		if t.reverse != nil {
			t.reverse.Bound = templates.Bound{}
		}
	}
}

// remove drops a template, unless it was dropped before, and only flows that are held use it.
func (d *domain) remove(t *inputTemplate) {
	if d.templates[t.ID] != t {
		return
	}
	delete(d.templates, t.ID)
	d.exporter.templates--
	d.exporter.address.changes.Add(1)
	d.exporter.store.templates.Add(-1)
	d.exporter.Release(t.bytes)
}

// withdraw drops a template that its exporter no longer uses; 2 is all templates, 3 all options templates. Other ports that
// have borrowed it lose it, too.
func (d *domain) withdraw(id uint16, options bool) {
	drop := func(d *domain, borrowed bool) (any bool) {
		for _, t := range d.templates {
			if t.Options == options && (t.ID == id || id < 256) && t.borrowed == borrowed {
				d.remove(t)
				d.leave(t, true)
				any = true
			}
		}
		return any
	}
	if drop(d, false) {
		d.exporter.siblings(func(x *exporter) {
			if from := x.domains[d.key]; from != nil && x.borrows {
				drop(from, true)
			}
		})
	}
}

// expireTemplates drops the templates that were neither used nor sent since a time, and the bindings that were not
// used since another time.
func (d *domain) expireTemplates(before, unused time.Time) {
	for _, t := range d.templates {
		if t.seen.Before(before) {
			d.remove(t)
			d.leave(t, false)
		} else if t.seen.Before(unused) {
			t.forgetOld(nil)
		}
	}
}
