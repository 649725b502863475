package session

import (
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// Template is a template or an options template of a domain, and how it is bound.
type Template struct {
	templates.Definition
	learnt  time.Time
	Seen    time.Time
	Bytes   int                // of Store.memory
	Bound   templates.Bound    // bound to the layout that was used last
	Reverse *templates.Reverse // of biflows

	Borrowed bool   // from another port of the address
	asOf     uint64 // address.changes when it was
}

// Learn keeps a template, whose fields are copied. It returns nil, and the reason, if it cannot; else fresh is set if the template
// is new or differs from the one before. It is bounded by the second, unless it comes from a state.
func (d *Domain) Learn(def *templates.Definition, p flow.Protocol, now time.Time, restored bool) (t *Template, fresh bool, refused count.Reason) {
	e := d.Exporter
	s := e.store
	if t := d.templates[def.ID]; t != nil {
		if t.Options == def.Options && t.Scopes == def.Scopes && slices.Equal(t.Fields, def.Fields) {
			t.Seen, t.Borrowed = now, false
			return t, false, 0
		}
		d.Remove(t)
	}
	n := def.Size()
	switch {
	case def.Least == 0 || def.Least > 65535:
		return nil, false, count.TemplateMalformed
	case len(def.Fields) > s.limits.Fields:
		return nil, false, count.TemplateLarge
	case e.templates >= s.limits.Templates || !restored && e.tooFast(now) || !e.Reserve(n):
		return nil, false, count.TemplateFlood
	}
	e.templates++
	s.templates.Add(1)
	if d.templates == nil {
		d.templates = map[uint16]*Template{}
	}
	t = &Template{Definition: *def, learnt: now, Seen: now, Bytes: n}
	t.Fields = slices.Clone(def.Fields)
	t.Settle()
	t.Reverse = t.Definition.Reverse(p)
	d.templates[def.ID] = t
	d.arrive(def.ID)
	s.changes.Add(1)
	e.address.changes.Add(1)
	return t, true, 0
}

// Template returns a template; nil if the domain has none of this id.
func (d *Domain) Template(id uint16) *Template { return d.templates[id] }

// Grow notes that a template needs more memory, unless there is no room for that.
func (d *Domain) Grow(t *Template, n int) bool {
	if !d.Exporter.Reserve(n) {
		return false
	}
	t.Bytes += n
	return true
}

// Use notes that a template has data.
func (d *Domain) Use(t *Template) { d.flows = d.flows || !t.Borrowed }

// MayBind reports whether a template may be bound now: those of exporters that are not settled are bounded by the second.
func (e *Exporter) MayBind() bool {
	return e.Rank() == count.Settled || e.store.bound.Add(1) <= int64(e.store.limits.TemplateRate)
}

// ForgetOld drops what keeps another layout alive. The template is bound again when records come.
func (t *Template) ForgetOld(l *layout.Layout) {
	if t.Bound.Layout != l {
		t.Bound = templates.Bound{}
		if t.Reverse != nil {
			t.Reverse.Bound = templates.Bound{}
		}
	}
}

// Remove drops a template, unless it was dropped before, and only flows that are held use it.
func (d *Domain) Remove(t *Template) {
	if d.templates[t.ID] != t {
		return
	}
	delete(d.templates, t.ID)
	d.Exporter.templates--
	d.Exporter.address.changes.Add(1)
	d.Exporter.store.templates.Add(-1)
	d.Exporter.Release(t.Bytes)
}

// Withdraw drops a template that its exporter no longer uses; 2 is all templates, 3 all options templates. Other ports that
// have borrowed it lose it, too.
func (d *Domain) Withdraw(id uint16, options bool) {
	drop := func(d *Domain, borrowed bool) (any bool) {
		for _, t := range d.templates {
			if t.Options == options && (t.ID == id || id < 256) && t.Borrowed == borrowed {
				d.Remove(t)
				d.leave(t, true)
				any = true
			}
		}
		return any
	}
	if drop(d, false) {
		d.Exporter.siblings(func(x *Exporter) {
			if from := x.domains[d.key]; from != nil && x.borrows {
				drop(from, true)
			}
		})
	}
}

// expireTemplates drops the templates that were neither used nor sent since a time, and the bindings that were not
// used since another time.
func (d *Domain) expireTemplates(before, unused time.Time) {
	for _, t := range d.templates {
		if t.Seen.Before(before) {
			d.Remove(t)
			d.leave(t, false)
		} else if t.Seen.Before(unused) {
			t.ForgetOld(nil)
		}
	}
}
