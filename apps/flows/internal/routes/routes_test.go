package routes

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
	"github.com/osrg/gobgp/v4/pkg/packet/mrt"
)

var made = time.Unix(1_700_000_000, 0)

const everything = Fields(1<<fields - 1)

// dump is an MRT dump under construction.
type dump struct {
	testing.TB
	bytes.Buffer
	sequence uint32
}

func (d *dump) record(subtype mrt.MRTSubTyper, body mrt.Body) {
	d.Helper()
	m, err := mrt.NewMRTMessage(made, mrt.TABLE_DUMPv2, subtype, body)
	if err != nil {
		d.Fatal(err)
	}
	b, err := m.Serialize()
	if err != nil {
		d.Fatal(err)
	}
	d.Write(b)
}

func newDump(t testing.TB) *dump {
	d := &dump{TB: t}
	d.record(mrt.PEER_INDEX_TABLE, mrt.NewPeerIndexTable(netip.MustParseAddr("192.0.2.9"), "", []*mrt.Peer{
		mrt.NewPeer(netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.1"), 64496, true),
		mrt.NewPeer(netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("2001:db8::2"), 65551, true),
	}))
	return d
}

func entry(peer uint16, attributes ...bgp.PathAttributeInterface) *mrt.RibEntry {
	return mrt.NewRibEntry(peer, 1, 0, append([]bgp.PathAttributeInterface{bgp.NewPathAttributeOrigin(0)}, attributes...), false)
}

func path(list ...uint32) bgp.PathAttributeInterface {
	return bgp.NewPathAttributeAsPath([]bgp.AsPathParamInterface{bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, list)})
}

func (d *dump) route(prefix string, entries ...*mrt.RibEntry) {
	d.Helper()
	p := netip.MustParsePrefix(prefix)
	n, err := bgp.NewIPAddrPrefix(p)
	if err != nil {
		d.Fatal(err)
	}
	kind := mrt.RIB_IPV4_UNICAST
	if p.Addr().Is6() {
		kind = mrt.RIB_IPV6_UNICAST
	}
	// For IPv6 the library writes AFI and SAFI before the prefix, which RFC 6396 (4.3.2) does not have; for IPv4 it does not.
	d.record(kind, mrt.NewRib(d.sequence, bgp.RF_IPv4_UC, n, entries))
	d.sequence++
}

// example is a table with a route of each form.
func example(t testing.TB) *dump {
	d := newDump(t)
	hop, err := bgp.NewPathAttributeNextHop(netip.MustParseAddr("192.0.2.254"))
	if err != nil {
		t.Fatal(err)
	}
	d.route("0.0.0.0/0", entry(0, path(64496)))
	d.route("198.51.100.0/24", entry(0, path(64496, 64497, 64498, 4200000000), hop, bgp.NewPathAttributeCommunities([]uint32{64496<<16 | 100, 65535<<16 | 666}),
		bgp.NewPathAttributeLargeCommunities([]*bgp.LargeCommunity{bgp.NewLargeCommunity(4200000000, 1, 2), bgp.NewLargeCommunity(64496, 3, 4)})),
		entry(1, path(65551, 64499, 64499)))
	d.route("198.51.100.128/25", entry(0, bgp.NewPathAttributeAsPath([]bgp.AsPathParamInterface{
		bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, []uint32{64496, 64500}), bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SET, []uint32{64501, 64502}),
	})))
	d.route("203.0.113.0/24", entry(1))
	d.route("2001:db8::/32", entry(1, path(65551, 64510)))
	return d
}

func all(t *Table, address string) string {
	a := netip.MustParseAddr(address)
	block, _ := a.Prefix(map[bool]int{true: 24, false: 48}[a.Is4()])
	route, found, same := t.Find(a, block)
	if !found {
		return fmt.Sprint("none ", same)
	}
	var texts []string
	for f := range fields {
		texts = append(texts, t.Text(route, f))
	}
	return fmt.Sprint(strings.Join(texts, "|"), " ", same)
}

