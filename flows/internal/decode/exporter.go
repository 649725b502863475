package decode

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hotpb/hotpb/flows/internal/count"
	"github.com/hotpb/hotpb/flows/internal/flow"
)

// exporter is a transport session: an address and a port.
type exporter struct {
	store *Store
	from  netip.AddrPort

	mu          sync.Mutex // of all that follows
	gone        bool       // no longer in the store
	owner       *Decoder   // that decoded its last datagram: others leave what waits to it, so that flows stay in order
	domains     map[domainKey]*domain
	former      map[formerKey]former // templates that are gone
	last        *domain              // the last one that was looked up
	bytes       int                  // of Store.memory
	templates   int
	learnt      int   // templates in the second
	second      int64 // since 1970
	waiting     int   // bytes
	protocols   [flow.Protocols]bool
	first, seen time.Time
	datagrams   uint64
	flows       uint64
	lost        uint64 // without what has come late
	found       uint64 // that was lost, and has come late
	repeated    uint64
	restarts    uint64

	counts             rateCounts       // of all domains
	shared             map[part]*census // the domains' rates
	news, oldNews      uint64           // changes of rates; those that held records were looked through for
	fallback, override float64          // the operator's rates; 0 for none
	losses             count.Losses
	unsampled          uint64 // flows without a rate
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
	rates     map[part]*samplingRate
	counts    rateCounts
	held      []heldRecords
	holdUntil time.Time
	boot      time.Time            // when it was started, for IPFIX
	sequences map[uint16]*sequence // by port
	sequence  *sequence            // the last one, of port
	port      uint16
	drops     agentDrops
}

// Estimated sizes of an exporter and a domain, including entries of maps.
const (
	exporterSize = 1024
	domainSize   = 748

	mostSequences = 8 // ports of a domain whose sequence numbers are followed
)

// reserve notes that more bytes are kept, unless there is no room for them. Fewer bytes always fit.
func (e *exporter) reserve(n int) bool {
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

// tooFast reports whether templates change faster than they may.
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

// domain finds or adds one; nil if there is no room.
func (e *exporter) domain(key domainKey, now time.Time) *domain {
	d := e.last
	if d == nil || d.key != key {
		if d = e.domains[key]; d == nil {
			if len(e.domains) >= e.store.limits.Domains {
				e.giveUpDomain()
			}
			if len(e.domains) >= e.store.limits.Domains || !e.reserve(domainSize) {
				return nil
			}
			d = &domain{exporter: e, key: key}
			e.domains[key] = d
		}
		e.last = d
	}
	d.seen = now
	return d
}

// giveUpDomain makes room for another domain, if there is one without templates and waiting sets: it drops the one
// that has been silent for longest.
func (e *exporter) giveUpDomain() {
	var oldest *domain
	for _, d := range e.domains {
		if d.empty() && (oldest == nil || d.seen.Before(oldest.seen)) {
			oldest = d
		}
	}
	if oldest != nil {
		e.remove(oldest)
	}
}

func (d *domain) empty() bool {
	return len(d.templates) == 0 && len(d.waiting) == 0 && len(d.held) == 0
}

// remove drops an empty domain.
func (e *exporter) remove(d *domain) {
	delete(e.domains, d.key)
	e.release(domainSize + len(d.drops)*dropsSize)
	for p, r := range d.rates {
		d.removeRate(p, r)
	}
	if e.last == d {
		e.last = nil
	}
}

// follow processes the sequence number of a datagram, and reports whether it came late or after a restart.
func (e *exporter) follow(d *domain, port uint16, m *message, has sequenceCount) (late, restarted bool) {
	if d.sequence == nil || d.port != port {
		s := d.sequences[port]
		if s == nil {
			if len(d.sequences) >= mostSequences {
				d.forgetSequence()
			}
			if d.sequences == nil {
				d.sequences = map[uint16]*sequence{}
			}
			s = &sequence{}
			d.sequences[port] = s
		}
		d.sequence, d.port = s, port
	}
	d.sequence.seen = d.seen
	x := d.sequence.see(m, has)
	e.lost += x.lost - x.found
	e.found += x.found
	if x.repeated {
		e.repeated++
	}
	if x.restarted {
		e.restarts++
	}
	return d.sequence.last != m.sequence, x.restarted
}

// forgetSequence makes room for the sequence of another port: it drops that of the port that has been silent for longest.
func (d *domain) forgetSequence() {
	var oldest uint16
	var since time.Time
	for port, s := range d.sequences {
		if since.IsZero() || s.seen.Before(since) {
			oldest, since = port, s.seen
		}
	}
	delete(d.sequences, oldest)
}

// idle reports whether dropping the exporter would lose nothing: it has sent no flow and no template, or it is an
// sFlow agent.
func (e *exporter) idle() bool {
	p := &e.protocols
	return e.templates == 0 && (e.flows == 0 || !p[flow.NetFlow5] && !p[flow.NetFlow9] && !p[flow.IPFIX])
}

// forget drops everything that is kept of an exporter, which is no longer in the store.
func (e *exporter) forget() {
	for _, d := range e.domains {
		for id, list := range d.waiting {
			d.drop(count.WaitingExpired, len(list), id)
		}
		d.drop(count.WaitingExpired, len(d.held), 0)
		e.store.held.Add(-int64(len(d.held)))
	}
	e.store.waiting.Add(-int64(e.waiting))
	e.store.templates.Add(-int64(e.templates))
	e.release(e.bytes)
	e.gone, e.domains, e.last, e.templates, e.waiting = true, nil, nil, 0, 0
}
