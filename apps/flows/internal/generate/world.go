package generate

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"time"
)

// world is who talks to whom.
type world struct {
	r       *rand.Rand
	servers *rand.Zipf
	clients *rand.Zipf
	heavy   *rand.Zipf // how many packets a flow has
}

func newWorld(r *rand.Rand) *world {
	return &world{
		r: r, servers: rand.NewZipf(r, 1.1, 4, 3*254-1), clients: rand.NewZipf(r, 1.05, 50, 1<<17-1),
		heavy: rand.NewZipf(r, 1.3, 2, 1<<16),
	}
}

// talk is a flow before it is encoded in a protocol.
type talk struct {
	source, target     side
	v6                 bool
	nextHop            netip.Addr
	protocol, tos, ttl uint8
	flags              uint8
	icmpType, icmpCode uint8
	in, out            uint32
	bytes, packets     uint64
	start, end         time.Time
	tenant             uint32
	application        string
}

// side is one end of a talk.
type side struct {
	address netip.Addr
	port    uint16
	as      uint32
	mask    uint8
	mac     [6]byte
}

// service is what a server offers.
func service(n int) (port uint16, protocol uint8, application string) {
	switch {
	case n < 50:
		return 443, 6, "https"
	case n < 65:
		return 443, 17, "quic"
	case n < 77:
		return 80, 6, "http"
	case n < 90:
		return 53, 17, "dns"
	case n < 94:
		return 22, 6, "ssh"
	case n < 97:
		return 123, 17, "ntp"
	}
	return 0, 1, "icmp"
}

// talk generates a flow. Six of eight are IPv4 if both are possible.
func (w *world) talk(now time.Time, may6 bool) (t talk) {
	r := w.r
	t.v6 = may6 && r.IntN(8) < 2
	port, protocol, application := service(r.IntN(100))
	server, client := w.server(t.v6), w.client(t.v6)
	server.port, client.port = port, uint16(32768+r.IntN(28000))
	t.protocol, t.application, t.tenant = protocol, application, 1+uint32(server.port)%5
	t.packets = 1 + w.heavy.Uint64()
	switch protocol {
	case 1:
		server.port, client.port, t.icmpType = 0, 0, 8
		if t.v6 {
			t.protocol, t.icmpType = 58, 128
		}
	case 6:
		t.flags = []uint8{0x02, 0x12, 0x18, 0x1b, 0x1b, 0x1f}[r.IntN(6)]
	}
	size := uint64(40 + r.IntN(200))
	if t.source, t.target = client, server; r.IntN(2) == 0 {
		t.source, t.target = server, client
		size = uint64(200 + r.IntN(1300))
	}
	t.bytes = t.packets * size
	t.tos = []uint8{0, 0, 0, 0x28, 0x48, 0xb8}[r.IntN(6)]
	t.ttl = uint8(30 + r.IntN(98))
	t.in, t.out = uint32(1+r.IntN(8)), uint32(1+r.IntN(8))
	t.nextHop = netip.AddrFrom4([4]byte{198, 19, 255, byte(t.out)})
	if t.v6 {
		t.nextHop = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0xff, 0xff, 15: byte(t.out)})
	}
	t.end = now.Add(-time.Duration(r.IntN(1000)) * time.Millisecond)
	t.start = t.end.Add(-time.Duration(r.IntN(1+int(min(t.packets, 600))*100)) * time.Millisecond)
	return t
}

// server returns an address in one of the three small networks, or in one of sixteen IPv6 networks.
func (w *world) server(v6 bool) side {
	n := w.servers.Uint64()
	if v6 {
		return six(n%16, n/16+1)
	}
	net := [][4]byte{{192, 0, 2}, {198, 51, 100}, {203, 0, 113}}[n%3]
	net[3] = byte(1 + n/3)
	return side{address: netip.AddrFrom4(net), as: 64496 + uint32(n%3), mask: 24, mac: mac(net)}
}

// client returns an address in the network for benchmarks, or in one of 240 IPv6 networks.
func (w *world) client(v6 bool) side {
	n := w.clients.Uint64()
	if v6 {
		return six(16+n%240, n/240+1)
	}
	n = n * 40503 & (1<<17 - 1) // the heaviest talkers are not neighbours
	net := [4]byte{198, byte(18 + n>>16), byte(n >> 8), byte(n)}
	return side{address: netip.AddrFrom4(net), as: 64500 + uint32(n>>14), mask: 15, mac: mac(net)}
}

// mac returns an address that no vendor owns.
func mac(b [4]byte) [6]byte { return [6]byte{2, 0, b[0], b[1], b[2], b[3]} }

func six(network, host uint64) side {
	a := [16]byte{0x20, 1, 0xd, 0xb8, 0, byte(network)}
	binary.BigEndian.PutUint64(a[8:], host)
	return side{
		address: netip.AddrFrom16(a), as: 65536 + uint32(network%16), mask: 48,
		mac: mac([4]byte{6, byte(network), byte(host >> 8), byte(host)}),
	}
}