func TestRoutesOfADump(t *testing.T) {
	d := example(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(d.Bytes())
	z.Close()
	for name, text := range map[string][]byte{"plain": d.Bytes(), "gzip": packed.Bytes()} {
		table, err := read(bytes.NewReader(text), Options{Fields: everything})
		if err != nil {
			t.Fatal(name, err)
		}
		for address, want := range map[string]string{
			"198.51.100.1":   "64499|65551|65551|65551 64499 64499|3|||| false", // the shorter path
			"198.51.100.129": "|64496|64496|64496 64500 64501 64502|3|||| false",
			"192.0.2.1":      "64496|64496|64496|64496|1|||| true",
			"203.0.113.9":    "||65551||||||  true", // the peer's own route
			"2001:db8::1":    "64510|65551|65551|65551 64510|2|||| true",
			"fe80::1":        "none true",
		} {
			if got := all(table, address); got != strings.ReplaceAll(want, "  ", " ") {
				t.Errorf("%s: %s: %q, want %q", name, address, got, want)
			}
		}
		if table.Size() != 5 || !table.Made.Equal(made) || table.Skipped != 0 {
			t.Errorf("%s: %d routes of %v, %d skipped", name, table.Size(), table.Made, table.Skipped)
		}
	}
	routes, err := read(bytes.NewReader(d.Bytes()), Options{Fields: everything, Peer: netip.MustParseAddr("192.0.2.1")})
	if err != nil {
		t.Fatal(err)
	}
	want := "4200000000|64496|64496|64496 64497 64498 4200000000|4|64496:100 65535:666|4226809956 4294902426|4200000000:1:2 64496:3:4|192.0.2.254 false"
	if got := all(routes, "198.51.100.1"); got != want || routes.Size() != 3 {
		t.Errorf("%d routes of one peer: %q, want %q", routes.Size(), got, want)
	}
}

// Attributes that nobody asks for are not kept: routes that differ in nothing else share what is kept.
func TestRoutesShareAttributes(t *testing.T) {
	d := newDump(t)
	for i := range 100 {
		d.route(fmt.Sprintf("10.%d.0.0/16", i), entry(0, path(64496, uint32(64500+i), 64499), bgp.NewPathAttributeCommunities([]uint32{uint32(i)})))
	}
	for want, f := range map[int]Fields{1: Fields(0).With(OriginAS).With(PathLength).With(FirstAS), 100: Fields(0).With(Communities)} {
		table, err := read(bytes.NewReader(d.Bytes()), Options{Fields: f})
		if err != nil || table.Size() != 100 || len(table.attributes) != want {
			t.Errorf("%v: %d attributes of %d routes, want %d", err, len(table.attributes), table.Size(), want)
		}
	}
}

func TestWhatIsWrongWithADumpIsReported(t *testing.T) {
	good := example(t).Bytes()
	long := bytes.Clone(good)
	binary.BigEndian.PutUint32(long[8:], 1<<31)
	updates := bytes.Clone(good[:12+int(binary.BigEndian.Uint32(good[8:]))])
	binary.BigEndian.PutUint16(updates[4:], uint16(mrt.BGP4MP))
	for _, c := range []struct {
		text []byte
		o    Options
		want string
	}{
		{nil, Options{}, "has no routes; it must be an MRT dump of a table"},
		{updates, Options{}, "and not of updates"},
		{good[:len(good)-3], Options{}, "record 6, at byte "},
		{good[:len(good)-3], Options{}, "unexpected EOF"},
		{good[:5], Options{}, "record 1, at byte 0: unexpected EOF"},
		{long, Options{}, "record 1, at byte 0: has 2147483648 bytes"},
		{[]byte("prefix,as,name\n192.0.2.0/24,1,x\n"), Options{}, "record 1, at byte 0: has "},
		{good, Options{Peer: netip.MustParseAddr("192.0.2.7")}, "has no routes of the peer 192.0.2.7; its peers are 192.0.2.1 (AS 64496), 2001:db8::2 (AS 65551)"},
		{[]byte{0x1f, 0x8b, 1}, Options{}, "EOF"},
		{good[12+int(binary.BigEndian.Uint32(good[8:])):], Options{}, "no route can be read; the first: 0.0.0.0/0 has a route of peer 0, of 0 peers"},
	} {
		if _, err := read(bytes.NewReader(c.text), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	// A route that cannot be read is skipped and counted; the others are there.
	bad := bytes.Clone(good)
	at := bytes.LastIndex(bad, []byte{0x40, 1, 1, 0}) // ORIGIN of the last route
	bad[at+2] = 200
	table, err := read(bytes.NewReader(bad), Options{Fields: everything})
	if err != nil || table.Size() != 4 || table.Skipped != 1 || table.Cause == nil {
		t.Errorf("%v, %+v", err, table)
	}
}

func FuzzDump(f *testing.F) {
	f.Add(example(f).Bytes())
	f.Add(newDump(f).Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := read(bytes.NewReader(text), Options{Fields: everything})
		if err == nil {
			for _, a := range []string{"198.51.100.1", "2001:db8::1", "0.0.0.0", "::"} {
				all(table, a)
			}
		}
	})
}

// BenchmarkFullTable reads a table like that of the Internet, from one peer: a million prefixes, of which three
// quarters are /24, and 200,000 paths. It reports the time and the memory for a million routes.
func BenchmarkFullTable(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	d := newDump(b)
	paths := make([][]uint32, 200_000)
	for i := range paths {
		for range 2 + random.IntN(5) {
			paths[i] = append(paths[i], 1+random.Uint32N(70_000))
		}
	}
	for i := range 1_000_000 {
		bits := 24
		if random.IntN(4) == 0 {
			bits = 16 + random.IntN(8)
		}
		// Distinct prefixes, spread like those that are in use.
		a := netip.AddrFrom4([4]byte{byte(1 + i>>16), byte(i >> 8), byte(i)})
		if bits < 24 {
			a = netip.AddrFrom4([4]byte{byte(20 + i>>15), byte(i >> 7), byte(i << 1), byte(i)})
		}
		p, _ := a.Prefix(bits)
		d.route(p.String(), entry(0, path(paths[random.IntN(len(paths))]...), bgp.NewPathAttributeCommunities([]uint32{random.Uint32N(1000), random.Uint32N(10)})))
	}
	for name, want := range map[string]Fields{"as": Fields(0).With(OriginAS), "path": Fields(0).With(OriginAS).With(ASPath), "path+communities": Fields(0).With(ASPath).With(Communities)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				begin := time.Now()
				table, err := read(bytes.NewReader(d.Bytes()), Options{Fields: want})
				if err != nil {
					b.Fatal(err)
				}
				took := time.Since(begin)
				runtime.GC()
				runtime.ReadMemStats(&after)
				million := float64(table.Size()) / 1e6
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/million/(1<<20), "MiB/million")
				b.ReportMetric(took.Seconds()/million, "s/million")
				b.ReportMetric(million*1e6, "routes")
				runtime.KeepAlive(table)
			}
		})
	}
}
