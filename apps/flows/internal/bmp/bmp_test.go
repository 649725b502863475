package bmp

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hotpb/hotpb/apps/flows/internal/routes"
)

// Messages as a router writes them.

func messageOf(k kind, parts ...[]byte) []byte {
	b := []byte{3, 0, 0, 0, 0, byte(k)}
	for _, p := range parts {
		b = append(b, p...)
	}
	binary.BigEndian.PutUint32(b[1:], uint32(len(b)))
	return b
}

func bgpOf(kind byte, body []byte) []byte {
	b := make([]byte, bgpHead, bgpHead+len(body))
	for i := range 16 {
		b[i] = 0xff
	}
	binary.BigEndian.PutUint16(b[16:], uint16(bgpHead+len(body)))
	b[18] = kind
	return append(b, body...)
}

// neighbour is a peer as a router writes it.
type neighbour struct {
	kind, flags   byte
	distinguisher uint64
	last          byte // of the address
	as            uint32
}

func (n neighbour) bytes() []byte {
	b := []byte{n.kind, n.flags}
	b = binary.BigEndian.AppendUint64(b, n.distinguisher)
	b = append(b, make([]byte, 12)...)
	b = append(b, 203, 0, 113, n.last)
	b = binary.BigEndian.AppendUint32(b, n.as)
	return append(b, make([]byte, 12)...)
}

func tlv(kind uint16, text string) []byte {
	b := binary.BigEndian.AppendUint16(nil, kind)
	b = binary.BigEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

func initiate() []byte { return messageOf(initiation, tlv(1, "a router"), tlv(2, "core1\x1b[31m")) }

// openOf is an OPEN whose capability says which families have paths with numbers.
func openOf(paths ...byte) []byte {
	capability := []byte{2, 0, 69, byte(len(paths))}
	capability = append(capability, paths...)
	capability[1] = byte(len(capability) - 2)
	return bgpOf(bgpOpen, append([]byte{4, 0xfb, 0xf0, 0, 90, 192, 0, 2, 1, byte(len(capability))}, capability...))
}

func upOf(n neighbour, opens ...[]byte) []byte {
	if len(opens) == 0 {
		opens = [][]byte{openOf(), openOf()}
	}
	return messageOf(peerUp, n.bytes(), make([]byte, addressSize), opens[0], opens[1])
}

func downOf(n neighbour) []byte { return messageOf(peerDown, n.bytes(), []byte{1, 0, 0}) }

// update is the body of an UPDATE with a path, of numbers of 4 bytes.
func update(withdrawn, announced []string, path ...uint32) []byte {
	list := func(prefixes []string) (b []byte) {
		for _, text := range prefixes {
			p := netip.MustParsePrefix(text)
			b = append(append(b, byte(p.Bits())), p.Addr().AsSlice()[:(p.Bits()+7)/8]...)
		}
		return b
	}
	gone := list(withdrawn)
	b := binary.BigEndian.AppendUint16(nil, uint16(len(gone)))
	b = append(b, gone...)
	var attributes []byte
	if len(announced) > 0 {
		attributes = []byte{0x40, 1, 1, 0, 0x40, 2, byte(2 + 4*len(path)), 2, byte(len(path))}
		for _, as := range path {
			attributes = binary.BigEndian.AppendUint32(attributes, as)
		}
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(attributes)))
	return append(append(b, attributes...), list(announced)...)
}

func monitor(n neighbour, body []byte) []byte {
	return messageOf(routeMonitoring, n.bytes(), bgpOf(bgpUpdate, body))
}

func announce(n neighbour, prefix string, path ...uint32) []byte {
	return monitor(n, update(nil, []string{prefix}, path...))
}

func withdraw(n neighbour, prefix string) []byte { return monitor(n, update([]string{prefix}, nil)) }

func endOf(n neighbour) []byte { return monitor(n, []byte{0, 0, 0, 0}) }

