// Package session has what exporters have sent about themselves, within bounds: a Store of exporters, each a transport session with
// its observation domains, their templates, sampling rates and sequence numbers, and data that waits for these.
//
// An exporter is locked while one of its datagrams is decoded: whoever has one from Lock or Each may call all its methods, and
// those of its domains.
package session

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// Store has what exporters have sent about themselves. Any number of goroutines may use it. An exporter is locked
// while one of its datagrams is decoded, so goroutines wait for each other only when they decode datagrams of the
// same exporter.
//
// Locks are acquired in this order: the store's, an exporter's, those of ranks and addresses. Whoever has an exporter's only
// tries that of another one.
type Store struct {
	limits Limits
	rules  *sampling.Rules
	shared bool // an exporter is an address, over all ports
	counts *count.Counters

	mu        sync.RWMutex
	exporters map[netip.AddrPort]*Exporter
	addresses map[netip.Addr]*address
	ranks     ranks

	fullMemory, fullWaiting int64 // from here on, exporters give way

	memory    atomic.Int64 // estimated bytes of all that is kept
	templates atomic.Int64
	waiting   atomic.Int64 // bytes of data sets without template, and of records without sampling rate
	held      atomic.Int64 // of them those of records without sampling rate
	bound     atomic.Int64 // templates in this second

	changes atomic.Uint64 // of templates and rates
	offered atomic.Pointer[State]

	report   func(Loss)
	examples sync.Mutex
	told     map[example]bool // since the last call of Expire

	layout atomic.Pointer[layout.Layout] // that was begun last

	sweep    atomic.Int64 // when to look for expired state, in nanoseconds
	lifetime atomic.Int64 // and for expired templates
}

// NewStore creates an empty store. It counts losses in c.
func NewStore(limits Limits, c *count.Counters) *Store {
	s := &Store{limits: limits, counts: c, exporters: map[netip.AddrPort]*Exporter{}, addresses: map[netip.Addr]*address{}}
	s.ranks.limits = &s.limits
	s.fullMemory, s.fullWaiting = int64(limits.Memory)/8*7, int64(limits.AllWaiting)/8*7
	return s
}

// Limits returns the limits, and Counters what counts the losses.
func (s *Store) Limits() *Limits           { return &s.limits }
func (s *Store) Counters() *count.Counters { return s.counts }

// SetRules sets the operator's sampling rates. Call it before the first datagram.
func (s *Store) SetRules(r *sampling.Rules) { s.rules = r }

// Rules returns the operator's sampling rates; nil for none.
func (s *Store) Rules() *sampling.Rules { return s.rules }

// ByAddress makes an exporter an address, whatever port it sends from. RFC 7011 has it otherwise, but some exporters,
// and translators of addresses, send templates and data from different ports. Call it before the first datagram.
func (s *Store) ByAddress() { s.shared = true }

// BeginLayout reports whether a layout is new: each decoder begins it.
func (s *Store) BeginLayout(l *layout.Layout) bool { return s.layout.Swap(l) != l }

// Memory estimates how many bytes are kept for exporters. It is never more than Limits.Memory.
func (s *Store) Memory() int { return int(s.memory.Load()) }

// Waiting returns how many of these bytes are data that wait for their template or sampling rate.
func (s *Store) Waiting() int { return int(s.waiting.Load()) }

// Held returns how many bytes of them wait for their sampling rate.
func (s *Store) Held() int { return int(s.held.Load()) }

// Templates returns how many templates there are.
func (s *Store) Templates() int { return int(s.templates.Load()) }

// Each calls a function with each exporter, which is locked.
func (s *Store) Each(do func(*Exporter)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, e := range s.exporters {
		e.mu.Lock()
		do(e)
		e.mu.Unlock()
	}
}

// Owner is who decodes the datagrams of some exporters. Flush encodes the records that an exporter holds when it is evicted.
type Owner struct{ Flush func(*Exporter) }

// Lock finds or adds an exporter and locks it. It returns nil if there is no room for another one. known is the
// exporter to try first.
func (s *Store) Lock(o *Owner, known *Exporter, from netip.AddrPort, now time.Time) *Exporter {
	if s.shared {
		from = netip.AddrPortFrom(from.Addr(), 0)
	}
	if s.memory.Load() > s.fullMemory || s.waiting.Load() > s.fullWaiting {
		s.makeRoom(o, from)
	}
	e := known
	for {
		if e == nil || e.From != from {
			s.mu.RLock()
			e = s.exporters[from]
			s.mu.RUnlock()
			if e == nil {
				if e = s.add(o, from, now); e == nil {
					return nil
				}
			}
		}
		e.mu.Lock()
		if !e.gone {
			if !e.active.Load() {
				e.active.Store(true)
			}
			return e
		}
		e.mu.Unlock()
		e = nil
	}
}

// Tick expires what is due, about once a second by the time of the datagrams.
func (s *Store) Tick(now time.Time) {
	at := now.UnixNano()
	next := s.sweep.Load()
	if at < next && next-at <= int64(time.Second) || !s.sweep.CompareAndSwap(next, at+int64(time.Second)) {
		return
	}
	s.bound.Store(0)
	templates := false
	if every, next := int64(s.limits.Lifetime/16), s.lifetime.Load(); at >= next || next-at > every {
		templates = s.lifetime.CompareAndSwap(next, at+every) && next != 0
	}
	if templates || s.waiting.Load() > 0 {
		s.expire(now, templates)
	}
}

// Expire drops the data sets that have waited for too long. Arriving datagrams do the same; call Expire if none
// arrive.
func (s *Store) Expire(now time.Time) {
	s.expire(now, true)
	s.examples.Lock()
	clear(s.told)
	s.examples.Unlock()
}

func (s *Store) expire(now time.Time, templates bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, e := range s.exporters {
		e.mu.Lock()
		for _, d := range e.domains {
			d.expireWaiting(now.Add(-s.limits.WaitingTime))
			if templates {
				d.expireTemplates(now.Add(-s.limits.Lifetime), now.Add(-s.limits.Lifetime/16))
				d.Rates.Expire(now, now.Add(-s.limits.Lifetime))
				if d.empty() && d.Seen.Before(now.Add(-s.limits.Lifetime)) {
					e.remove(d)
				}
			}
		}
		if templates {
			e.Rates.NextPeriod()
			if e.Rank() == count.Settled && now.Sub(e.Seen) >= s.limits.Silent {
				s.ranks.move(e, count.Recent, e.bytes, e.waiting-e.held)
			}
			e.Place(now, 0)
		}
		e.mu.Unlock()
	}
}

// Close drops everything that is kept. It counts data that still waits as expired.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.exporters {
		e.mu.Lock()
		e.abandon(count.WaitingExpired)
		e.mu.Unlock()
	}
	for _, e := range s.exporters {
		e.mu.Lock()
		s.ranks.drop(e)
		e.forget()
		e.mu.Unlock()
	}
	clear(s.exporters)
	clear(s.addresses)
}
