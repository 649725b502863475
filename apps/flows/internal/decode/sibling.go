package decode

import (
	"fmt"
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Some exporters send templates and options from one port and data from others. A port without a template of its own
// borrows that of the other ports of its address, for the same observation domain, if they have exactly one definition of
// it. A template that a port sends itself always counts. Not each port is a part of the same exporter, so
//
//   - a port that has flows of its own may be another process: its template is only borrowed by data that has waited a
//     minute for one of its own port, or until the end;
//   - a port of NetFlow v9 whose uptime is that of another start lends nothing, and neither does one that has been silent
//     for an hour;
//   - when any port sends, changes or withdraws a template, those that were borrowed are looked up again.
//
// Sampling rates, and the start of IPFIX exporters, come with the templates: those that all other ports agree in.
const (
	lendTime = time.Hour
	ownTime  = time.Minute
	oneStart = time.Minute // how far the starts of one exporter may be apart, as its ports tell them

	mostSiblings = 256  // of an address; with more, nothing is borrowed
	mostIDs      = 16   // that are looked up at once
	mostLent     = 4096 // sampling rates of the other ports
)

// loan is what the other ports of an address have for a template.
type loan struct {
	fields  []template.Field
	scopes  int
	options bool
	port    uint16
	source  bool // a port without flows of its own has it
	differ  bool // they have several
	earlier bool // one has it that was started at another time
	busy    bool // one could not be read now
	crowd   bool // there are too many
}

// siblings calls a function with each other port that can be locked now, and reports whether that were all.
func (e *exporter) siblings(each func(*exporter)) (all, crowd bool) {
	a := e.address
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.sessions) > mostSiblings {
		return true, true
	}
	all = true
	for _, x := range a.sessions {
		switch {
		case x == e:
		case !x.mu.TryLock():
			all = false
		default:
			each(x)
			x.mu.Unlock()
		}
	}
	return all, false
}

// kin reports whether the domain of another port may be of the same exporter.
func (d *domain) kin(x *domain) bool {
	if d.key.protocol != flow.NetFlow9 || d.started == 0 || x.started == 0 {
		return true
	}
	return max(d.started, x.started)-min(d.started, x.started) <= oneStart.Milliseconds()
}

func (d *domain) loan(id uint16, now time.Time) (l loan) {
	all, crowd := d.exporter.siblings(func(x *exporter) {
		from := x.domains[d.key]
		if from == nil || now.Sub(x.seen) > lendTime {
			return
		}
		switch t := from.templates[id]; {
		case t == nil || t.borrowed:
		case !d.kin(from):
			l.earlier, l.port = true, x.from.Port()
		case l.fields != nil && (l.options != t.Options || l.scopes != t.Scopes || !slices.Equal(l.fields, t.Fields)):
			l.differ = true
		default:
			l.fields, l.scopes, l.options, l.port = t.Fields, t.Scopes, t.Options, x.from.Port()
			l.source = l.source || !from.flows
		}
	})
	l.busy, l.crowd = !all, crowd
	return l
}

// found reports whether the template is known without doubt.
func (l *loan) found() bool { return l.fields != nil && !l.differ && !l.busy }

// borrow returns the template of another port, or the one that was borrowed before if it still counts.
func (d *Decoder) borrow(dom *domain, m *message.Header, id uint16, before *inputTemplate) *inputTemplate {
	a := dom.exporter.address
	changes := a.changes.Load()
	if before != nil && before.asOf == changes {
		return before
	}
	l := dom.loan(id, m.Received)
	switch {
	case before != nil && l.differ:
		dom.remove(before)
		return nil
	case !l.found():
		if before != nil && !l.busy { // who has lent it is gone
			before.asOf = changes
		}
		return before
	case before == nil && !l.source && !d.ending && !dom.waitsFor(id, m.Received, ownTime):
		return nil
	}
	d.fields = append(d.fields[:0], l.fields...)
	def := templates.New(m.Protocol, id, l.options, l.scopes, d.fields)
	d.learn(dom, m, &def)
	t := dom.templates[id]
	if t == nil {
		return nil
	}
	if t != before {
		d.counts.Borrowed.Add(1)
	}
	t.borrowed, t.asOf = true, changes
	if e := dom.exporter; !e.borrows {
		e.borrows = true
		d.mirror(e, m.Received)
	}
	return t
}

// borrowOnce borrows templates for one set of each datagram: the data of further ones waits until the next.
func (d *Decoder) borrowOnce(dom *domain, m *message.Header, id uint16, before *inputTemplate) *inputTemplate {
	if before == nil && (d.looked || len(dom.waiting[id]) > 0) {
		return nil
	}
	d.looked = before == nil
	return d.borrow(dom, m, id, before)
}

