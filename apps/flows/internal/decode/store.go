package decode

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
	exporters map[netip.AddrPort]*exporter
	addresses map[netip.Addr]*address
	ranks     ranks

	fullMemory, fullWaiting int64 // from here on, exporters give way

	memory    atomic.Int64 // estimated bytes of all that is kept
	templates atomic.Int64
	waiting   atomic.Int64 // bytes of data sets without template, and of records without sampling rate
	held      atomic.Int64 // sets of records without sampling rate
	heldBytes atomic.Int64 // of waiting
	bound     atomic.Int64 // templates in this second

	changes atomic.Uint64 // of templates and rates
	offered atomic.Pointer[State]

	report   func(Loss)
	examples sync.Mutex
	told     map[example]bool // since the last call of Expire

	layout atomic.Pointer[layout.Layout] // the exporter whose refused fields were counted last

	sweep    atomic.Int64 // when to look for expired state, in nanoseconds
	lifetime atomic.Int64 // and for expired templates
}

// NewStore creates an empty store. It counts losses in c.
func NewStore(limits Limits, c *count.Counters) *Store {
	s := &Store{limits: limits, counts: c, exporters: map[netip.AddrPort]*exporter{}, addresses: map[netip.Addr]*address{}}
	s.ranks.limits = &s.limits
	s.fullMemory, s.fullWaiting = int64(limits.Memory)/8*7, int64(limits.AllWaiting)/8*7
	return s
}

// SetRules sets the operator's sampling rates. Call it before the first datagram.
func (s *Store) SetRules(r *sampling.Rules) { s.rules = r }

// ByAddress makes an exporter an address, whatever port it sends from. RFC 7011 has it otherwise, but some exporters,
// and translators of addresses, send templates and data from different ports. Call it before the first datagram.
func (s *Store) ByAddress() { s.shared = true }

// Memory estimates how many bytes are kept for exporters. It is never more than Limits.Memory.
func (s *Store) Memory() int { return int(s.memory.Load()) }

// Waiting returns how many of these bytes are data that wait for their template or sampling rate.
func (s *Store) Waiting() int { return int(s.waiting.Load()) }

// Templates returns how many templates there are.
func (s *Store) Templates() int { return int(s.templates.Load()) }

// lock finds or adds an exporter and locks it. It returns nil if there is no room for another one. known is the
// exporter to try first.
func (d *Decoder) lock(known *exporter, from netip.AddrPort, now time.Time) *exporter {
	s := d.store
	if s.shared {
		from = netip.AddrPortFrom(from.Addr(), 0)
	}
	if s.memory.Load() > s.fullMemory || s.waiting.Load() > s.fullWaiting {
		d.makeRoom(from)
	}
	e := known
	for {
		if e == nil || e.from != from {
			s.mu.RLock()
			e = s.exporters[from]
			s.mu.RUnlock()
			if e == nil {
				if e = d.add(from, now); e == nil {
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

// tick expires what is due, about once a second by the time of the datagrams.
func (s *Store) tick(now time.Time) {
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
				d.rates.Expire(now, now.Add(-s.limits.Lifetime))
				if d.empty() && d.seen.Before(now.Add(-s.limits.Lifetime)) {
					e.remove(d)
				}
			}
		}
		if templates {
			e.rates.NextPeriod()
			if e.rank() == count.Settled && now.Sub(e.seen) >= s.limits.Silent {
				s.ranks.move(e, count.Recent, e.bytes, e.waiting-e.held)
			}
			e.place(now, 0)
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
