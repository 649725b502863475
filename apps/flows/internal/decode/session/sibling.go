package session

import (
	"fmt"
	"slices"
	"time"

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
	asOf    uint64
}

// siblings calls a function with each other port that can be locked now, and reports whether that were all.
func (e *Exporter) siblings(each func(*Exporter)) (all, crowd bool) {
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
func (d *Domain) kin(x *Domain) bool {
	if d.key.Protocol != flow.NetFlow9 || d.started == 0 || x.started == 0 {
		return true
	}
	return max(d.started, x.started)-min(d.started, x.started) <= oneStart.Milliseconds()
}

func (d *Domain) loan(id uint16, now time.Time) (l loan) {
	all, crowd := d.Exporter.siblings(func(x *Exporter) {
		from := x.domains[d.key]
		if from == nil || now.Sub(x.Seen) > lendTime {
			return
		}
		switch t := from.templates[id]; {
		case t == nil || t.Borrowed:
		case !d.kin(from):
			l.earlier, l.port = true, x.From.Port()
		case l.fields != nil && (l.options != t.Options || l.scopes != t.Scopes || !slices.Equal(l.fields, t.Fields)):
			l.differ = true
		default:
			l.fields, l.scopes, l.options, l.port = t.Fields, t.Scopes, t.Options, x.From.Port()
			l.source = l.source || !from.flows
		}
	})
	l.busy, l.crowd = !all, crowd
	return l
}

// Definition is the template that is lent.
func (l *loan) Definition(p flow.Protocol, id uint16) templates.Definition {
	return templates.New(p, id, l.options, l.scopes, l.fields)
}

// found reports whether the template is known without doubt.
func (l *loan) found() bool { return l.fields != nil && !l.differ && !l.busy }

// Loan returns what a domain may borrow for a template. If it is nil, the template that was borrowed before counts, or none.
func (d *Domain) Loan(id uint16, before *Template, now time.Time, ending bool) (l *loan, kept *Template) {
	changes := d.Exporter.address.changes.Load()
	if before != nil && before.asOf == changes {
		return nil, before
	}
	found := d.loan(id, now)
	found.asOf = changes
	switch {
	case before != nil && found.differ:
		d.Remove(before)
		return nil, nil
	case !found.found():
		if before != nil && !found.busy { // who has lent it is gone
			before.asOf = changes
		}
		return nil, before
	case before == nil && !found.source && !ending && !d.waitsFor(id, now, ownTime):
		return nil, nil
	}
	return &found, nil
}

// Borrow notes that a template that was learnt is borrowed, and returns it; nil if there is none.
func (d *Domain) Borrow(id uint16, before *Template, l *loan, now time.Time) *Template {
	t, e := d.templates[id], d.Exporter
	if t == nil {
		return nil
	}
	if t != before {
		e.store.counts.Borrowed.Add(1)
	}
	t.Borrowed, t.asOf = true, l.asOf
	if !e.borrows {
		e.borrows = true
		e.Mirror(now)
	}
	return t
}

// MayCatchUp reports whether data waits, or other ports have lent something.
func (d *Domain) MayCatchUp() bool { return d.Exporter.borrows || len(d.waiting) > 0 }

// Retries returns for which templates data waits, some of them, if the ports have changed or time has passed since the last
// call.
func (d *Domain) Retries(now time.Time) []uint16 {
	changes := d.Exporter.address.changes.Load()
	if len(d.waiting) == 0 || changes == d.tried && now.Sub(d.triedAt).Abs() < time.Second {
		return nil
	}
	d.tried, d.triedAt = changes, now
	ids := make([]uint16, 0, mostIDs)
	for id := range d.waiting {
		if ids = append(ids, id); len(ids) == mostIDs {
			break
		}
	}
	return ids
}

// Retry has the next call of Retries return them.
func (d *Domain) Retry() { d.triedAt = time.Time{} }

// waitsFor reports whether data has waited for a template for so long.
func (d *Domain) waitsFor(id uint16, now time.Time, long time.Duration) bool {
	list := d.waiting[id]
	return len(list) > 0 && now.Sub(list[0].Message.Received) >= long
}

// Mirror takes over the sampling rates of the other ports, and when an exporter of IPFIX was started. It reports
// whether the exporter borrows at all.
func (e *Exporter) Mirror(now time.Time) bool {
	if e.borrows {
		e.borrow(now)
	}
	return e.borrows
}

func (e *Exporter) borrow(now time.Time) {
	changes := e.address.changes.Load()
	if changes == e.mirrored || e.lent && now.Sub(e.mirroredAt).Abs() < time.Second {
		return
	}
	lent, boots := map[DomainKey]sampling.Loans{}, map[DomainKey]time.Time{}
	n := 0
	all, crowd := e.siblings(func(x *Exporter) {
		for key, dom := range x.domains {
			domain := e.domains[key]
			if now.Sub(x.Seen) > lendTime || key.Protocol == flow.SFlow5 || domain != nil && !domain.kin(dom) {
				continue
			}
			if !dom.Boot.IsZero() && !dom.bootLent {
				if at, known := boots[key]; known && at.Sub(dom.Boot).Abs() > time.Second {
					boots[key] = time.Time{}
				} else {
					boots[key] = dom.Boot
				}
			}
			if n += dom.Rates.Len(); n > mostLent {
				continue
			}
			if lent[key] == nil {
				lent[key] = sampling.Loans{}
			}
			lent[key].Add(&dom.Rates)
		}
	})
	if !all || crowd || n > mostLent {
		return
	}
	e.mirrored, e.mirroredAt = changes, now
	for key, dom := range e.domains {
		dom.Rates.Return(lent[key])
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
			e.lent = dom.Rates.Borrow(loans, now) || e.lent
		}
	}
	for key, boot := range boots {
		if dom := e.domains[key]; dom != nil && (dom.Boot.IsZero() || dom.bootLent) {
			dom.Boot, dom.bootLent = boot, true
		}
	}
}

// absence says why data had no template; "" if nothing more is known than that none came.
func (d *Domain) absence(id uint16) string {
	if d.key.Protocol == flow.NetFlow5 || d.key.Protocol == flow.SFlow5 || id < 256 || d.templates[id] != nil {
		return ""
	}
	l := d.loan(id, d.Seen)
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
	d.Exporter.siblings(func(x *Exporter) {
		for key, from := range x.domains {
			if t := from.templates[id]; t != nil && key.Protocol == d.key.Protocol && key.ID != d.key.ID {
				text = fmt.Sprintf("port %d of this address has sent this template, but for domain %d", x.From.Port(), key.ID)
			}
		}
	})
	if text == "" {
		text = "no port of this address has sent this template"
	}
	return text
}