// station is a server under test.
type station struct {
	*Server
	t    testing.TB
	mu   sync.Mutex
	said []string // faults
	stop func()
}

var fields = routes.Fields(0).With(routes.ASPath).With(routes.PeerAS)

func start(t testing.TB, limits routes.Limits, change func(*Options)) *station {
	t.Helper()
	s := &station{Server: New(slog.New(slog.NewTextHandler(io.Discard, nil)), limits), t: t}
	o := Options{Listen: "127.0.0.1:0", From: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Fields: fields, Expire: time.Hour, Pause: 20 * time.Millisecond}
	if change != nil {
		change(&o)
	}
	if err := s.Configure(o, s.fail); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Run(ctx) }()
	s.stop = func() { cancel(); <-ended }
	t.Cleanup(s.stop)
	return s
}

func (s *station) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, err.Error())
}

func (s *station) faults() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.said, "\n")
}

// connect connects as a router at 127.0.0.last, and sends.
func (s *station) connect(last byte, messages ...[]byte) net.Conn {
	s.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, last)}}
	conn, err := d.Dial("tcp", s.Address().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	for _, m := range messages {
		if _, err := conn.Write(m); err != nil {
			break // the server may have ended the session
		}
	}
	return conn
}

// path is the one to an address in flows of the router 127.0.0.last, with the AS of the peer; "" for none.
func (s *station) path(last byte, address string) string {
	a := netip.MustParseAddr(address)
	route, _ := s.Find(s.Router(netip.AddrFrom4([4]byte{127, 0, 0, last})), a, netip.PrefixFrom(a, a.BitLen()))
	if route == nil {
		return ""
	}
	return route.Text(routes.ASPath) + " of " + route.Text(routes.PeerAS)
}

// until waits for a state.
func (s *station) until(condition string, is func() bool) {
	s.t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("in vain: %s; faults: %s", condition, s.faults())
		}
	}
}

func (s *station) untilPath(last byte, address, want string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%s is %q and becomes %q", address, s.path(last, address), want), func() bool { return s.path(last, address) == want })
}

