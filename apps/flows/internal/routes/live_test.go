package routes

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
)

func announcement(length int, prefixes ...string) *Announcement {
	a := &Announcement{}
	for _, p := range prefixes {
		a.To = append(a.To, Destination{Prefix: netip.MustParsePrefix(p)})
	}
	for i := range length {
		a.path = append(a.path, uint32(64496+i))
	}
	a.length = length
	if length > 0 {
		a.origin = a.path[length-1]
	}
	return a
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pathOf is the path of an address, "" without a route.
func pathOf(l *Live, r *Router, address string) (path string, same bool) {
	a := netip.MustParseAddr(address)
	block, _ := a.Prefix(map[bool]int{true: 24, false: 48}[a.Is4()])
	route, same := l.Find(r, a, block)
	if route == nil {
		return "none", same
	}
	return route.Text(ASPath), same
}

// An exporter's flows have the routes of its router, those of the others the shortest path over all. A router's own choice
// comes before what its peers have sent.
func TestTheRouteOfAFlowIsThatOfItsRouter(t *testing.T) {
	l := NewLive(LiveLimits)
	first, two := l.NewRouter(netip.MustParseAddr("192.0.2.1")), l.NewRouter(netip.MustParseAddr("192.0.2.2"))
	a, b := &Peer{}, &Peer{}
	check(t, first.Announce(a, PrePolicy, announcement(3, "198.51.100.0/24", "2001:db8::/32")))
	check(t, first.Announce(b, PrePolicy, announcement(2, "198.51.100.0/25")))
	check(t, two.Announce(a, PostPolicy, announcement(4, "198.51.100.0/24", "0.0.0.0/0")))
	if path, _ := pathOf(l, nil, "198.51.100.1"); path != "none" || l.Router(first.address) != nil {
		t.Errorf("a table that is not in use has %s", path)
	}
	l.Use(first)
	l.Use(two)
	for _, c := range []struct {
		router  *Router
		address string
		path    string
		same    bool
	}{
		{first, "198.51.100.1", "64496 64497", false}, {first, "198.51.100.200", "64496 64497 64498", false}, {first, "203.0.113.1", "none", true},
		{two, "198.51.100.1", "64496 64497 64498 64499", true}, {two, "203.0.113.1", "64496 64497 64498 64499", true},
		{nil, "198.51.100.1", "64496 64497", false}, {nil, "198.51.100.200", "64496 64497 64498", false}, {nil, "203.0.113.1", "64496 64497 64498 64499", true},
		{nil, "2001:db8::1", "64496 64497 64498", true}, {two, "2001:db8::1", "none", true},
	} {
		if path, same := pathOf(l, c.router, c.address); path != c.path || same != c.same {
			t.Errorf("%s, router %d: %s, %v", c.address, c.router.Number(), path, same)
		}
	}

	rib := &Peer{}
	check(t, first.Announce(rib, LocRIB, announcement(5, "198.51.0.0/16")))
	if path, _ := pathOf(l, first, "198.51.100.1"); path != "64496 64497 64498 64499 64500" {
		t.Errorf("beside the Loc-RIB, %s", path)
	}
	check(t, first.Down(rib))
	check(t, first.Down(b))
	if path, _ := pathOf(l, first, "198.51.100.1"); path != "64496 64497 64498" {
		t.Errorf("after the end of two peers, %s", path)
	}
	check(t, first.Withdraw(a, PrePolicy, announcement(0, "198.51.100.0/24", "192.0.2.0/24").To))
	if path, _ := pathOf(l, first, "198.51.100.1"); path != "none" {
		t.Errorf("withdrawn, %s", path)
	}
	l.Remove(first)
	l.Remove(two)
	if routes, bytes := l.Size(); routes != 0 || bytes != 0 {
		t.Errorf("%d routes and %d bytes are left", routes, bytes)
	}
	if path, _ := pathOf(l, first, "2001:db8::1"); path != "none" {
		t.Errorf("a removed table has %s", path)
	}
	if err := first.Announce(a, PrePolicy, announcement(1, "10.0.0.0/8")); !errors.Is(err, ErrClosed) {
		t.Errorf("a removed table takes routes: %v", err)
	}
}

// model is a table without structure.
type model map[modelKey]int

type modelKey struct {
	peer int
	view View
	to   Destination
}

func (m model) find(view View, a netip.Addr) (length int) {
	bits, length := -1, -1
	for k, n := range m {
		if k.view != view || !k.to.Prefix.Contains(a) {
			continue
		}
		if b := k.to.Prefix.Bits(); b > bits || b == bits && n < length {
			bits, length = b, n
		}
	}
	return length
}

// Whatever comes in whatever order, a table finds what a list of all routes has; an answer whose version is still that of
// the address is still right; the counts are those of the routes, and nothing is left at the end.
func TestATableIsWhatHasBeenAnnouncedAndNotWithdrawn(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		l := NewLive(LiveLimits)
		r := l.NewRouter(netip.MustParseAddr("192.0.2.1"))
		l.Use(r)
		peers := []*Peer{{}, {}, {}}
		m := model{}
		prefix := func() netip.Prefix {
			if random.IntN(3) == 0 {
				bits := random.IntN(65)
				return netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 1, 0xd, byte(random.IntN(2)), 0, byte(random.IntN(2)), 0, byte(random.IntN(2))}), bits).Masked()
			}
			return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(random.IntN(3)), byte(random.IntN(2)), byte(random.IntN(256))}), random.IntN(33)).Masked()
		}
		addresses := []netip.Addr{netip.MustParseAddr("2001:d00::1"), netip.MustParseAddr("2001:d01:1:1::1")}
		for i := range 40 {
			addresses = append(addresses, netip.AddrFrom4([4]byte{10, byte(i % 3), byte(i / 3 % 2), byte(random.IntN(256))}))
		}
		type known struct {
			version uint64
			length  int
		}
		answers := map[netip.Addr]known{}
		for range 250 {
			n, view := random.IntN(3), PrePolicy
			p := peers[n]
			var list []Destination
			for range 1 + random.IntN(5) {
				list = append(list, Destination{prefix(), uint32(random.IntN(2))})
			}
			switch random.IntN(20) {
			case 0:
				check(t, r.Down(p))
				for k := range m {
					if k.peer == n {
						delete(m, k)
					}
				}
			case 1, 2, 3, 4, 5, 6, 7:
				check(t, r.Withdraw(p, view, list))
				for _, d := range list {
					delete(m, modelKey{n, view, d})
				}
			default:
				a := announcement(random.IntN(4))
				a.To = list
				check(t, r.Announce(p, view, a))
				for _, d := range list {
					m[modelKey{n, view, d}] = a.length
				}
			}
			if routes, _ := l.Size(); int(routes) != len(m) || r.Size() != routes {
				t.Fatalf("%d routes, of %d", routes, len(m))
			}
			for _, a := range addresses {
				want := m.find(PrePolicy, a)
				if k, ok := answers[a]; ok && k.version == l.Version(a) && k.length != want {
					t.Fatalf("%v: an answer that counts is %d, and %d is right", a, k.length, want)
				}
				version := l.Version(a)
				got := -1
				if route, _ := l.Find(r, a, netip.PrefixFrom(a, a.BitLen())); route != nil {
					got = route.length
				}
				if got != want {
					t.Fatalf("%v: %d instead of %d", a, got, want)
				}
				answers[a] = known{version, got}
			}
		}
		for _, p := range peers {
			check(t, r.Down(p))
		}
		if routes, bytes := l.Size(); routes != 0 || bytes != 0 || len(r.known) != 0 {
			t.Fatalf("%d routes, %d bytes and %d attributes are left", routes, bytes, len(r.known))
		}
	}
}

