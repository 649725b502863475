package routes

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gaissmai/bart"
)

// Limits bound what all routers of a Live, and one of them, may keep.
type Limits struct {
	Routes, Bytes             int64
	RouterRoutes, RouterBytes int64
}

// LiveLimits are those of a collector.
var LiveLimits = Limits{Routes: 8 << 20, Bytes: 2 << 30, RouterRoutes: 4 << 20, RouterBytes: 1 << 30}

// routeSize is the estimated size of a route in the tables, in bytes, without its attributes.
const routeSize = 96

// Live is routing tables that change, one for each router. Any number of goroutines may look up routes.
type Live struct {
	limits        Limits
	routes, bytes atomic.Int64
	numbers       atomic.Uint64 // of attributes
	tables        atomic.Uint32 // numbers of tables

	mu    sync.Mutex // for changes of serving
	using atomic.Pointer[serving]
	marks marks
}

// serving is the tables in use. It does not change.
type serving struct {
	byAddress map[netip.Addr]*Router
	list      []*Router // by address
}

// NewLive creates one without routers.
func NewLive(l Limits) *Live {
	live := &Live{limits: l}
	live.using.Store(&serving{})
	return live
}

// Size is the number of routes, and their estimated size in bytes.
func (l *Live) Size() (routes, bytes int64) { return l.routes.Load(), l.bytes.Load() }

// Router is the table of a router. One goroutine may change it.
type Router struct {
	address netip.Addr
	number  uint32 // another one for each table
	live    *Live

	mu     sync.RWMutex
	views  [views]view
	closed bool

	known         map[string]*Route // by the encoding of the attributes; of the goroutine that changes the table
	key           []byte
	routes, bytes atomic.Int64
}

// View is which of a router's tables a route is of. Of those that have routes, the first is used.
type View uint8

// The views.
const (
	LocRIB     View = iota // the routes that the router uses (RFC 9069)
	PostPolicy             // those that peers have sent, after the router's policy
	PrePolicy              // and before it
	views
)

// view is one of these tables.
type view struct {
	table bart.Table[*candidate] // the best first
	peers int                    // that have sent routes
}

// candidate is a route to a prefix.
type candidate struct {
	*Route
	next *candidate
	peer *Peer
	path uint32
}

// Peer is a neighbour of a router.
type Peer struct {
	AS       uint32
	Encoding Encoding

	routes [views]int
	sent   [views]bool
}

// Route is the attributes of a route. Routes of a router with the same attributes share them.
type Route struct {
	number uint64 // of no other Route
	uses   int    // of the goroutine that changes the table
	size   int
	attributes
}

// Number identifies the route's values; they never change.
func (r *Route) Number() uint64 { return r.number }

// Text is a field, as text; "" if the route does not have it.
func (r *Route) Text(f Field) string { return r.attributes.text(f) }

// ErrFull is the reason for which a table takes no more routes.
var ErrFull = errors.New("there is no room for its routes")

// ErrClosed is the reason of a table that was removed, or that another one has replaced.
var ErrClosed = errors.New("the table is closed")

// NewRouter creates a table that no look-up uses before Use.
func (l *Live) NewRouter(a netip.Addr) *Router {
	return &Router{address: a.Unmap(), number: l.tables.Add(1), live: l, known: map[string]*Route{}}
}

// Use makes look-ups use a table, in place of the one that the router had.
func (l *Live) Use(r *Router) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.using.Load().byAddress[r.address]
	l.change(func(all map[netip.Addr]*Router) { all[r.address] = r })
	if before != nil {
		before.close()
	}
}

// Remove ends a table, whether look-ups use it or not.
func (l *Live) Remove(r *Router) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.using.Load().byAddress[r.address] == r {
		l.change(func(all map[netip.Addr]*Router) { delete(all, r.address) })
	}
	r.close()
}

// change makes look-ups use other tables.
func (l *Live) change(edit func(map[netip.Addr]*Router)) {
	all := maps.Clone(l.using.Load().byAddress)
	if all == nil {
		all = map[netip.Addr]*Router{}
	}
	edit(all)
	next := &serving{byAddress: all, list: slices.SortedFunc(maps.Values(all), func(a, b *Router) int { return a.address.Compare(b.address) })}
	l.using.Store(next)
	l.marks.all.Add(1)
}

