package session

import (
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Loss is a loss that a log shows as an example.
type Loss struct {
	From   netip.AddrPort
	Time   time.Time // when the datagram was received
	Reason count.Reason
	Number uint64 // of the reason's unit
	Domain uint32 // observation domain, source id, engine or sub-agent
	Set    uint16 // the template; 0 if the loss is not about one
	Detail string // what is wrong, where the reason does not say it
}

// Detail is what is wrong, where the reason alone does not say it.
type Detail struct {
	Reason count.Reason
	Text   string
}

// Report makes the store pass examples of losses to each: one for each exporter address and reason between two calls of
// Expire, for at most some exporters. The function must not wait.
func (s *Store) Report(each func(Loss)) { s.report = each }

// Reports reports whether examples are passed on.
func (s *Store) Reports() bool { return s.report != nil }

// mostExamples is how many examples there are between two calls of Expire.
const mostExamples = 32

type example struct {
	address netip.Addr
	reason  count.Reason
}

// tell passes an example on, unless there was one like it.
func (s *Store) tell(l Loss) {
	if s.untold(&l) {
		s.report(l)
	}
}

// untold reports whether there was no example like it. There is one now.
func (s *Store) untold(l *Loss) bool {
	if s.report == nil {
		return false
	}
	s.examples.Lock()
	defer s.examples.Unlock()
	key := example{l.From.Addr(), l.Reason}
	if s.told[key] || len(s.told) >= mostExamples {
		return false
	}
	if s.told == nil {
		s.told = map[example]bool{}
	}
	s.told[key] = true
	return true
}

// Attribute counts the losses of a datagram for its exporter. Those of senders that are no exporters are only counted
// for all.
func (s *Store) Attribute(dg *flow.Datagram, local *count.Local, domain uint32, about Detail) {
	local.Take(func(l *count.Losses) {
		s.updateExporter(dg.From, func(e *Exporter) { e.Losses.Add(l) })
		for r, n := range l {
			if n > 0 {
				loss := Loss{From: dg.From, Time: dg.Received, Reason: count.Reason(r), Number: n, Domain: domain, Set: local.SetOf(count.Reason(r))}
				if loss.Reason == about.Reason {
					loss.Detail = about.Text
				}
				s.tell(loss)
			}
		}
	})
}

// Unread counts a datagram of which nothing could be read.
func (s *Store) Unread(from netip.AddrPort) {
	s.updateExporter(from, func(e *Exporter) { e.datagrams++ })
}

// updateExporter calls a function with the exporter of an address and port, if it is known.
func (s *Store) updateExporter(from netip.AddrPort, do func(*Exporter)) {
	if s.shared {
		from = netip.AddrPortFrom(from.Addr(), 0)
	}
	s.mu.RLock()
	e := s.exporters[from]
	s.mu.RUnlock()
	if e != nil {
		e.mu.Lock()
		do(e)
		e.mu.Unlock()
	}
}

// drop counts data sets of the domain that are dropped.
func (d *Domain) drop(r count.Reason, n int, set uint16) {
	if n == 0 {
		return
	}
	e := d.Exporter
	e.store.counts.Drop(r, n)
	e.Losses[r] += uint64(n)
	if l := (Loss{From: e.From, Time: d.since(r, set), Reason: r, Number: uint64(n), Domain: d.key.ID, Set: set}); e.store.untold(&l) {
		l.Detail = d.Missing(r, set)
		e.store.report(l)
	}
}

// Sentence says in words why something was lost.
func (l *Loss) Sentence() string {
	if l.Detail != "" {
		return l.Detail
	}
	return l.Reason.Sentence()
}

// ForgetExamples makes the store pass on examples of all losses, also of those that it has passed on before.
func (s *Store) ForgetExamples() {
	s.examples.Lock()
	clear(s.told)
	s.examples.Unlock()
}