// A change concerns the addresses near it, and no others.
func TestAChangeLeavesTheAnswersOfOtherAddresses(t *testing.T) {
	for _, c := range []struct {
		prefix        string
		changed, same []string
	}{
		{"198.51.100.128/25", []string{"198.51.100.1", "198.51.7.7"}, []string{"198.52.0.1", "2001:db8::1", "10.0.0.1"}},
		{"198.50.0.0/15", []string{"198.50.0.1", "198.51.7.7"}, []string{"198.52.0.1", "198.49.255.255"}},
		{"0.0.0.0/0", []string{"198.51.100.1", "10.0.0.1"}, nil},
		{"::/0", []string{"2001:db8::1", "fe80::1"}, nil},
		{"2001:db8:7::/48", []string{"2001:db8::1"}, []string{"2001:db9::1", "198.51.100.1"}},
		{"2001:db8::/29", []string{"2001:db8::1", "2001:dbf::1"}, []string{"2001:dc0::1", "2001:db7::1"}},
	} {
		l := NewLive(LiveLimits)
		r := l.NewRouter(netip.MustParseAddr("192.0.2.1"))
		p := &Peer{}
		check(t, r.Announce(p, PrePolicy, announcement(1, "192.0.2.0/24"))) // the first changes all
		l.Use(r)
		before := map[string]uint64{}
		for _, a := range append(slices.Clone(c.changed), c.same...) {
			before[a] = l.Version(netip.MustParseAddr(a))
		}
		check(t, r.Announce(p, PrePolicy, announcement(1, c.prefix)))
		for _, a := range c.changed {
			if l.Version(netip.MustParseAddr(a)) == before[a] {
				t.Errorf("%s does not concern %s", c.prefix, a)
			}
		}
		for _, a := range c.same {
			if l.Version(netip.MustParseAddr(a)) != before[a] {
				t.Errorf("%s concerns %s", c.prefix, a)
			}
		}
	}
}

