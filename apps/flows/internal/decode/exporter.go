package decode

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/sequence"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// exporter is a transport session: an address and a port.
type exporter struct {
	store *Store
	from  netip.AddrPort

	mu          sync.Mutex // of all that follows, up to address
	gone        bool       // no longer in the store
	owner       *Decoder   // that decoded its last datagram: others leave what waits to it, so that flows stay in order
	domains     map[domainKey]*domain
	former      map[formerKey]former // templates that are gone
	last        *domain              // the last one that was looked up
	bytes       int                  // of Store.memory
	templates   int
	learnt      int       // templates in the second
	second      int64     // since 1970
	waiting     int       // bytes
	held        int       // of them those of records without sampling rate
	proof       time.Time // when its first flow was decoded, except of sFlow
	settles     int64     // a while later, in nanoseconds since 1970
	protocols   [flow.Protocols]bool
	first, seen time.Time
	datagrams   uint64
	flows       uint64
	totals      sequence.Totals

	rates     sampling.Exporter
	losses    count.Losses
	unsampled uint64 // flows without a rate

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

type domainKey struct {
	protocol flow.Protocol
	id       uint32
	agent    netip.Addr // of sFlow
}

// domain is an observation domain (IPFIX), a source (NetFlow v9), an engine (v5) or a sub-agent (sFlow): the scope
// of templates and sequence numbers.
type domain struct {
	exporter  *exporter
	key       domainKey
	seen      time.Time
	templates map[uint16]*inputTemplate
	waiting   map[uint16][]waitingSet
	rates     sampling.Domain
	held      []heldRecords
	holdUntil time.Time
	boot      time.Time // when it was started, for IPFIX
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
func (e *exporter) Reserve(n int) bool {
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
func (e *exporter) tooFast(now time.Time) bool {
	if second := now.Unix(); second != e.second {
		e.second, e.learnt = second, 0
	}
	e.learnt++
	return e.learnt > max(1, e.store.limits.TemplateRate/10)
}

func (e *exporter) Release(n int) {
	e.store.memory.Add(-int64(n))
	e.bytes -= n
}

// RateChanged notes that a sampling rate is new or has changed.
func (e *exporter) RateChanged() {
	e.store.changes.Add(1)
	e.address.changes.Add(1)
}

// domain finds or adds one; nil if there is no room.
func (e *exporter) domain(key domainKey, now time.Time) *domain {
	d := e.last
	if d == nil || d.key != key {
		if d = e.domains[key]; d == nil {
			if len(e.domains) >= e.store.limits.Domains {
				e.giveUpDomain()
			}
			if len(e.domains) >= e.store.limits.Domains || !e.Reserve(domainSize) {
				return nil
			}
			d = &domain{exporter: e, key: key, rates: e.rates.Domain()}
			e.domains[key] = d
		}
		e.last = d
	}
	d.seen = now
	return d
}

// giveUpDomain makes room for another domain, if there is one without flows and waiting sets: it drops the one that has
// been silent for longest, of those without templates if there are any.
func (e *exporter) giveUpDomain() {
	var oldest *domain
	for _, d := range e.domains {
		if d.flows || len(d.waiting) > 0 || len(d.held) > 0 {
			continue
		}
		if oldest == nil || d.empty() && !oldest.empty() || d.empty() == oldest.empty() && d.seen.Before(oldest.seen) {
			oldest = d
		}
	}
	if oldest != nil {
		for _, t := range oldest.templates {
			oldest.remove(t)
		}
		e.remove(oldest)
	}
}

func (d *domain) empty() bool {
	return len(d.templates) == 0 && len(d.waiting) == 0 && len(d.held) == 0
}

// remove drops a domain without templates.
func (e *exporter) remove(d *domain) {
	delete(e.domains, d.key)
	e.Release(domainSize + d.drops.Size())
	d.rates.Clear()
	if e.last == d {
		e.last = nil
	}
}

// follow processes the sequence number of a datagram.
func (e *exporter) follow(d *domain, port uint16, m *message.Header, has sequence.Count) sequence.Step {
	x := d.sequences.Follow(port, d.seen, sequence.Number{Protocol: m.Protocol, Value: m.Sequence, Uptime: m.Uptime, Export: m.Export.Unix()}, has)
	e.totals.Add(x)
	return x
}

// abandon drops what waits. It counts that under a reason.
func (e *exporter) abandon(r count.Reason) {
	for _, d := range e.domains {
		for id, list := range d.waiting {
			d.drop(r, len(list), id)
		}
		d.drop(r, len(d.held), 0)
		e.store.held.Add(-int64(len(d.held)))
		d.waiting, d.held = nil, nil
	}
	e.store.heldBytes.Add(-int64(e.held))
	e.held = 0
	e.unkeep(e.waiting)
}

// forget drops everything that is kept of an exporter, which is no longer in the store.
func (e *exporter) forget() {
	e.store.templates.Add(-int64(e.templates))
	e.Release(e.bytes)
	e.gone, e.domains, e.last, e.templates = true, nil, nil, 0
}
