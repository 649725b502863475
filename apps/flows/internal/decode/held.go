package decode

import (
	"bytes"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
)

// heldRecords are records whose sampling rate has not come yet, as they were sent.
type heldRecords struct {
	message  message.Header
	template *inputTemplate
	records  []byte
	count    int
	reverse  bool // of biflows, only the other direction is held
}

// hold keeps records without a sampling rate. Each domain has one period for that, which begins with its first such
// record: an exporter that reports its rates does so within it, and all others are not delayed for ever. It returns
// false if the period is over or there is no room: then the records go out without a rate.
func (d *Decoder) hold(dom *domain, m *message.Header, def *templates.Definition, records []byte) (n int, held bool) {
	limit := d.store.limits.RateWait
	if d.holding == nil || limit <= 0 || d.final {
		return 0, false
	}
	if dom.holdUntil.IsZero() {
		dom.holdUntil = m.Received.Add(limit)
	}
	if !m.Received.Before(dom.holdUntil) || !dom.exporter.keepHeld(len(records)+waitingSize) {
		return 0, false
	}
	dom.exporter.proves(m.Received)
	kept := *m
	kept.Sets = nil
	n = def.Count(records)
	dom.held = append(dom.held, heldRecords{kept, d.holding, bytes.Clone(records), n, d.holdBack})
	d.store.held.Add(1)
	if !d.replaying {
		d.counts.Held.Add(uint64(n))
	}
	return n, true
}

// releaseHeld encodes held records whose rate has come, or all of them: in the end, the exporter's default counts, or
// the records have no rate.
func (d *Decoder) releaseHeld(dst []byte, dom *domain, all bool) (out []byte, flows int) {
	list := dom.held
	dom.held = nil
	d.replaying, d.final = true, all
	defer func() { d.replaying, d.final = false, false }()
	for i := range list {
		h := &list[i]
		dom.exporter.unkeepHeld(len(h.records) + waitingSize)
		d.store.held.Add(-1)
		d.counts.Set = h.template.ID
		d.begin(&h.message, dom.exporter)
		before := len(dst)
		var n int
		switch {
		case h.template.reverse == nil:
			dst, n, _ = d.data(dst, &h.message, dom, h.template, h.records)
		case h.template.bound.Layout != d.layout && !d.bind(dom, h.template):
		case h.reverse:
			dst, n = d.encodeReverse(dst, &h.message, dom, h.template, h.records)
		default:
			t := h.template
			d.holding = t
			dst, n, _ = d.encode(dst, &h.message, dom, &t.Definition, &t.bound, h.records)
			t.bound.CountMisfits(&d.counts)
		}
		flows += n
		if d.watch != nil {
			d.watch.held(d, h, dom, dst[before:])
		}
	}
	return dst, flows
}

// releaseRated encodes the held records of an exporter whose rate has come: it may be reported in another domain.
func (d *Decoder) releaseRated(dst []byte, m *message.Header, e *exporter) (out []byte, flows int) {
	out = dst
	if !e.rates.HasNews() {
		return out, 0
	}
	for _, dom := range e.domains {
		if len(dom.held) > 0 {
			var n int
			out, n = d.releaseHeld(out, dom, false)
			flows += n
		}
	}
	if flows > 0 {
		d.begin(m, e)
	}
	return out, flows
}

// Due appends the flows that were held for a sampling rate long enough by now, of the exporters whose last datagram this
// decoder has decoded. Call it also when no datagram comes. It also takes in what a state that was offered has of these
// exporters, and of those that have no decoder yet, and returns the flows that have waited for it.
func (d *Decoder) Due(dst []byte, now time.Time) (out []byte, flows int) {
	out = dst
	if state := d.store.offered.Load(); state != d.applied {
		d.applied = state
		out, flows = d.Restore(out, state, now)
	}
	out, n := d.due(out, now, func(dom *domain) bool { return !now.Before(dom.holdUntil) })
	return out, flows + n
}

// End appends all flows of these exporters that are held for a sampling rate. Call it after the last datagram.
func (d *Decoder) End(dst []byte) (out []byte, flows int) {
	d.ending = true
	defer func() { d.ending = false }()
	return d.due(dst, time.Time{}, func(*domain) bool { return true })
}

func (d *Decoder) due(dst []byte, now time.Time, which func(*domain) bool) (out []byte, flows int) {
	out = dst
	waiting := d.store.waiting.Load() > d.store.heldBytes.Load() && (d.ending || now.Sub(d.caughtUp).Abs() >= time.Second)
	if d.store.held.Load() == 0 && !waiting {
		return out, 0
	}
	d.caughtUp = now
	d.store.mu.RLock()
	defer d.store.mu.RUnlock()
	for _, e := range d.store.exporters {
		e.mu.Lock()
		if e.owner == d {
			var n int
			if waiting {
				out, n = d.catchUpAll(out, e, now)
				flows += n
			}
			out, n = d.releaseDue(out, e, which)
			flows += n
		}
		e.mu.Unlock()
	}
	return out, flows
}

// releaseDue encodes held records of an exporter, and counts them.
func (d *Decoder) releaseDue(dst []byte, e *exporter, which func(*domain) bool) (out []byte, flows int) {
	out = dst
	for key, dom := range e.domains {
		if len(dom.held) == 0 || !which(dom) {
			continue
		}
		var n int
		before := len(out)
		out, n = d.releaseHeld(out, dom, true)
		e.flows += uint64(n)
		flows += n
		d.counts.Flows[key.protocol].Add(uint64(n))
		d.counts.Encoded.Add(uint64(len(out) - before))
	}
	d.countMisfits()
	d.counts.Take(e.losses.Add)
	return out, flows
}

// catchUpAll decodes what waits of an exporter and need not any more.
func (d *Decoder) catchUpAll(dst []byte, e *exporter, now time.Time) (out []byte, flows int) {
	out = dst
	for key, dom := range e.domains {
		if len(dom.waiting) == 0 && !e.borrows {
			continue
		}
		m := message.Header{Protocol: key.protocol, Domain: key.id, Received: now}
		if d.ending {
			m.Received = dom.seen
			dom.triedAt = time.Time{}
		}
		var n int
		before := len(out)
		out, n = d.catchUp(out, &m, dom)
		e.flows += uint64(n)
		flows += n
		d.counts.Flows[key.protocol].Add(uint64(n))
		d.counts.Encoded.Add(uint64(len(out) - before))
	}
	e.place(e.seen, flows)
	return out, flows
}