// Each bound ends a table, and what it had is given back.
func TestATableHasBounds(t *testing.T) {
	for name, limits := range map[string]Limits{
		"routes of a router": {1000, 1 << 30, 100, 1 << 30}, "bytes of a router": {1000, 1 << 30, 1000, 20_000},
		"routes": {100, 1 << 30, 1000, 1 << 30}, "bytes": {1000, 20_000, 1000, 1 << 30},
	} {
		l := NewLive(limits)
		second := l.NewRouter(netip.MustParseAddr("192.0.2.2"))
		check(t, second.Announce(&Peer{}, PrePolicy, announcement(1, "10.0.0.0/8")))
		r := l.NewRouter(netip.MustParseAddr("192.0.2.1"))
		l.Use(r)
		var err error
		n := 0
		for ; n < 300 && err == nil; n++ {
			err = r.Announce(&Peer{}, PrePolicy, announcement(n, fmt.Sprintf("10.1.%d.0/24", n%256)))
		}
		if !errors.Is(err, ErrFull) || !strings.HasSuffix(err.Error(), " "+name) || n < 10 || n > 102 {
			t.Errorf("%s: after %d routes, %v", name, n, err)
		}
		l.Remove(r)
		if routes, _ := l.Size(); routes != 1 {
			t.Errorf("%s: %d routes are left", name, routes)
		}
	}
	l := NewLive(LiveLimits)
	r, p := l.NewRouter(netip.MustParseAddr("192.0.2.1")), &Peer{}
	a := announcement(1)
	for i := range uint32(maxCandidates + 10) {
		a.To = append(a.To, Destination{netip.MustParsePrefix("10.0.0.0/8"), i})
	}
	if err := r.Announce(p, PrePolicy, a); !errors.Is(err, ErrFull) {
		t.Errorf("paths to a prefix: %v", err)
	}
}