// figure is a metric.
func (s *station) figure(name string, labels ...string) float64 {
	s.t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(s.Server)
	all, err := r.Gather()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, family := range all {
		for _, m := range family.Metric {
			if family.GetName() == "flows_bmp_"+name && (len(labels) == 0 || m.Label[0].GetValue() == labels[0]) {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	s.t.Fatalf("no metric %s %v", name, labels)
	return 0
}

var near = neighbour{last: 1, as: 64500}

// The life of a session: routes are used once they are complete, change, go with their peer, stay when the connection ends,
// are replaced when the router connects once more, and expire.
func TestTheLifeOfASession(t *testing.T) {
	s := start(t, routes.LiveLimits, func(o *Options) { o.Expire, o.Pause = time.Second, time.Second })
	distant := neighbour{last: 2, as: 64501}
	conn := s.connect(1, initiate(), upOf(near), upOf(distant), announce(near, "198.51.100.0/24", 64500, 64510), announce(near, "0.0.0.0/0", 64500), endOf(near))
	time.Sleep(4 * lookEvery)
	if path := s.path(1, "198.51.100.1"); path != "" || s.figure("routers", "loading") != 1 || s.figure("routes", "loading") != 2 {
		t.Errorf("before the second peer's routes are complete: %q", path)
	}
	conn.Write(announce(distant, "198.51.100.0/24", 64501))
	conn.Write(endOf(distant))
	s.untilPath(1, "198.51.100.1", "64501 of 64501")
	if s.figure("routers", "connected") != 1 || s.figure("routes", "connected") != 3 || s.figure("peers") != 2 || s.figure("memory_bytes") < 300 {
		t.Error("the metrics do not show it")
	}
	conn.Write(withdraw(distant, "198.51.100.0/24"))
	s.untilPath(1, "198.51.100.1", "64500 64510 of 64500")
	conn.Write(announce(distant, "198.51.100.128/25", 64501, 64502))
	s.untilPath(1, "198.51.100.200", "64501 64502 of 64501")
	conn.Write(downOf(distant))
	s.untilPath(1, "198.51.100.200", "64500 64510 of 64500")
	if path := s.path(9, "198.51.100.1"); path != "64500 64510 of 64500" {
		t.Errorf("another exporter has %q", path)
	}

	conn.Close()
	s.until("lost", func() bool { return s.figure("routers", "lost") == 1 && s.figure("routes", "lost") == 2 })
	if path := s.path(1, "198.51.100.1"); path == "" {
		t.Error("the routes have gone with the connection")
	}
	conn = s.connect(1, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500, 64520))
	if path := s.path(1, "198.51.100.1"); path != "64500 64510 of 64500" {
		t.Errorf("while the new routes come: %q", path)
	}
	conn.Write(endOf(near))
	s.untilPath(1, "198.51.100.1", "64500 64520 of 64500")
	if path := s.path(1, "203.0.113.1"); path != "" {
		t.Errorf("a route of the session before is left: %q", path)
	}
	conn.Write(messageOf(termination, tlv(1, "")))
	s.until("expired", func() bool { return s.figure("ended_total", "termination") == 1 && s.figure("routers", "lost") == 0 })
	if path := s.path(1, "198.51.100.1"); path != "" || s.figure("memory_bytes") != 0 {
		t.Errorf("after they have expired: %q", path)
	}
	if s.faults() != "" {
		t.Error(s.faults())
	}
}

// A router without marks of the end has its routes used after a pause.
func TestRoutesWithoutAnEndAreUsedAfterAPause(t *testing.T) {
	s := start(t, routes.LiveLimits, nil)
	s.connect(1, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500))
	s.untilPath(1, "198.51.100.1", "64500 of 64500")
}

// Each router has its routes, and messages that have no routes for the global table change nothing.
func TestRoutersAndViews(t *testing.T) {
	s := start(t, routes.LiveLimits, nil)
	rib := neighbour{kind: locRIB, as: 64496}
	post, out, vrf := near, near, neighbour{kind: 1, distinguisher: 7, last: 3}
	post.flags, out.flags = postPolicy, adjRIBOut
	six := neighbour{flags: isIPv6, last: 6, as: 64506}
	vpn := []byte{0, 0, 0, 13, 0x40, 2, 0, 0x80, 14, 7, 0, 1, 128, 0, 0, 8, 10}
	s.connect(1, initiate(), upOf(near), upOf(vrf), upOf(six), announce(near, "198.51.100.0/24", 64500, 1), announce(post, "198.51.100.0/24", 64500, 2, 3), announce(out, "198.51.100.0/24", 4),
		announce(vrf, "198.51.100.0/24", 5), announce(neighbour{last: 77}, "198.51.100.0/24", 6), monitor(near, vpn), monitor(near, []byte{0, 0, 0, 0, 8, 10}),
		messageOf(statistics, near.bytes(), make([]byte, 100)), messageOf(mirroring, make([]byte, 70_000)), messageOf(kinds+40, make([]byte, 9)),
		announce(six, "203.0.113.0/24", 64506), endOf(near), endOf(six))
	s.connect(2, initiate(), upOf(rib), announce(rib, "198.51.100.0/24", 64500, 9), endOf(rib))
	s.untilPath(1, "198.51.100.1", "64500 2 3 of 64500") // after the policy
	s.untilPath(2, "198.51.100.1", "64500 9 of ")
	s.untilPath(3, "198.51.100.1", "64500 9 of ")
	s.connect(4, initiate(), announce(rib, "198.51.100.0/24", 64500, 8, 7), endOf(rib)) // without a Peer Up
	s.untilPath(4, "198.51.100.1", "64500 8 7 of ")
	for reason, want := range map[string]float64{"vrf": 1, "adj_rib_out": 1, "family": 1, "unknown_peer": 1, "no_as_path": 1} {
		if got := s.figure("skipped_total", reason); got != want {
			t.Errorf("%s: %v instead of %v", reason, got, want)
		}
	}
	for k, want := range map[string]float64{"statistics": 1, "mirroring": 1, "other": 1, "peer_up": 4, "initiation": 3} {
		if got := s.figure("messages_total", k); got != want {
			t.Errorf("%s: %v instead of %v", k, got, want)
		}
	}
	if s.faults() != "" {
		t.Error(s.faults())
	}
}

// A peer that comes up once more has no routes yet; but it may come up for each of the router's views.
func TestAPeerThatComesUpTwice(t *testing.T) {
	s := start(t, routes.LiveLimits, nil)
	post := near
	post.flags = postPolicy
	conn := s.connect(1, initiate(), upOf(post), announce(post, "198.51.100.0/24", 64500), upOf(near), announce(near, "198.51.100.0/24", 64500, 1), announce(near, "203.0.113.0/24", 64500), endOf(post))
	s.untilPath(1, "198.51.100.1", "64500 of 64500")
	if path := s.path(1, "203.0.113.1"); path != "" || s.figure("peers") != 1 {
		t.Errorf("before the policy: %q", path)
	}
	conn.Write(upOf(post))
	s.untilPath(1, "198.51.100.1", "")
	conn.Write(announce(near, "198.51.100.0/24", 64500, 2))
	s.untilPath(1, "198.51.100.1", "64500 2 of 64500")
	conn.Write(downOf(post))
	s.untilPath(1, "198.51.100.1", "")
}

// Where router and peer have agreed on it, prefixes have numbers of paths, and AS numbers 2 bytes.
func TestPathsAndShortNumbers(t *testing.T) {
	s := start(t, routes.LiveLimits, nil)
	receive, send := []byte{0, 1, 1, 1}, []byte{0, 1, 1, 2}
	paths, plain := neighbour{last: 1, as: 64500}, neighbour{last: 2, flags: shortAS, as: 64501}
	number := func(n byte, withdrawn bool, path ...uint32) []byte {
		prefix := []byte{0, 0, 0, n, 24, 198, 51, 100}
		if withdrawn {
			return monitor(paths, append(append([]byte{0, 8}, prefix...), 0, 0))
		}
		return monitor(paths, append(update(nil, []string{"10.0.0.0/8"}, path...)[:4+9+4*len(path)], prefix...))
	}
	short := []byte{0, 0, 0, 9, 0x40, 2, 6, 2, 2, 0xfb, 0xf5, 0xfb, 0xf6, 24, 203, 0, 113}
	conn := s.connect(1, initiate(), upOf(paths, openOf(receive...), openOf(send...)), upOf(plain, openOf(send...), openOf(send...)),
		number(1, false, 64500, 1, 2), number(2, false, 64500, 3), monitor(plain, short), endOf(paths), endOf(plain))
	s.untilPath(1, "198.51.100.1", "64500 3 of 64500")
	if path := s.path(1, "203.0.113.1"); path != "64501 64502 of 64501" {
		t.Errorf("short numbers: %q", path)
	}
	conn.Write(number(2, true))
	s.untilPath(1, "198.51.100.1", "64500 1 2 of 64500")
	conn.Write(number(1, true))
	s.untilPath(1, "198.51.100.1", "")
}

// What cannot be read ends the session, and is counted with its place. The routes that were complete stay.
func TestMalformedMessagesEndTheSession(t *testing.T) {
	cut := func(b []byte, n int) []byte { return messageOf(kind(b[5]), b[headSize:len(b)-n]) }
	long := initiate()
	long[1] = 1
	for name, c := range map[string]struct {
		messages [][]byte
		want     string
	}{
		"HTTP":           {[][]byte{[]byte("GET / HTTP/1.1\r\n")}, "message 1, at byte 0, type 32: its version is 71, not 3"},
		"version":        {[][]byte{initiate(), {1, 0, 0, 0, 6, 0}}, "message 2, at byte 32, route_monitoring: its version is 1, not 3"},
		"order":          {[][]byte{upOf(near)}, "message 1, at byte 0, peer_up: it is no initiation"},
		"length":         {[][]byte{long}, "message 1, at byte 0, initiation: its length is 16777248 bytes"},
		"short":          {[][]byte{{3, 0, 0, 0, 5, 4}}, "its length is 5 bytes"},
		"peer":           {[][]byte{initiate(), messageOf(peerDown, make([]byte, 41))}, "peer_down: the peer is cut off"},
		"open":           {[][]byte{initiate(), cut(upOf(near), 3)}, "peer_up: peer 203.0.113.1: the OPEN that was received: the BGP message has 33 bytes, and 30 are there"},
		"capability":     {[][]byte{initiate(), upOf(near, openOf(), bgpOf(bgpOpen, []byte{4, 0, 1, 0, 90, 1, 1, 1, 1, 4, 2, 2, 69, 9}))}, "a capability: it has 9 bytes, and 0 are there"},
		"down":           {[][]byte{initiate(), upOf(near), messageOf(peerDown, near.bytes())}, "peer_down: the reason is cut off"},
		"BGP":            {[][]byte{initiate(), upOf(near), messageOf(routeMonitoring, near.bytes(), bgpOf(4, nil))}, "the BGP message has the type 4, not 2"},
		"more":           {[][]byte{initiate(), upOf(near), messageOf(routeMonitoring, near.bytes(), bgpOf(bgpUpdate, []byte{0, 0, 0, 0}), []byte{1})}, "1 bytes follow the BGP message"},
		"prefix":         {[][]byte{initiate(), upOf(near), monitor(near, []byte{0, 0, 0, 0, 33, 1, 2, 3, 4, 5})}, "route_monitoring: peer 203.0.113.1: routes: a prefix has 33 bits"},
		"attribute":      {[][]byte{initiate(), upOf(near), monitor(near, []byte{0, 0, 0, 3, 0x40, 2, 1})}, "the path attribute 2 has 1 bytes, of which 0 are there"},
		"segment":        {[][]byte{initiate(), upOf(near), monitor(near, []byte{0, 0, 0, 5, 0x40, 2, 2, 2, 1})}, "the path attribute 2: a segment of the path is cut off"},
		"field":          {[][]byte{messageOf(initiation, []byte{0, 2, 0, 9, 'x'})}, "initiation: the field 2 has 9 bytes, and 1 are there"},
		"unread message": {[][]byte{initiate(), {3, 0, 0x20, 0, 0, 1}}, "statistics: its length is 2097152 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, routes.LiveLimits, nil)
			before := s.connect(1, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500), endOf(near))
			s.untilPath(1, "198.51.100.1", "64500 of 64500")
			conn := s.connect(2, c.messages...)
			conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			if _, err := conn.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
				t.Errorf("the session goes on: %v", err)
			}
			s.until("the fault", func() bool { return s.figure("ended_total", "malformed") == 1 })
			if !strings.Contains(s.faults(), "router 127.0.0.2: ") || !strings.Contains(s.faults(), c.want) {
				t.Errorf("%s\nwant %s", s.faults(), c.want)
			}
			if strings.HasPrefix(name, "HTTP") || name == "order" {
				return
			}
			before.Write([]byte{9, 9, 9, 9, 9, 9})
			s.until("the other fault", func() bool { return s.figure("routers", "lost") == 1 })
			if s.path(1, "198.51.100.1") != "64500 of 64500" {
				t.Error("the routes that were complete have gone")
			}
		})
	}
}