// close drops all routes.
func (r *Router) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	r.views = [views]view{}
	r.live.routes.Add(-r.routes.Load())
	r.live.bytes.Add(-r.bytes.Load())
	r.routes.Store(0)
	r.bytes.Store(0)
}

// Size is the number of the table's routes, of all views.
func (r *Router) Size() int64 { return r.routes.Load() }

// Announce adds routes, or replaces them. ErrFull means that the table is no longer complete, and must be removed.
func (r *Router) Announce(p *Peer, v View, a *Announcement) error {
	if len(a.To) == 0 {
		return nil
	}
	for list := range slices.Chunk(a.To, changeAtOnce) {
		if err := r.announce(p, v, list, &a.attributes); err != nil {
			return err
		}
	}
	return nil
}

// changeAtOnce is how many prefixes change while look-ups wait.
const changeAtOnce = 64

func (r *Router) announce(p *Peer, v View, list []Destination, a *attributes) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	route := r.shared(a)
	defer r.release(route)
	w := &r.views[v]
	if !p.sent[v] {
		p.sent[v] = true
		w.peers++
		r.live.marks.all.Add(1) // another view may be in use now
	}
	for _, d := range list {
		route.uses++
		added, many := &candidate{route, nil, p, d.Path}, false
		w.table.Modify(d.Prefix, func(first *candidate, _ bool) (*candidate, bool) {
			first, before := first.without(p, d.Path)
			if before != nil {
				r.forget(p, v, before)
			}
			first, many = first.insert(added)
			return first, false
		})
		p.routes[v]++
		r.grow(1, routeSize)
		r.live.marks.change(d.Prefix)
		if many {
			return fmt.Errorf("%w: there are more than %d to %v", ErrFull, maxCandidates, d.Prefix)
		}
	}
	return r.room()
}

// room reports whether the bounds hold.
func (r *Router) room() error {
	l := &r.live.limits
	for _, bound := range []struct {
		have, limit int64
		name        string
	}{
		{r.routes.Load(), l.RouterRoutes, "routes of a router"}, {r.bytes.Load(), l.RouterBytes, "bytes of a router"},
		{r.live.routes.Load(), l.Routes, "routes"}, {r.live.bytes.Load(), l.Bytes, "bytes"},
	} {
		if bound.have > bound.limit {
			return fmt.Errorf("%w: there are more than %d %s", ErrFull, bound.limit, bound.name)
		}
	}
	return nil
}

// Withdraw removes routes.
func (r *Router) Withdraw(p *Peer, v View, list []Destination) error {
	for list := range slices.Chunk(list, changeAtOnce) {
		if err := r.withdraw(p, v, list); err != nil {
			return err
		}
	}
	return nil
}

func (r *Router) withdraw(p *Peer, v View, list []Destination) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	for _, d := range list {
		if _, ok := r.views[v].table.Get(d.Prefix); !ok {
			continue
		}
		r.views[v].table.Modify(d.Prefix, func(first *candidate, _ bool) (*candidate, bool) {
			first, before := first.without(p, d.Path)
			if before != nil {
				r.forget(p, v, before)
			}
			return first, first == nil
		})
		r.live.marks.change(d.Prefix)
	}
	return nil
}

// Down removes the routes of a peer.
func (r *Router) Down(p *Peer) error {
	for v := range views {
		for p.routes[v] > 0 {
			list := r.destinations(p, v)
			if len(list) == 0 {
				break
			}
			if err := r.Withdraw(p, v, list); err != nil {
				return err
			}
		}
		if p.sent[v] {
			r.mu.Lock()
			p.sent[v] = false
			r.views[v].peers--
			r.mu.Unlock()
			r.live.marks.all.Add(1)
		}
	}
	return nil
}

// removeAtOnce bounds the memory that it takes to remove the routes of a peer.
const removeAtOnce = 1 << 16

