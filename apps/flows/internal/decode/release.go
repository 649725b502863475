package decode

import (
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
)

// Due appends the flows that were held for a sampling rate long enough by now, of the exporters whose last datagram this
// decoder has decoded. Call it also when no datagram comes. It also takes in what a state that was offered has of these
// exporters, and of those that have no decoder yet, and returns the flows that have waited for it.
func (d *Decoder) Due(dst []byte, now time.Time) (out []byte, flows int) {
	out = dst
	if state := d.store.Offered(); state != d.applied {
		d.applied = state
		out, flows = d.Restore(out, state, now)
	}
	out, n := d.due(out, now, func(dom *session.Domain) bool { return dom.HoldIsOver(now) })
	return out, flows + n
}

// Restore takes in a state. The exporter's own later reports take precedence: a template replaces ours only if it was
// learnt later. It returns the flows that have waited for these templates and rates. Everything is checked and bounded
// as if exporters had sent it; what is too old, or does not fit, is left out, and so are the exporters of other decoders.
func (d *Decoder) Restore(dst []byte, state *session.State, now time.Time) (out []byte, flows int) {
	out = dst
	for i := range state.Exporters {
		x := &state.Exporters[i]
		e := d.store.Restore(d.owner, x, now)
		if e == nil {
			continue
		}
		before, seen := len(out), flows
		for j := range x.Domains {
			var n int
			out, n = d.restoreDomain(out, e, &x.Domains[j], now)
			flows += n
		}
		e.Restored(x)
		e.Flows += uint64(flows - seen)
		d.counts.Encoded.Add(uint64(len(out) - before))
		d.countMisfits()
		d.counts.Take(e.Losses.Add)
		e.Unlock()
	}
	return out, flows
}

func (d *Decoder) restoreDomain(dst []byte, e *session.Exporter, x *session.DomainState, now time.Time) (out []byte, flows int) {
	out = dst
	dom := e.Restore(x, now)
	if dom == nil {
		return out, 0
	}
	m := message.Header{Protocol: x.Protocol, Domain: x.ID, Received: now}
	d.learnt, d.restoring = d.learnt[:0], true
	for i := range x.Templates {
		if def, ok := dom.Definition(&x.Templates[i], now); ok {
			d.learn(dom, &m, &def)
			dom.Restored(&x.Templates[i])
		}
	}
	d.restoring = false
	for _, id := range slices.Clone(d.learnt) {
		var n int
		out, n = d.released(out, &m, dom, id)
		flows += n
	}
	released, n := d.releaseRated(out, &m, e)
	flows += n
	d.counts.Flows[x.Protocol].Add(uint64(flows))
	return released, flows
}

// End appends all flows of these exporters that are held for a sampling rate. Call it after the last datagram.
func (d *Decoder) End(dst []byte) (out []byte, flows int) {
	d.ending = true
	defer func() { d.ending = false }()
	return d.due(dst, time.Time{}, func(*session.Domain) bool { return true })
}

func (d *Decoder) due(dst []byte, now time.Time, which func(*session.Domain) bool) (out []byte, flows int) {
	out = dst
	waiting := d.store.Waiting() > d.store.Held() && (d.ending || now.Sub(d.caughtUp).Abs() >= time.Second)
	if d.store.Held() == 0 && !waiting {
		return out, 0
	}
	d.caughtUp = now
	d.store.Each(func(e *session.Exporter) {
		if e.Owner != d.owner {
			return
		}
		var n int
		if waiting {
			out, n = d.catchUpAll(out, e, now)
			flows += n
		}
		out, n = d.releaseDue(out, e, which)
		flows += n
	})
	return out, flows
}

// releaseDue encodes held records of an exporter, and counts them.
func (d *Decoder) releaseDue(dst []byte, e *session.Exporter, which func(*session.Domain) bool) (out []byte, flows int) {
	out = dst
	for key, dom := range e.Domains() {
		if !dom.Holds() || !which(dom) {
			continue
		}
		var n int
		before := len(out)
		out, n = d.releaseHeld(out, dom, true)
		e.Flows += uint64(n)
		flows += n
		d.counts.Flows[key.Protocol].Add(uint64(n))
		d.counts.Encoded.Add(uint64(len(out) - before))
	}
	d.countMisfits()
	d.counts.Take(e.Losses.Add)
	return out, flows
}

// catchUpAll decodes what waits of an exporter and need not any more.
func (d *Decoder) catchUpAll(dst []byte, e *session.Exporter, now time.Time) (out []byte, flows int) {
	out = dst
	for key, dom := range e.Domains() {
		if !dom.MayCatchUp() {
			continue
		}
		m := message.Header{Protocol: key.Protocol, Domain: key.ID, Received: now}
		if d.ending {
			m.Received = dom.Seen
			dom.Retry()
		}
		var n int
		before := len(out)
		out, n = d.catchUp(out, &m, dom)
		e.Flows += uint64(n)
		flows += n
		d.counts.Flows[key.Protocol].Add(uint64(n))
		d.counts.Encoded.Add(uint64(len(out) - before))
	}
	e.Place(e.Seen, flows)
	return out, flows
}

// catchUp does what other ports of the address, or the time, have made possible since the last datagram: it decodes the data that
// waits for a template which another port has, or which could not be bound before.
func (d *Decoder) catchUp(dst []byte, m *message.Header, dom *session.Domain) (out []byte, flows int) {
	out = dst
	for _, id := range dom.Retries(m.Received) {
		if dom.Template(id) != nil || d.borrow(dom, m, id, nil) != nil {
			var n int
			out, n = d.released(out, m, dom, id)
			flows += n
		}
	}
	if dom.Exporter.Mirror(m.Received) {
		var n int
		out, n = d.releaseRated(out, m, dom.Exporter)
		flows += n
	}
	return out, flows
}

// flush encodes the records that an exporter holds when it is evicted: they go out with the datagram's flows, without a rate.
func (d *Decoder) flush(e *session.Exporter) {
	var n int
	d.late, n = d.releaseDue(d.late, e, func(*session.Domain) bool { return true })
	d.lateFlows += n
}
