package session

import (
	"math/bits"
	"sync"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

// ranks orders exporters for eviction when there is no room. It is a segmented LRU: the ranks are its
// segments, each with a share of the room.
//
//	idle │ data that waits │ templates │ flows since recently │ flows for a minute or longer
//	  0  │       1/8       │    1/8    │         1/8          │             5/8
//
// The lowest rank that has more than its share is evicted, so that newcomers cannot push out settled exporters, and
// settled ones leave room to newcomers. Within a rank, the largest go first if memory is short,
// by powers of two, then those that have sent nothing since their last turn (CLOCK). Nothing is ever
// searched: each rank and size has a queue.
type ranks struct {
	limits *Limits

	mu      sync.Mutex // held last of all locks
	queues  [count.Ranks][sizes]queue
	waiting [count.Ranks][sizes]queue // of those that have data waiting for its template, by its size
	members [count.Ranks]int
	bytes   [count.Ranks]int
	turns   uint64
}

const (
	sizes = 16

	shares = 8           // parts of the room: one is for each of three ranks, and the rest is for settled exporters
	tenure = time.Minute // how long an exporter must have sent flows before it is settled
)

// modest are the powers of two of bytes below which the exporters of a rank are of one size: some templates that are not
// bound to the columns yet, and some that are.
var modest = [count.Ranks]int{count.Idle: 14, count.Unread: 14, count.Flowless: 14, count.Recent: 17, count.Settled: 17}

func sizeClass(rank count.Rank, bytes int) int {
	return min(bits.Len(uint(bytes)>>modest[rank]), sizes-1)
}

// queue is a ring of links; its zero value is empty.
type queue struct{ head link }

// link is the place of an exporter in a queue.
type link struct {
	exporter   *Exporter
	prev, next *link
	turn       uint64 // counts on with each link that is put in a queue
}

func (q *queue) push(l *link) {
	if q.head.next == nil {
		q.head.next, q.head.prev = &q.head, &q.head
	}
	l.prev, l.next = q.head.prev, &q.head
	l.prev.next, q.head.prev = l, l
}

func (q *queue) first() *link {
	if q.head.next == &q.head {
		return nil
	}
	return q.head.next
}

func (l *link) leave() {
	if l.next != nil {
		l.prev.next, l.next.prev = l.next, l.prev
		l.prev, l.next = nil, nil
	}
}

// rankOf is the rank that an exporter has earned.
func (e *Exporter) rankOf(now time.Time, flows int) count.Rank {
	switch {
	case e.proof.IsZero() && e.templates == 0 && e.waiting == 0:
		return count.Idle
	case e.proof.IsZero() && e.templates == 0:
		return count.Unread
	case e.proof.IsZero():
		return count.Flowless
	case flows > 0 && now.Sub(e.proof) >= tenure:
		return count.Settled
	default:
		return count.Recent
	}
}

func (e *Exporter) Rank() count.Rank { return count.Rank(e.ranked.Load()) }

// Place puts an exporter where it belongs after a datagram.
func (e *Exporter) Place(now time.Time, flows int) {
	rank := e.Rank()
	if rank < count.Recent || rank == count.Recent && flows > 0 && now.UnixNano() >= e.settles {
		rank = e.rankOf(now, flows)
	}
	if waiting := e.waiting - e.held; rank != e.Rank() || e.bytes != e.placed || waiting != e.placedWaiting {
		e.store.ranks.move(e, rank, e.bytes, waiting)
	}
}

// move changes the rank and size of an exporter. One that would be settled stays recent if there is no room for it.
func (r *ranks) move(e *Exporter, to count.Rank, bytes, waiting int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leave(e)
	if to == count.Settled && (r.members[to] >= r.limits.Exporters-3*r.limits.Exporters/shares ||
		e.address.settled >= r.limits.Sessions-3*r.limits.Sessions/shares) {
		to = count.Recent
	}
	e.placed, e.placedWaiting = bytes, waiting
	r.enter(e, to)
	for most := r.limits.Memory - 3*(r.limits.Memory/shares); to == count.Settled && r.bytes[to] > most; {
		x := r.largest(to, e)
		r.leave(x)
		r.enter(x, count.Recent)
	}
}

// largest is one of the largest exporters of a rank; e, if it is one of them.
func (r *ranks) largest(rank count.Rank, e *Exporter) *Exporter {
	for size := sizes - 1; size >= 0; size-- {
		if e.Rank() == rank && sizeClass(rank, e.placed) == size {
			return e
		}
		if l := r.queues[rank][size].first(); l != nil {
			return l.exporter
		}
	}
	return e
}

func (r *ranks) enter(e *Exporter, rank count.Rank) {
	e.ranked.Store(uint32(rank))
	r.members[rank]++
	r.bytes[rank] += e.placed
	if rank == count.Settled {
		e.address.settled++
	}
	e.active.Store(false)
	r.push(&r.queues[rank][sizeClass(rank, e.placed)], &e.stand)
	if e.placedWaiting > 0 {
		r.push(&r.waiting[rank][sizeClass(rank, e.placedWaiting)], &e.stock)
	}
}

func (r *ranks) leave(e *Exporter) {
	if e.stand.next == nil {
		return
	}
	rank := e.Rank()
	r.members[rank]--
	r.bytes[rank] -= e.placed
	if rank == count.Settled {
		e.address.settled--
	}
	e.stand.leave()
	e.stock.leave()
}

// drop takes an exporter out for good.
func (r *ranks) drop(e *Exporter) {
	r.mu.Lock()
	r.leave(e)
	r.mu.Unlock()
}

// mostTurns is how many exporters that have sent something since their last turn are skipped for one eviction.
const mostTurns = 16

// worst returns the exporter to evict first if a resource is short; nil if there is none.
func (r *ranks) worst(resource count.Resource) *Exporter {
	r.mu.Lock()
	defer r.mu.Unlock()
	rank := r.lowest(resource)
	if rank == count.Settled {
		return nil
	}
	for turn := 0; ; turn++ {
		q := r.turn(&r.queues[rank], resource)
		if e := q.first().exporter; turn == mostTurns || !e.active.Swap(false) {
			return e
		}
		r.push(q, q.first())
	}
}

// turn returns the queue whose first exporter has its turn.
func (r *ranks) turn(queues *[sizes]queue, resource count.Resource) (turn *queue) {
	for size := sizes - 1; size >= 0; size-- {
		q := &queues[size]
		l := q.first()
		switch {
		case l == nil:
		case resource == count.Memory:
			return q
		case turn == nil || l.turn < turn.first().turn:
			turn = q
		}
	}
	return turn
}

// push puts a link at the end of a queue.
func (r *ranks) push(q *queue, l *link) {
	l.leave()
	r.turns++
	l.turn = r.turns
	q.push(l)
}

// longest returns who has the most data waiting, of the lowest rank that has any; nil if nobody has.
func (r *ranks) longest() *Exporter {
	r.mu.Lock()
	defer r.mu.Unlock()
	for rank := range r.waiting {
		if q := r.turn(&r.waiting[rank], count.Memory); q != nil {
			return q.first().exporter
		}
	}
	return nil
}

// lowest is the rank to evict from.
func (r *ranks) lowest(resource count.Resource) count.Rank {
	if r.members[count.Idle] > 0 {
		return count.Idle
	}
	for _, rank := range [...]count.Rank{count.Unread, count.Flowless, count.Recent} {
		over := r.members[rank] > r.limits.Exporters/shares
		if resource == count.Memory {
			over = r.bytes[rank] > r.limits.Memory/shares
		}
		if over && r.members[rank] > 0 {
			return rank
		}
	}
	for _, rank := range [...]count.Rank{count.Unread, count.Flowless, count.Recent} {
		if r.members[rank] > 0 {
			return rank
		}
	}
	return count.Settled
}
