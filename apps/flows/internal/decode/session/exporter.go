package session

import (
	"iter"
	"maps"
	"math"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sequence"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/sflow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Exporter is a transport session: an address and a port.
type Exporter struct {
	store *Store
	From  netip.AddrPort

	mu          sync.Mutex // of all that follows, up to address
	gone        bool       // no longer in the store
	Owner       *Owner     // that decoded its last datagram: others leave what waits to it, so that flows stay in order
	domains     map[DomainKey]*Domain
	former      map[formerKey]former // templates that are gone
	last        *Domain              // the last one that was looked up
	bytes       int                  // of Store.memory
	templates   int
	learnt      int       // templates in the second
	second      int64     // since 1970
	waiting     int       // bytes
	held        int       // of them those of records without sampling rate
	proof       time.Time // when its first flow was decoded, except of sFlow
	settles     int64     // a while later, in nanoseconds since 1970
	protocols   [flow.Protocols]bool
	first, Seen time.Time
	datagrams   uint64
	Flows       uint64
	Totals      sequence.Totals

	Rates     sampling.Exporter
	Losses    count.Losses
	Unsampled uint64 // flows without a rate

	borrows    bool   // templates of other ports
	lent       bool   // has rates of other ports
	mirrored   uint64 // address.changes when it took over rates of other ports
	mirroredAt time.Time

	// Of Store.ranks.
	ranked                atomic.Uint32 // a count.Rank
	active                atomic.Bool   // has sent something since its last turn
	stand, stock          link
	placed, placedWaiting int // bytes, as its queues have them

	address *address
	index   int // in address.sessions
}

// DomainKey identifies a domain of an exporter.
type DomainKey struct {
	Protocol flow.Protocol
	ID       uint32
	Agent    netip.Addr // of sFlow
}

// Domain is an observation domain (IPFIX), a source (NetFlow v9), an engine (v5) or a sub-agent (sFlow): the scope
// of templates and sequence numbers.
type Domain struct {
	Exporter  *Exporter
	key       DomainKey
	Seen      time.Time
	templates map[uint16]*Template
	waiting   map[uint16][]waitingSet
	Rates     sampling.Domain
	held      []Held
	holdUntil time.Time
	Boot      time.Time // when it was started, for IPFIX
	sequences sequence.Ports
	drops     sequence.Drops

	bootLent bool   // by another port
	started  int64  // when it was started, in milliseconds since 1970, for NetFlow v9; 0 if unknown
	flows    bool   // data was read by a template of its own
	tried    uint64 // address.changes when waiting data was looked through
	triedAt  time.Time
}

// Estimated sizes of an exporter and a domain, including entries of maps.
const (
	exporterSize = 1280
	domainSize   = 840
)

// Reserve notes that more bytes are kept, unless there is no room for them. Fewer bytes always fit.
func (e *Exporter) Reserve(n int) bool {
	limits := &e.store.limits
	if n > 0 && e.bytes-e.waiting+n > limits.PerExporter || !e.store.reserve(n) {
		return false
	}
	e.bytes += n
	return true
}

// reserve notes that more bytes are kept for any exporter.
func (s *Store) reserve(n int) bool {
	if full := s.memory.Add(int64(n)) > int64(s.limits.Memory); n > 0 && full {
		s.memory.Add(-int64(n))
		return false
	}
	return true
}

// tooFast reports whether templates of the exporter change faster than they may.
func (e *Exporter) tooFast(now time.Time) bool {
	if second := now.Unix(); second != e.second {
		e.second, e.learnt = second, 0
	}
	e.learnt++
	return e.learnt > max(1, e.store.limits.TemplateRate/10)
}

// Release notes that bytes are no longer kept.
func (e *Exporter) Release(n int) {
	e.store.memory.Add(-int64(n))
	e.bytes -= n
}

// RateChanged notes that a sampling rate is new or has changed.
func (e *Exporter) RateChanged() {
	e.store.changes.Add(1)
	e.address.changes.Add(1)
}

// domain finds or adds one; nil if there is no room.
func (e *Exporter) domain(key DomainKey, now time.Time) *Domain {
	d := e.last
	if d == nil || d.key != key {
		if d = e.domains[key]; d == nil {
			if len(e.domains) >= e.store.limits.Domains {
				e.giveUpDomain()
			}
			if len(e.domains) >= e.store.limits.Domains || !e.Reserve(domainSize) {
				return nil
			}
			d = &Domain{Exporter: e, key: key, Rates: e.Rates.Domain()}
			e.domains[key] = d
		}
		e.last = d
	}
	d.Seen = now
	return d
}

// giveUpDomain makes room for another domain, if there is one without flows and waiting sets: it drops the one that has
// been silent for longest, of those without templates if there are any.
func (e *Exporter) giveUpDomain() {
	var oldest *Domain
	for _, d := range e.domains {
		if d.flows || len(d.waiting) > 0 || len(d.held) > 0 {
			continue
		}
		if oldest == nil || d.empty() && !oldest.empty() || d.empty() == oldest.empty() && d.Seen.Before(oldest.Seen) {
			oldest = d
		}
	}
	if oldest != nil {
		for _, t := range oldest.templates {
			oldest.Remove(t)
		}
		e.remove(oldest)
	}
}

// Domains returns all domains.
func (e *Exporter) Domains() iter.Seq2[DomainKey, *Domain] { return maps.All(e.domains) }

// Unlock ends what Lock has begun.
func (e *Exporter) Unlock() { e.mu.Unlock() }

func (d *Domain) empty() bool {
	return len(d.templates) == 0 && len(d.waiting) == 0 && len(d.held) == 0
}

// remove drops a domain without templates.
func (e *Exporter) remove(d *Domain) {
	delete(e.domains, d.key)
	e.Release(domainSize + d.drops.Size())
	d.Rates.Clear()
	if e.last == d {
		e.last = nil
	}
}

// Receive notes that a datagram has come for a domain, which it finds or adds; nil if there is no room for that.
func (e *Exporter) Receive(key DomainKey, now time.Time) *Domain {
	e.Seen = now
	e.protocols[key.Protocol] = true
	e.datagrams++
	return e.domain(key, now)
}

// Follow processes the sequence number of a datagram.
func (d *Domain) Follow(port uint16, m *message.Header, has sequence.Count) sequence.Step {
	x := d.sequences.Follow(port, d.Seen, sequence.Number{Protocol: m.Protocol, Value: m.Sequence, Uptime: m.Uptime, Export: m.Export.Unix()}, has)
	d.Exporter.Totals.Add(x)
	return x
}

// Dropped returns how many more samples an agent of sFlow has dropped, by what it reports in a datagram.
func (d *Domain) Dropped(x sequence.Step, reports []sflow.Drops) int {
	if x.Restarted {
		d.drops.Restart()
	}
	if x.Late {
		return 0
	}
	return d.drops.See(reports, d.Exporter.Reserve)
}

// Proves notes when the first flow of an exporter came.
func (e *Exporter) Proves(now time.Time) {
	if e.proof.IsZero() {
		e.proof, e.settles = now, now.Add(tenure).UnixNano()
	}
}

// SetStart notes when an exporter of NetFlow v9 was started.
func (d *Domain) SetStart(start time.Time) { d.started = start.UnixMilli() }

// SetBoot notes when an exporter of IPFIX was started.
func (d *Domain) SetBoot(boot time.Time) { d.Boot, d.bootLent = boot, false }

// Clock is the reference of the records' relative times.
func (d *Domain) Clock(m *message.Header) template.Clock {
	boot := m.Boot
	if m.Protocol == flow.IPFIX {
		boot = d.Boot
	}
	if m.Jumped != 0 && !boot.IsZero() {
		boot = boot.Add(m.Jumped)
	}
	return template.Clock{Boot: boot, Export: m.Export.Add(m.Jumped)}
}

// ClockOf is the clock of records that may say themselves when their exporter was started.
func (d *Domain) ClockOf(m *message.Header, s *templates.Attributes) template.Clock {
	c := d.Clock(m)
	if boot, ok := BootOf(s.Boot); ok {
		c.Boot = boot.Add(m.Jumped)
	} else if c.Boot.IsZero() && s.Relative {
		c.Boot = c.Export.Add(-time.Duration(s.Uptime) * time.Millisecond)
	}
	return c
}

// BootOf is when an exporter was started, if it says so; zero means unknown.
func BootOf(millis uint64) (time.Time, bool) {
	return time.UnixMilli(int64(millis)), millis > 0 && millis <= math.MaxInt64/1000
}

// abandon drops what waits. It counts that under a reason.
func (e *Exporter) abandon(r count.Reason) {
	for _, d := range e.domains {
		for id, list := range d.waiting {
			d.drop(r, len(list), id)
		}
		d.drop(r, len(d.held), 0)
		d.waiting, d.held = nil, nil
	}
	e.store.held.Add(-int64(e.held))
	e.held = 0
	e.unkeep(e.waiting)
}

// forget drops everything that is kept of an exporter, which is no longer in the store.
func (e *Exporter) forget() {
	e.store.templates.Add(-int64(e.templates))
	e.Release(e.bytes)
	e.gone, e.domains, e.last, e.templates = true, nil, nil, 0
}