// A table that is full ends its session and is dropped as a whole; the others go on.
func TestAFullTableIsDropped(t *testing.T) {
	s := start(t, routes.Limits{Routes: 1000, Bytes: 1 << 30, RouterRoutes: 10, RouterBytes: 1 << 30}, func(o *Options) { o.Expire = 10 * time.Second })
	s.connect(2, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500, 64501), endOf(near))
	conn := s.connect(1, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500), endOf(near))
	s.untilPath(1, "198.51.100.1", "64500 of 64500")
	s.untilPath(2, "198.51.100.1", "64500 64501 of 64500")
	for i := range 12 {
		conn.Write(announce(near, fmt.Sprintf("10.%d.0.0/16", i), 64500))
	}
	s.until("the end", func() bool { return s.figure("ended_total", "full") == 1 })
	if path := s.path(1, "198.51.100.1"); path != "64500 64501 of 64500" || s.path(1, "10.1.0.1") != "" || s.figure("routes", "connected") != 1 {
		t.Errorf("the routes of the full table are still used: %q", path)
	}
	if !strings.Contains(s.faults(), "there is no room for its routes: there are more than 10 routes of a router") {
		t.Error(s.faults())
	}
	s.connect(1, initiate(), upOf(near)) // it would have too many the next time, too
	s.until("refused", func() bool { return s.figure("refused_total", "full") == 1 })
	var messages [][]byte
	for i := range maxPeers + 1 {
		messages = append(messages, upOf(neighbour{last: byte(i), distinguisher: uint64(i >> 8)}))
	}
	s.connect(3, append([][]byte{initiate()}, messages...)...)
	s.until("too many peers", func() bool { return s.figure("ended_total", "full") == 2 })
	if s.figure("peers") != 1 {
		t.Errorf("%v peers are counted", s.figure("peers"))
	}
	s.look(time.Now().Add(11 * time.Second))
	s.connect(1, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500), endOf(near))
	s.untilPath(1, "198.51.100.1", "64500 of 64500")
}

