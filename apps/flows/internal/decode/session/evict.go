package session

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
)

// address is what is known of an address, over all its ports.
type address struct {
	settled int           // exporters; of Store.ranks
	changes atomic.Uint64 // of templates and rates of its ports

	mu       sync.Mutex // held last of all locks
	sessions []*Exporter
	hand     int // where the search for a session to evict goes on
}

func (a *address) add(e *Exporter) {
	a.mu.Lock()
	e.index = len(a.sessions)
	a.sessions = append(a.sessions, e)
	a.mu.Unlock()
}

func (a *address) remove(e *Exporter) {
	a.mu.Lock()
	last := len(a.sessions) - 1
	a.sessions[e.index] = a.sessions[last]
	a.sessions[e.index].index = e.index
	a.sessions[last] = nil
	a.sessions = a.sessions[:last]
	a.mu.Unlock()
	a.changes.Add(1)
}

// The most that is done for one datagram: exporters that are evicted, and sessions of an address that are compared.
const (
	mostEvictions = 64
	mostLooks     = 64
)

// worst returns the session of the address that is evicted first, among those that are compared now: of the lowest rank,
// and of these one that has sent nothing since the hand came by; nil if all are settled.
func (a *address) worst() (worst *Exporter) {
	a.mu.Lock()
	defer a.mu.Unlock()
	best := uint32(2 * count.Settled)
	for range min(mostLooks, len(a.sessions)) {
		a.hand = (a.hand + 1) % len(a.sessions)
		e := a.sessions[a.hand]
		value := 2 * e.ranked.Load()
		if e.active.Swap(false) {
			value++
		}
		if value < best {
			best, worst = value, e
		}
		if best == 0 {
			break
		}
	}
	return worst
}

// add adds an exporter. Others give way to it.
func (s *Store) add(o *Owner, from netip.AddrPort, now time.Time) *Exporter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.exporters[from]; e != nil {
		return e
	}
	if a := s.addresses[from.Addr()]; a != nil && len(a.sessions) >= s.limits.Sessions {
		x := a.worst()
		if x == nil {
			return nil
		}
		s.evict(o, x, count.Ports)
	}
	if len(s.exporters) >= s.limits.Exporters {
		x := s.ranks.worst(count.Places)
		if x == nil {
			return nil
		}
		s.evict(o, x, count.Places)
	}
	a := s.addresses[from.Addr()]
	if a == nil {
		a = &address{}
	}
	e := &Exporter{store: s, From: from, address: a, first: now, Seen: now, domains: map[DomainKey]*Domain{}}
	if !e.Reserve(exporterSize) {
		return nil
	}
	e.stand.exporter, e.stock.exporter = e, e
	fallback, override := s.rules.Rates(from.Addr())
	e.Rates = sampling.NewExporter(e, sampling.Limits{Rates: s.limits.Samplers, Rate: float64(s.limits.SamplingRate)}, fallback, override)
	s.exporters[from], s.addresses[from.Addr()] = e, a
	a.add(e)
	s.ranks.move(e, count.Idle, e.bytes, 0)
	return e
}

// makeRoom has exporters give way to another one while there is less room than one datagram may need.
func (s *Store) makeRoom(o *Owner, to netip.AddrPort) {
	if s.memory.Load() > s.fullMemory {
		s.mu.Lock()
		for range mostEvictions {
			if s.memory.Load() <= s.fullMemory {
				break
			}
			x := s.ranks.worst(count.Memory)
			if x == nil || x.From == to {
				break
			}
			s.evict(o, x, count.Memory)
		}
		s.mu.Unlock()
	}
	if s.waiting.Load() > s.fullWaiting {
		s.mu.RLock()
		for range mostEvictions {
			if s.waiting.Load() <= s.fullWaiting || !s.giveUpWaiting() {
				break
			}
		}
		s.mu.RUnlock()
	}
}

// evict drops an exporter of the store. Its flows that wait for a sampling rate go out without one.
func (s *Store) evict(o *Owner, e *Exporter, short count.Resource) {
	e.mu.Lock() // until its datagram is decoded, after which it takes its place again
	defer e.mu.Unlock()
	delete(s.exporters, e.From)
	rank := e.Rank()
	s.ranks.drop(e)
	e.address.remove(e)
	if len(e.address.sessions) == 0 {
		delete(s.addresses, e.From.Addr())
	}
	if e.held > 0 {
		o.Flush(e)
	}
	x := &s.counts.Evictions[rank][short]
	x.Exporters.Add(1)
	x.Templates.Add(uint64(e.templates))
	x.Bytes.Add(uint64(e.bytes))
	e.abandon(count.WaitingOverflow)
	e.forget()
}

// giveUpWaiting drops the data sets of an exporter that has the most of them waiting. It reports whether there is one.
func (s *Store) giveUpWaiting() bool {
	e := s.ranks.longest()
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.domains {
		for id, list := range d.waiting {
			d.given(list)
			d.drop(count.WaitingOverflow, len(list), id)
		}
		d.waiting = nil
	}
	if !e.gone {
		s.ranks.move(e, e.Rank(), e.bytes, e.waiting-e.held)
	}
	return true
}
