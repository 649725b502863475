package decode

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
	"github.com/hotpb/hotpb/examples/flows/internal/flow"
)

// exporter is a transport session: an address and a port.
type exporter struct {
	store *Store
	from  netip.AddrPort

	mu          sync.Mutex // of all that follows
	gone        bool       // no longer in the store
	domains     map[domainKey]*domain
	last        *domain // that was asked for
	bytes       int     // of Store.memory
	templates   int
	learnt      int   // templates in the second
	second      int64 // since 1970
	waiting     int   // bytes
	protocols   [flow.Protocols]bool
	first, seen time.Time
	datagrams   uint64
	flows       uint64
	lost        uint64
	restarts    uint64
}

type domainKey struct {
	protocol flow.Protocol
	id       uint32
}

// domain is an observation domain (IPFIX), a source (NetFlow v9) or an engine (v5): what templates and sequence numbers
// belong to.
type domain struct {
	exporter  *exporter
	key       domainKey
	templates map[uint16]*template
	waiting   map[uint16][]waitingSet
	rates     map[uint64]uint32 // by sampler
	boot      time.Time         // when it was started, of IPFIX
	sequence  sequence
}

// What is estimated for an exporter and a domain, entries of maps included.
const (
	exporterSize = 512
	domainSize   = 320
)

// reserve notes that more bytes are kept, unless there is no room for them; for less there is.
func (e *exporter) reserve(n int) bool {
	limits := &e.store.limits
	if full := e.store.memory.Add(int64(n)) > int64(limits.Memory); n > 0 && (full || e.bytes+n > limits.PerExporter) {
		e.store.memory.Add(-int64(n))
		return false
	}
	e.bytes += n
	return true
}

// tooFast tells whether templates change faster than they may.
func (e *exporter) tooFast(now time.Time) bool {
	if second := now.Unix(); second != e.second {
		e.second, e.learnt = second, 0
	}
	e.learnt++
	rate := e.store.limits.TemplateRate
	return e.learnt > max(1, rate/10) || e.store.learnt.Add(1) > int64(rate)
}

func (e *exporter) release(n int) {
	e.store.memory.Add(-int64(n))
	e.bytes -= n
}

// domain finds or adds one; nil when there is no room.
func (e *exporter) domain(p flow.Protocol, id uint32) *domain {
	key := domainKey{p, id}
	if e.last != nil && e.last.key == key {
		return e.last
	}
	d := e.domains[key]
	if d == nil {
		if len(e.domains) >= e.store.limits.Domains || !e.reserve(domainSize) {
			return nil
		}
		d = &domain{exporter: e, key: key}
		e.domains[key] = d
	}
	e.last = d
	return d
}

// forget gives up all that is kept of an exporter, which is no longer in the store.
func (e *exporter) forget() {
	sets := 0
	for _, d := range e.domains {
		for _, list := range d.waiting {
			sets += len(list)
		}
	}
	e.store.counts.Drop(count.WaitingExpired, sets)
	e.store.waiting.Add(-int64(e.waiting))
	e.store.templates.Add(-int64(e.templates))
	e.release(e.bytes)
	e.gone, e.domains, e.last, e.templates, e.waiting = true, nil, nil, 0, 0
}