// Only routers of the prefixes may connect, only so many of them, and only one for each address.
func TestWhoMayConnect(t *testing.T) {
	s := start(t, routes.LiveLimits, func(o *Options) {
		o.From = []netip.Prefix{netip.MustParsePrefix("127.0.1.0/24"), netip.MustParsePrefix("127.0.0.1/32")}
	})
	closed := func(conn net.Conn) {
		t.Helper()
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
			t.Errorf("it goes on: %v", err)
		}
	}
	closed(s.connect(2, initiate()))
	if s.figure("refused_total", "stranger") != 1 {
		t.Error("a stranger is not counted")
	}
	first := s.connect(1, initiate(), upOf(near))
	s.until("the first", func() bool { return s.figure("peers") == 1 })
	second := s.connect(1, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500), endOf(near))
	closed(first)
	s.untilPath(1, "198.51.100.1", "64500 of 64500")
	s.connect(1, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500, 64501), endOf(near))
	s.untilPath(1, "198.51.100.1", "64500 64501 of 64500")
	closed(second)
	s.until("both are counted", func() bool { return s.figure("ended_total", "replaced") == 2 && s.figure("peers") == 1 })

	for i := range maxSessions {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(i))}}
		if conn, err := d.Dial("tcp", s.Address().String()); err == nil {
			defer conn.Close()
		}
	}
	s.until("too many", func() bool { return s.figure("refused_total", "sessions") >= 1 })
	if n := s.figure("routers", "loading"); n > maxSessions {
		t.Errorf("%v sessions", n)
	}
}

