package ops

import (
	"cmp"
	"context"
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// The limits of what the sampler costs and keeps.
const (
	sampleFlows = 1000 // flows of a chunk that it reads
	restFactor  = 19   // it pauses this many times as long as it has worked: it uses a twentieth of one core at most
	slotTime    = 5 * time.Second
	slots       = int(time.Minute / slotTime)
	slotKeys    = 1024
)

// sampler reads some of the flows that pass, for the page. Workers never wait for it: it ignores flows that come
// while it is busy.
type sampler struct {
	busy   atomic.Bool
	chunks chan flow.Chunk
	buffer []byte // belongs to whoever has set busy

	mu     sync.Mutex
	ring   [slots]slot
	trends trends
	now    func() time.Time
	cols   *columns
	total  seen   // since the start
	broken uint64 // flows that could not be read back: there should be none
}

// slot is what was seen in some seconds.
type slot struct {
	number int64 // number of the slot since 1970
	seen
	src, dst *heavy[netip.Addr]
}

func newSampler() *sampler {
	s := &sampler{chunks: make(chan flow.Chunk, 1), now: time.Now}
	for i := range s.ring {
		s.ring[i].src, s.ring[i].dst = newHeavy[netip.Addr](slotKeys), newHeavy[netip.Addr](slotKeys)
	}
	return s
}

// offer is called by workers.
func (s *sampler) offer(c flow.Chunk) {
	if !s.busy.CompareAndSwap(false, true) {
		return
	}
	s.buffer = append(s.buffer[:0], c.Bytes...)
	c.Bytes = s.buffer
	s.chunks <- c // it has room, because only the owner of busy sends
}

func (s *sampler) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-s.chunks:
			begin := time.Now()
			s.look(c)
			s.busy.Store(false)
			rest := time.NewTimer(restFactor * time.Since(begin))
			select {
			case <-rest.C:
			case <-ctx.Done():
				rest.Stop()
				return
			}
		}
	}
}

// look reads the first flows of a chunk.
func (s *sampler) look(c flow.Chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trends.advance(s.now())
	if s.cols == nil || s.cols.layout != c.Layout {
		s.cols = columnsOf(c.Layout)
		s.trends.use(c.Layout)
	}
	at, cols := s.slot(), s.cols
	for n, rest := 0, c.Bytes; n < sampleFlows && len(rest) > 0; n++ {
		size, used := binary.Uvarint(rest)
		if used <= 0 || size > uint64(len(rest)-used) {
			s.broken++
			return
		}
		body := rest[used:][:size]
		rest = rest[used+int(size):]
		if err := cols.row.UnmarshalAlias(body); err != nil {
			s.broken++
			continue
		}
		seenFlow, rate := seen{flows: 1}, float64(cols.row.Uint(cols.rate))
		if rate == 0 {
			seenFlow.unrated, rate = 1, 1
		}
		seenFlow.bytes, seenFlow.packets = rate*float64(cols.row.Uint(cols.bytes)), rate*float64(cols.row.Uint(cols.packets))
		at.add(seenFlow)
		s.total.add(seenFlow)
		if a := cols.row.IP(cols.src); a.IsValid() {
			at.src.add(a, seenFlow.bytes, seenFlow.packets)
		}
		if a := cols.row.IP(cols.dst); a.IsValid() {
			at.dst.add(a, seenFlow.bytes, seenFlow.packets)
		}
		s.trends.add(cols.row, seenFlow)
	}
}

// slot returns the current slot.
func (s *sampler) slot() *slot {
	number := s.now().UnixNano() / int64(slotTime)
	at := &s.ring[number%int64(slots)]
	if at.number != number {
		at.number, at.seen = number, seen{}
		at.src.reset()
		at.dst.reset()
	}
	return at
}

// seen is the sum of what was sampled.
type seen struct {
	flows          float64
	unrated        float64 // flows without a sampling rate, which count as they are
	bytes, packets float64 // on the wire: multiplied by the sampling rate
}

func (s *seen) add(more seen) {
	s.flows += more.flows
	s.unrated += more.unrated
	s.bytes += more.bytes
	s.packets += more.packets
}

func (s *sampler) since() seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// arrived counts flows that came in some seconds, sampled or not.
func (s *sampler) arrived(flows, seconds float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trends.advance(s.now())
	s.trends.arrived(flows, seconds)
}

// Talker is an address and what it has sent or received.
type Talker struct {
	Address netip.Addr `json:"address"`
	Bytes   float64    `json:"bytes"`   // on the wire, of the flows sampled; at least
	Packets float64    `json:"packets"` // likewise
	Share   float64    `json:"share"`   // of all bytes sampled
}

// minute sums up the slots that are entirely within the last minute.
func (s *sampler) minute(top int) (total seen, src, dst []Talker, missing []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sources, destinations := map[netip.Addr]*Talker{}, map[netip.Addr]*Talker{}
	oldest := s.now().UnixNano()/int64(slotTime) - int64(slots) + 1
	for i := range s.ring {
		at := &s.ring[i]
		if at.number < oldest {
			continue
		}
		total.add(at.seen)
		merge(sources, at.src)
		merge(destinations, at.dst)
	}
	if s.cols != nil {
		missing = s.cols.missing
	}
	return total, first(sources, top, total.bytes), first(destinations, top, total.bytes), missing
}

func merge(into map[netip.Addr]*Talker, h *heavy[netip.Addr]) {
	for key, w := range h.byKey {
		t := into[key]
		if t == nil {
			t = &Talker{Address: key}
			into[key] = t
		}
		t.Bytes += w.bytes - w.foreign
		t.Packets += w.packets
	}
}

// first returns the talkers with the most bytes.
func first(all map[netip.Addr]*Talker, top int, bytes float64) []Talker {
	list := make([]Talker, 0, len(all))
	for _, t := range all {
		if bytes > 0 {
			t.Share = t.Bytes / bytes
		}
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b Talker) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), a.Address.Compare(b.Address))
	})
	return list[:min(top, len(list))]
}
