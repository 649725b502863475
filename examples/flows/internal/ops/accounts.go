package ops

import (
	"cmp"
	"net/netip"
	"slices"
)

// namedExporters have metrics of their own. All others together are "other", so that spoofed senders cannot create
// more metrics.
const namedExporters = 100

// account is what exporters have sent since they were first seen. It never falls, because counters must not,
// although the known sums of an exporter fall when one of its ports is dropped.
type account struct {
	datagrams, flows, lost uint64
	named                  bool
	last                   Exporter // as it was then
}

func (a *account) add(datagrams, flows, lost uint64) {
	a.datagrams += datagrams
	a.flows += flows
	a.lost += lost
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
		datagrams, flows, lost := grown(a.last.Datagrams, e.Datagrams), grown(a.last.Flows, e.Flows), grown(a.last.Lost, e.Lost)
		a.add(datagrams, flows, lost)
		a.last = e
		if !a.named && names < namedExporters {
			a.named = true
			names++
		}
		if a.named {
			by[e.Address.String()] = *a
			continue
		}
		m.other.add(datagrams, flows, lost)
		if e.LastSeen.After(m.other.last.LastSeen) {
			m.other.last = e
		}
	}
	if m.other.datagrams > 0 {
		by["other"] = m.other
	}
	return by
}

func grown(from, to uint64) uint64 { return to - min(from, to) }