// Look-ups go on while tables change, come and go: the race detector looks on. None sees a route that never was.
func TestLookUpsWhileTablesChange(t *testing.T) {
	l := NewLive(LiveLimits)
	address := netip.MustParseAddr("192.0.2.1")
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				a := netip.AddrFrom4([4]byte{10, byte(rand.IntN(4)), byte(rand.IntN(256)), 1})
				block, _ := a.Prefix(24)
				l.Version(a)
				for _, router := range []*Router{nil, l.Router(address)} {
					if route, _ := l.Find(router, a, block); route != nil && route.Text(OriginAS) != fmt.Sprint(64495+route.length) {
						t.Errorf("%v has the origin %s", a, route.Text(OriginAS))
						return
					}
				}
			}
		})
	}
	for range 4 {
		r := l.NewRouter(address)
		l.Use(r)
		peers := []*Peer{{}, {}}
		for i := range 2000 {
			p := peers[i%2]
			a := announcement(1+i%5, fmt.Sprintf("10.%d.%d.0/24", i%4, i%256), fmt.Sprintf("10.%d.0.0/16", i%4))
			check(t, r.Announce(p, View(i%3), a))
			if i%7 == 0 {
				check(t, r.Withdraw(p, View(i%3), a.To))
			}
			if i%500 == 499 {
				check(t, r.Down(p))
			}
		}
	}
	close(done)
	all.Wait()
}

// updateOf writes an UPDATE with another implementation.
func updateOf(t testing.TB, withdrawn []string, announced []string, attributes ...bgp.PathAttributeInterface) []byte {
	t.Helper()
	list := func(prefixes []string) (all []bgp.PathNLRI) {
		for _, p := range prefixes {
			all = append(all, bgp.PathNLRI{NLRI: must(bgp.NewIPAddrPrefix(netip.MustParsePrefix(p)))})
		}
		return all
	}
	return must(bgp.NewBGPUpdateMessage(list(withdrawn), attributes, list(announced)).Body.Serialize())
}

func reach(t testing.TB, prefix string) bgp.PathAttributeInterface {
	t.Helper()
	n := must(bgp.NewIPAddrPrefix(netip.MustParsePrefix(prefix)))
	return must(bgp.NewPathAttributeMpReachNLRI(bgp.RF_IPv6_UC, []bgp.PathNLRI{{NLRI: n}}, netip.MustParseAddr("2001:db8::fe")))
}

func unreach(t testing.TB, prefix string) bgp.PathAttributeInterface {
	t.Helper()
	n := must(bgp.NewIPAddrPrefix(netip.MustParsePrefix(prefix)))
	return must(bgp.NewPathAttributeMpUnreachNLRI(bgp.RF_IPv6_UC, []bgp.PathNLRI{{NLRI: n}}))
}

func textOf(u *Update) string {
	var parts []string
	for _, d := range u.Withdrawn {
		parts = append(parts, "-"+d.Prefix.String())
	}
	for i := range u.Announced {
		for _, d := range u.Announced[i].To {
			var texts []string
			for f := range fields {
				texts = append(texts, u.Announced[i].text(f))
			}
			parts = append(parts, "+"+d.Prefix.String()+fmt.Sprintf("#%d ", d.Path)+strings.Join(texts, "|"))
		}
	}
	if u.End[IPv4] || u.End[IPv6] {
		parts = append(parts, fmt.Sprint(u.End))
	}
	return strings.Join(parts, "; ")
}