// destinations lists destinations of a peer. Only the goroutine that changes the table may call it.
func (r *Router) destinations(p *Peer, v View) (list []Destination) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for prefix, first := range r.views[v].table.All() {
		for c := first; c != nil; c = c.next {
			if c.peer == p {
				list = append(list, Destination{prefix, c.path})
			}
		}
		if len(list) >= removeAtOnce {
			break
		}
	}
	return list
}

// shared returns the route with some attributes, and holds it until release.
func (r *Router) shared(a *attributes) *Route {
	r.key = a.appendKey(r.key[:0])
	route := r.known[string(r.key)]
	if route == nil {
		route = &Route{number: r.live.numbers.Add(1), size: 2*len(r.key) + attributesSize, attributes: a.clone()}
		r.known[string(r.key)] = route
		r.grow(0, int64(route.size))
	}
	route.uses++
	return route
}

// release forgets attributes that no route has.
func (r *Router) release(route *Route) {
	if route.uses--; route.uses == 0 {
		r.key = route.appendKey(r.key[:0])
		delete(r.known, string(r.key))
		r.grow(0, -int64(route.size))
	}
}

// forget counts a route that was removed.
func (r *Router) forget(p *Peer, v View, route *Route) {
	p.routes[v]--
	r.release(route)
	r.grow(-1, -routeSize)
}

func (r *Router) grow(routes, bytes int64) {
	r.routes.Add(routes)
	r.bytes.Add(bytes)
	r.live.routes.Add(routes)
	r.live.bytes.Add(bytes)
}

// without removes a peer's route from a list. Look-ups wait meanwhile.
func (first *candidate) without(p *Peer, path uint32) (*candidate, *Route) {
	for at := &first; *at != nil; at = &(*at).next {
		if c := *at; c.peer == p && c.path == path {
			*at = c.next
			return first, c.Route
		}
	}
	return first, nil
}

// maxCandidates is how many routes to a prefix there may be: each is compared before one is added.
const maxCandidates = 2048

// insert adds a route to a list, after those that are as good. It reports whether there are too many.
func (first *candidate) insert(added *candidate) (list *candidate, many bool) {
	at, n := &first, 0
	for ; *at != nil && (*at).length <= added.length; n++ {
		at = &(*at).next
	}
	added.next = *at
	*at = added
	return first, n > maxCandidates
}

// Router returns the table of a router; nil if there is none in use.
func (l *Live) Router(a netip.Addr) *Router { return l.using.Load().byAddress[a] }

// Number identifies the table; 0 is that of none.
func (r *Router) Number() uint32 {
	if r == nil {
		return 0
	}
	return r.number
}

// Find finds the route of an address: in the table of a router, or, if that is nil, the one of the longest prefix in all
// tables, with the shortest path. It reports whether all addresses of a block have it.
func (l *Live) Find(router *Router, a netip.Addr, block netip.Prefix) (route *Route, same bool) {
	if router != nil {
		route, _, same = router.find(a, block)
		if !router.ended() {
			return route, same
		}
		if router = l.Router(router.address); router != nil { // another table has replaced it just now
			route, _, same = router.find(a, block)
			return route, same
		}
	}
	route = nil
	same, longest := true, -1
	for _, r := range l.using.Load().list {
		found, bits, alike := r.find(a, block)
		same = same && alike
		if found == nil {
			continue
		}
		if c := cmp.Compare(bits, longest); c > 0 || c == 0 && found.length < route.length {
			route, longest = found, bits
		}
	}
	return route, same
}

func (r *Router) ended() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.closed
}

func (r *Router) find(a netip.Addr, block netip.Prefix) (route *Route, bits int, same bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i := range r.views {
		w := &r.views[i]
		if w.peers == 0 {
			continue
		}
		prefix, first, ok := w.table.LookupPrefixLPM(netip.PrefixFrom(a, a.BitLen()))
		if ok {
			route, bits = first.Route, prefix.Bits()
		}
		for inside := range w.table.Subnets(block) {
			if inside.Bits() > block.Bits() {
				return route, bits, false
			}
		}
		break
	}
	return route, bits, true
}

// Version is another one after the routes of an address, or of others near it, have changed.
func (l *Live) Version(a netip.Addr) uint64 { return l.marks.version(a) }