// A message may not take for ever, and neither may the first one; between messages a router may be silent.
func TestSlowMessagesEndTheSession(t *testing.T) {
	s := start(t, routes.LiveLimits, nil)
	s.messageTime = 100 * time.Millisecond
	silent := s.connect(3, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500))
	s.untilPath(3, "198.51.100.1", "64500 of 64500")
	s.connect(1)
	slow := s.connect(2, initiate())
	for _, b := range upOf(near) {
		if _, err := slow.Write([]byte{b}); err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.until("both end", func() bool { return s.figure("ended_total", "timeout") == 2 })
	silent.Write(announce(near, "198.51.100.0/24", 64500, 64501))
	s.untilPath(3, "198.51.100.1", "64500 64501 of 64500")
}

// A change of the options ends the sessions that may no longer be, and only those.
func TestOptionsChange(t *testing.T) {
	s := start(t, routes.LiveLimits, nil)
	s.connect(1, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500), endOf(near))
	s.connect(2, initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500, 64501), endOf(near))
	s.untilPath(1, "198.51.100.1", "64500 of 64500")
	s.untilPath(2, "198.51.100.1", "64500 64501 of 64500")
	o := *s.options.Load()
	address := s.Address().String()
	o.From = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
	if err := s.Configure(o, s.fail); err != nil || s.Address().String() != address {
		t.Fatal(err, s.Address())
	}
	if path := s.path(1, "198.51.100.1"); path != "64500 64501 of 64500" {
		t.Errorf("a router that may no longer send has %q", path)
	}
	if s.figure("routers", "connected") != 1 {
		t.Error("the other session has ended, too")
	}
	o.Fields = o.Fields.With(routes.Communities)
	if err := s.Configure(o, s.fail); err != nil {
		t.Fatal(err)
	}
	s.until("to connect once more", func() bool { return s.figure("routers", "lost") == 1 })
	if path := s.path(2, "198.51.100.1"); path != "64500 64501 of 64500" {
		t.Errorf("meanwhile, %q", path)
	}
	o.Listen = "127.0.0.1:99999"
	if err := s.Configure(o, s.fail); err == nil || s.Address().String() != address {
		t.Errorf("%v, %v", err, s.Address())
	}
	if err := s.Configure(Options{}, s.fail); err != nil || s.Address() != nil || s.path(2, "198.51.100.1") != "" {
		t.Error("it still listens, or has routes", err)
	}
	metrics := make(chan prometheus.Metric, 100)
	if s.Collect(metrics); len(metrics) != 0 {
		t.Errorf("%d metrics of nothing", len(metrics))
	}
}

