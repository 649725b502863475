package ops

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

// namedExporters have metrics of their own. All others together are "other", so that spoofed senders cannot create
// more metrics.
const namedExporters = 100

// account is what exporters have sent since they were first seen. It never falls, because counters must not,
// although the known sums of an exporter fall when one of its ports is dropped.
type account struct {
	sums
	lost  uint64 // the most that was missing at any time: what is missing now may come late
	named bool
	last  Exporter // as it was then
}

// sums are the counters of an exporter.
type sums struct {
	datagrams, flows, gaps, found, repeated, restarts, unsampled uint64
	losses                                                       count.Losses
}

func sumsOf(e *Exporter) sums {
	return sums{e.Datagrams, e.Flows, e.Lost + e.Found, e.Found, e.Repeated, e.Restarts, e.Unsampled, e.Losses}
}

// grown returns by how much the sums have grown since others.
func (s sums) grown(from sums) sums {
	grown := func(from, to uint64) uint64 { return to - min(from, to) }
	more := sums{
		datagrams: grown(from.datagrams, s.datagrams), flows: grown(from.flows, s.flows), gaps: grown(from.gaps, s.gaps), found: grown(from.found, s.found),
		repeated: grown(from.repeated, s.repeated), restarts: grown(from.restarts, s.restarts), unsampled: grown(from.unsampled, s.unsampled),
	}
	for r := range s.losses {
		more.losses[r] = grown(from.losses[r], s.losses[r])
	}
	return more
}

func (s *sums) add(more sums) {
	s.datagrams += more.datagrams
	s.flows += more.flows
	s.gaps += more.gaps
	s.found += more.found
	s.repeated += more.repeated
	s.restarts += more.restarts
	s.unsampled += more.unsampled
	s.losses.Add(&more.losses)
}

// count adds what has come since the last time.
func (a *account) count(more sums) {
	a.add(more)
	a.lost = max(a.lost, a.gaps-min(a.gaps, a.found))
}

// name updates the accounts, and returns them by their labels. Exporters that have a name keep it. The busiest
// others get the free names, and the rest share one.
func (m *metrics) name(all []Exporter) map[string]account {
	m.mu.Lock()
	defer m.mu.Unlock()
	slices.SortFunc(all, func(a, b Exporter) int {
		return cmp.Or(cmp.Compare(b.Datagrams, a.Datagrams), a.Address.Compare(b.Address))
	})
	before, names := m.accounts, 0
	m.accounts = make(map[netip.Addr]*account, len(all))
	for _, e := range all {
		a := before[e.Address]
		if a == nil {
			a = &account{}
		}
		if m.accounts[e.Address] = a; a.named {
			names++
		}
	}
	by := make(map[string]account, namedExporters+1)
	for _, e := range all {
		a := m.accounts[e.Address]
		more := sumsOf(&e).grown(sumsOf(&a.last))
		a.count(more)
		a.last = e
		if !a.named && names < namedExporters {
			a.named = true
			names++
		}
		if a.named {
			by[e.Address.String()] = *a
			continue
		}
		m.unnamed.count(more)
		if e.LastSeen.After(m.unnamed.last.LastSeen) {
			m.unnamed.last = e
		}
	}
	if m.unnamed.datagrams > 0 {
		by["other"] = m.unnamed
	}
	return by
}