// The values of a message are those that the same attributes have in a dump.
func TestUpdatesHaveTheValuesOfDumps(t *testing.T) {
	hop := must(bgp.NewPathAttributeNextHop(netip.MustParseAddr("192.0.2.254")))
	long := bgp.NewPathAttributeAsPath([]bgp.AsPathParamInterface{bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, []uint32{64496, 4200000000}),
		bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SET, []uint32{64501, 64502})})
	communities := bgp.NewPathAttributeCommunities([]uint32{64496<<16 | 100})
	large := bgp.NewPathAttributeLargeCommunities([]*bgp.LargeCommunity{bgp.NewLargeCommunity(4200000000, 1, 2)})
	for _, c := range []struct {
		body []byte
		want string
	}{
		{updateOf(t, []string{"10.0.0.0/8"}, []string{"198.51.100.0/24", "0.0.0.0/0"}, path(64496, 64500), hop, communities, large),
			"-10.0.0.0/8; +198.51.100.0/24#0 64500|64496|65551|64496 64500|2|64496:100|4226809956|4200000000:1:2|192.0.2.254; " +
				"+0.0.0.0/0#0 64500|64496|65551|64496 64500|2|64496:100|4226809956|4200000000:1:2|192.0.2.254"},
		{updateOf(t, nil, []string{"198.51.100.0/24"}, long), "+198.51.100.0/24#0 |64496|65551|64496 4200000000 64501 64502|3||||"},
		{updateOf(t, nil, []string{"198.51.100.0/24"}, path()), "+198.51.100.0/24#0 ||65551||||||"},
		{updateOf(t, nil, nil, path(64496), reach(t, "2001:db8::/32")), "+2001:db8::/32#0 64496|64496|65551|64496|1||||2001:db8::fe"},
		{updateOf(t, nil, []string{"10.0.0.0/8"}, path(64496), hop, reach(t, "2001:db8::/32")),
			"+10.0.0.0/8#0 64496|64496|65551|64496|1||||192.0.2.254; +2001:db8::/32#0 64496|64496|65551|64496|1||||2001:db8::fe"},
		{updateOf(t, nil, nil, unreach(t, "2001:db8::/33")), "-2001:db8::/33"},
		{updateOf(t, nil, []string{"10.0.0.0/8"}, hop), "-10.0.0.0/8"}, // no path
		{updateOf(t, nil, nil), "[true false]"},
		{[]byte{0, 0, 0, 6, 0x80, 15, 3, 0, 2, 1}, "[false true]"},
		{[]byte{0, 0, 0, 7, 0x90, 15, 0, 3, 0, 2, 1}, "[false true]"},
		{[]byte{0, 0, 0, 6, 0x80, 15, 3, 0, 2, 128}, ""}, // of another family
	} {
		u := &Update{}
		for range 2 { // the second does not have what the first has left
			if err := u.Read(c.body, 65551, Encoding{}, everything); err != nil || textOf(u) != c.want {
				t.Errorf("%s (%v)\nwant %s", textOf(u), err, c.want)
			}
		}
	}
}