// A session does not keep anything running after the end.
func TestTheEndEndsAll(t *testing.T) {
	before := runtime.NumGoroutine()
	s := start(t, routes.LiveLimits, nil)
	for i := range byte(20) {
		s.connect(i+1, initiate(), upOf(near))
	}
	s.stop()
	s.until("goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}

// Whatever a router sends, the server stays within it, and what it keeps is given back.
func FuzzSession(f *testing.F) {
	join := func(list ...[]byte) (all []byte) {
		for _, b := range list {
			all = append(all, b...)
		}
		return all
	}
	f.Add(join(initiate(), upOf(near), announce(near, "198.51.100.0/24", 64500), withdraw(near, "198.51.100.0/24"), endOf(near), downOf(near)))
	f.Add(join(initiate(), upOf(near, openOf(0, 1, 1, 3), openOf(0, 1, 1, 3)), messageOf(statistics, near.bytes()), messageOf(termination, tlv(1, "x"))))
	f.Add(join(initiate(), upOf(neighbour{kind: locRIB}), announce(neighbour{kind: locRIB}, "10.0.0.0/8", 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := New(slog.New(slog.NewTextHandler(io.Discard, nil)), routes.LiveLimits)
		s.options.Store(&Options{Fields: fields})
		conn, router := net.Pipe()
		go func() { router.Write(b); router.Close() }()
		session := &session{server: s, conn: conn, address: netip.MustParseAddr("192.0.2.1"), router: s.NewRouter(netip.MustParseAddr("192.0.2.1")), began: time.Now(), peers: map[peerKey]*peer{}}
		s.Use(session.router)
		if err := session.run(); err == nil {
			t.Fatal("no end")
		}
		conn.Close()
		for _, p := range session.peers {
			if err := session.router.Down(&p.Peer); err != nil {
				t.Fatal(err)
			}
		}
		if n, bytes := s.Size(); n != 0 || bytes != 0 {
			t.Fatalf("%d routes, %d bytes are left", n, bytes)
		}
	})
}