// waitsFor reports whether data has waited for a template for so long.
func (d *domain) waitsFor(id uint16, now time.Time, long time.Duration) bool {
	list := d.waiting[id]
	return len(list) > 0 && now.Sub(list[0].message.Received) >= long
}

// adopt decodes the data that waits for a template which another port has, or which could not be bound before.
func (d *Decoder) adopt(dst []byte, m *message.Header, dom *domain) (out []byte, flows int) {
	out = dst
	changes := dom.exporter.address.changes.Load()
	if changes == dom.tried && m.Received.Sub(dom.triedAt).Abs() < time.Second {
		return out, 0
	}
	dom.tried, dom.triedAt = changes, m.Received
	ids := make([]uint16, 0, mostIDs)
	for id := range dom.waiting {
		if ids = append(ids, id); len(ids) == mostIDs {
			break
		}
	}
	for _, id := range ids {
		if dom.templates[id] != nil || d.borrow(dom, m, id, nil) != nil {
			var n int
			out, n = d.released(out, m, dom, id)
			flows += n
		}
	}
	return out, flows
}

// catchUp does what other ports of the address, or the time, have made possible since the last datagram.
func (d *Decoder) catchUp(dst []byte, m *message.Header, dom *domain) (out []byte, flows int) {
	out = dst
	if len(dom.waiting) > 0 {
		out, flows = d.adopt(out, m, dom)
	}
	if e := dom.exporter; e.borrows {
		d.mirror(e, m.Received)
		var n int
		out, n = d.releaseRated(out, m, e)
		flows += n
	}
	return out, flows
}

// mirror takes over the sampling rates of the other ports, and when an exporter of IPFIX was started.
func (d *Decoder) mirror(e *exporter, now time.Time) {
	changes := e.address.changes.Load()
	if changes == e.mirrored || e.lent && now.Sub(e.mirroredAt).Abs() < time.Second {
		return
	}
	lent, boots := map[domainKey]sampling.Loans{}, map[domainKey]time.Time{}
	n := 0
	all, crowd := e.siblings(func(x *exporter) {
		for key, dom := range x.domains {
			domain := e.domains[key]
			if now.Sub(x.seen) > lendTime || key.protocol == flow.SFlow5 || domain != nil && !domain.kin(dom) {
				continue
			}
			if !dom.boot.IsZero() && !dom.bootLent {
				if at, known := boots[key]; known && at.Sub(dom.boot).Abs() > time.Second {
					boots[key] = time.Time{}
				} else {
					boots[key] = dom.boot
				}
			}
			if n += dom.rates.Len(); n > mostLent {
				continue
			}
			if lent[key] == nil {
				lent[key] = sampling.Loans{}
			}
			lent[key].Add(&dom.rates)
		}
	})
	if !all || crowd || n > mostLent {
		return
	}
	e.mirrored, e.mirroredAt = changes, now
	for key, dom := range e.domains {
		dom.rates.Return(lent[key])
	}
	for key, loans := range lent {
		if loans.Empty() {
			continue
		}
		dom := e.domains[key]
		if dom == nil {
			dom = e.domain(key, now)
		}
		if dom != nil {
			e.lent = dom.rates.Borrow(loans, now) || e.lent
		}
	}
	for key, boot := range boots {
		if dom := e.domains[key]; dom != nil && (dom.boot.IsZero() || dom.bootLent) {
			dom.boot, dom.bootLent = boot, true
		}
	}
}

// absence says why data had no template; "" if nothing more is known than that none came.
func (d *domain) absence(id uint16) string {
	if d.key.protocol == flow.NetFlow5 || d.key.protocol == flow.SFlow5 || id < 256 || d.templates[id] != nil {
		return ""
	}
	l := d.loan(id, d.seen)
	const advice = "; --exporter-key=address makes all ports of an address one exporter"
	switch {
	case l.crowd:
		return "the address has so many ports that the template was not looked for among them" + advice
	case l.differ:
		return "other ports of this address have sent different templates with this number, so none of them was used"
	case l.fields != nil:
		return fmt.Sprintf("port %d of this address has sent this template, but flows of its own, too, so it may be another exporter%s", l.port, advice)
	case l.earlier:
		return fmt.Sprintf("port %d of this address has sent this template, but it was started at another time than this port%s", l.port, advice)
	}
	text := ""
	d.exporter.siblings(func(x *exporter) {
		for key, from := range x.domains {
			if t := from.templates[id]; t != nil && key.protocol == d.key.protocol && key.id != d.key.id {
				text = fmt.Sprintf("port %d of this address has sent this template, but for domain %d", x.from.Port(), key.id)
			}
		}
	})
	if text == "" {
		text = "no port of this address has sent this template"
	}
	return text
}