// A peer with short AS numbers has the long ones apart (RFC 6793).
func TestShortASNumbers(t *testing.T) {
	seq := func(list ...uint16) bgp.AsPathParamInterface {
		return bgp.NewAsPathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, list)
	}
	set := func(list ...uint16) bgp.AsPathParamInterface {
		return bgp.NewAsPathParam(bgp.BGP_ASPATH_ATTR_TYPE_SET, list)
	}
	long := func(list ...uint32) *bgp.As4PathParam { return bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, list) }
	for _, c := range []struct {
		short []bgp.AsPathParamInterface
		long  []*bgp.As4PathParam
		want  string
	}{
		{[]bgp.AsPathParamInterface{seq(64496, 64497)}, nil, "64496 64497"},
		{[]bgp.AsPathParamInterface{seq(64496, 23456, 64497)}, []*bgp.As4PathParam{long(4200000000, 64497)}, "64496 4200000000 64497"},
		{[]bgp.AsPathParamInterface{seq(23456)}, []*bgp.As4PathParam{long(4200000000)}, "4200000000"},
		{[]bgp.AsPathParamInterface{seq(23456)}, []*bgp.As4PathParam{long(64496, 4200000000)}, "23456"}, // longer: not to be used
		{[]bgp.AsPathParamInterface{seq(64496), set(64498, 64499), seq(23456)}, []*bgp.As4PathParam{long(4200000000)}, "64496 64498 64499 4200000000"},
		{[]bgp.AsPathParamInterface{seq(64496, 64497), seq(23456)}, []*bgp.As4PathParam{long(64497, 4200000000)}, "64496 64497 4200000000"},
		{[]bgp.AsPathParamInterface{bgp.NewAsPathParam(bgp.BGP_ASPATH_ATTR_TYPE_CONFED_SEQ, []uint16{65001}), seq(64496, 23456)},
			[]*bgp.As4PathParam{long(4200000000)}, "65001 64496 4200000000"},
	} {
		attributes := []bgp.PathAttributeInterface{bgp.NewPathAttributeAsPath(c.short)}
		if c.long != nil {
			attributes = append(attributes, bgp.NewPathAttributeAs4Path(c.long))
		}
		u := &Update{}
		if err := u.Read(updateOf(t, nil, []string{"10.0.0.0/8"}, attributes...), 1, Encoding{ShortAS: true}, everything); err != nil {
			t.Fatal(err)
		}
		if got := u.Announced[0].text(ASPath); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestPrefixesWithPaths(t *testing.T) {
	u := &Update{}
	body := []byte{0, 9, 0, 0, 0, 7, 24, 198, 51, 100, 0 /* cut off */}
	if err := u.Read(body, 1, Encoding{AddPath: [2]bool{true, false}}, everything); err == nil {
		t.Error("a prefix that is cut off is read")
	}
	body = []byte{0, 8, 0, 0, 0, 7, 24, 198, 51, 100, 0, 3, 0x40, 2, 0, 0, 0, 0, 9, 8, 10}
	if err := u.Read(body, 1, Encoding{AddPath: [2]bool{true, false}}, everything); err != nil || u.Withdrawn[0].Path != 7 || u.Announced[0].To[0] != (Destination{netip.MustParsePrefix("10.0.0.0/8"), 9}) {
		t.Errorf("%s, %v", textOf(u), err)
	}
}

// Whatever the bytes are, reading stays within them, and what is read can be kept and found.
func FuzzUpdate(f *testing.F) {
	hop := must(bgp.NewPathAttributeNextHop(netip.MustParseAddr("192.0.2.254")))
	f.Add(updateOf(f, []string{"10.0.0.0/8"}, []string{"198.51.100.0/24"}, path(64496, 64500), hop, reach(f, "2001:db8::/32")), false, false)
	f.Add([]byte{0, 0, 0, 6, 0x80, 15, 3, 0, 2, 1}, true, true)
	f.Add(updateOf(f, nil, []string{"10.0.0.0/8"}, bgp.NewPathAttributeAsPath([]bgp.AsPathParamInterface{bgp.NewAsPathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, []uint16{64496, 23456})}),
		bgp.NewPathAttributeAs4Path([]*bgp.As4PathParam{bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, []uint32{4200000000})})), true, false)
	f.Fuzz(func(t *testing.T, b []byte, short, paths bool) {
		u, second := &Update{}, &Update{}
		e := Encoding{ShortAS: short, AddPath: [2]bool{paths, paths}}
		if err := u.Read(b, 64496, e, everything); err != nil {
			return
		}
		want := textOf(u)
		if err := second.Read(b, 64496, e, everything); err != nil || textOf(second) != want {
			t.Fatalf("%s, then %s", want, textOf(second))
		}
		l := NewLive(LiveLimits)
		r, p := l.NewRouter(netip.MustParseAddr("192.0.2.1")), &Peer{}
		l.Use(r)
		check(t, r.Withdraw(p, PrePolicy, u.Withdrawn))
		for i := range u.Announced {
			check(t, r.Announce(p, PrePolicy, &u.Announced[i]))
		}
		for i := range u.Announced {
			for _, d := range u.Announced[i].To {
				a := d.Prefix.Addr()
				if route, _ := l.Find(r, a, netip.PrefixFrom(a, a.BitLen())); route == nil {
					t.Fatalf("no route to %v of %s", a, want)
				}
			}
		}
		check(t, r.Down(p))
		if n, bytes := l.Size(); n != 0 || bytes != 0 {
			t.Fatalf("%d routes, %d bytes are left", n, bytes)
		}
	})
}
