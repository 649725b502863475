package decode

import (
	"net/netip"
	"time"
)

// address is what is known of an address, over all its ports.
type address struct {
	sessions  int // exporters
	evictions evictions
}

// evictions limits how often all exporters are searched for one to evict: when a number of exporters have come since
// the last search, so that the cost for each is small, else once a second.
type evictions struct {
	next  time.Time
	added int
}

func (c *evictions) waits(now time.Time, limit int) bool {
	return now.Before(c.next) && c.added <= limit/16
}

// refused reports whether there is no place for another exporter, and none can be freed now.
func (s *Store) refused(from netip.Addr, now time.Time) bool {
	if len(s.exporters) >= s.limits.Exporters && s.evictions.waits(now, s.limits.Exporters) {
		return true
	}
	a := s.addresses[from]
	return a != nil && a.sessions >= s.limits.Sessions && a.evictions.waits(now, s.limits.Sessions)
}

// add adds an exporter, if there is a place or one can be freed.
func (s *Store) add(from netip.AddrPort, now time.Time) *exporter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.exporters[from]; e != nil {
		return e
	}
	a := s.addresses[from.Addr()]
	if a == nil {
		a = &address{}
	}
	e := &exporter{store: s, from: from, first: now, seen: now, domains: map[domainKey]*domain{}}
	e.fallback, e.override = s.rules.of(from.Addr())
	if a.sessions >= s.limits.Sessions && !a.evictions.waits(now, s.limits.Sessions) {
		a.evictions = evictions{next: now.Add(time.Second)}
		s.evict(now, from.Addr())
	}
	if a.sessions >= s.limits.Sessions {
		return nil
	}
	reserved := len(s.exporters) < s.limits.Exporters && e.reserve(exporterSize)
	if !reserved && !s.evictions.waits(now, s.limits.Exporters) {
		s.evictions = evictions{next: now.Add(time.Second)}
		s.evict(now, netip.Addr{})
		reserved = len(s.exporters) < s.limits.Exporters && e.reserve(exporterSize)
	}
	if !reserved {
		return nil
	}
	s.exporters[from], s.addresses[from.Addr()] = e, a
	s.evictions.added++
	a.evictions.added++
	a.sessions++
	return e
}

// evict drops exporters, of one address or any, that have never sent anything useful or have been silent for long.
func (s *Store) evict(now time.Time, of netip.Addr) {
	for _, e := range s.exporters {
		if of.IsValid() && e.from.Addr() != of {
			continue
		}
		e.mu.Lock()
		if e.idle() || now.Sub(e.seen) >= s.limits.Silent {
			delete(s.exporters, e.from)
			e.forget()
			a := s.addresses[e.from.Addr()]
			if a.sessions--; a.sessions == 0 {
				delete(s.addresses, e.from.Addr())
			}
		}
		e.mu.Unlock()
	}
}
