package capture

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// all reads what is left, with copies of the payloads.
func all(t testing.TB, r *Reader) (ds []flow.Datagram) {
	t.Helper()
	for {
		d, err := r.Next()
		if err == io.EOF {
			return ds
		}
		if err != nil {
			t.Fatal(err)
		}
		d.Payload = bytes.Clone(d.Payload)
		ds = append(ds, d)
	}
}

func read(t testing.TB, file []byte) []flow.Datagram {
	t.Helper()
	r, err := NewReader("test", bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return all(t, r)
}

func TestTheCommittedCapturesAreReadToTheirEnds(t *testing.T) {
	for name, want := range map[string]struct {
		datagrams int
		protocol  flow.Protocol
	}{
		"softflowd_netflow5": {29, flow.NetFlow5}, "softflowd_netflow9": {46, flow.NetFlow9},
		"softflowd_ipfix": {46, flow.IPFIX}, "pmacctd_sflow5": {201, flow.SFlow5},
	} {
		path := filepath.Join("../../testdata", name+".dgrams")
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r.Start = time.Unix(1000, 0)
		ds := all(t, r)
		if len(ds) != want.datagrams || r.Offset() != r.Size() || r.Size() == 0 {
			t.Errorf("%s: %d datagrams, %d of %d bytes", name, len(ds), r.Offset(), r.Size())
		}
		var rewritten bytes.Buffer
		w := NewWriter(&rewritten)
		for i, d := range ds {
			if p := flow.Detect(d.Payload); p != want.protocol {
				t.Errorf("%s: datagram %d is %v", name, i, p)
			}
			if !d.Received.Equal(time.Unix(1000, int64(i)*1e6)) || d.From.String() != "192.0.2.1:2055" {
				t.Errorf("%s: datagram %d is from %v at %v", name, i, d.From, d.Received)
			}
			if err := w.Write(d); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Flush(), r.Close()); err != nil {
			t.Fatal(err)
		}
		if file, _ := os.ReadFile(path); !bytes.Equal(file, rewritten.Bytes()) {
			t.Errorf("%s: written again it is another file", name)
		}
	}
}

func TestDatagramsWithoutTimesHaveThatOfTheirHeader(t *testing.T) {
	for name, when := range map[string]int64{
		"softflowd_netflow5": 1795250872, "softflowd_netflow9": 1795250827, "softflowd_ipfix": 1795250879,
	} {
		r, err := Open("../../testdata/" + name + ".dgrams")
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.Next()
		if err != nil || d.Received.Unix() != when {
			t.Errorf("%s: %v, %v", name, d.Received.Unix(), err)
		}
		r.Close()
	}
}

func TestPcapKeepsSendersAndTimes(t *testing.T) {
	first, second := netip.MustParseAddrPort("198.51.100.7:4000"), netip.MustParseAddrPort("[2001:db8::7]:4001")
	ds := []flow.Datagram{
		{Received: time.Unix(1700000000, 123456789), From: first, Payload: []byte("one")},
		{Received: time.Unix(1700000001, 1), From: second, Payload: []byte("another")},
		{Received: time.Unix(1700000002, 0), From: first, Payload: []byte{}},
	}
	var file bytes.Buffer
	w, err := NewPcapWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ds {
		if err := w.Write(d); err != nil {
			t.Fatal(err)
		}
		// An independent reading, which also checks the sums.
		packet := gopacket.NewPacket(w.packet, layers.LinkTypeRaw, gopacket.Default)
		if udp, ok := packet.Layer(layers.LayerTypeUDP).(*layers.UDP); ok {
			udp.SetNetworkLayerForChecksum(packet.NetworkLayer())
		}
		if wrong, mismatches := packet.VerifyChecksums(); wrong != nil || len(mismatches) > 0 || packet.ErrorLayer() != nil {
			t.Errorf("%v %v %v", wrong, mismatches, packet.ErrorLayer())
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(file.Bytes())
	z.Close()
	for _, file := range [][]byte{file.Bytes(), zipped.Bytes()} {
		got := read(t, file)
		if len(got) != len(ds) {
			t.Fatalf("%d datagrams", len(got))
		}
		for i, d := range ds {
			if g := got[i]; !g.Received.Equal(d.Received) || g.From != d.From || !bytes.Equal(g.Payload, d.Payload) {
				t.Errorf("%+v instead of %+v", g, d)
			}
		}
	}
}

func TestPcapngOfSeveralLinkTypesIsRead(t *testing.T) {
	udp := appendPacket(nil, flow.Datagram{From: netip.MustParseAddrPort("203.0.113.9:9"), Payload: []byte("payload")})
	udp6 := appendPacket(nil, flow.Datagram{From: netip.MustParseAddrPort("[2001:db8::9]:9"), Payload: []byte("payload")})
	framed := func(head []byte, tail []byte) []byte { return append(bytes.Clone(head), tail...) }
	mac := make([]byte, 12)
	cases := []struct {
		link layers.LinkType
		data []byte
	}{
		{layers.LinkTypeRaw, udp}, {layers.LinkTypeIPv6, udp6}, {layers.LinkTypeNull, framed([]byte{2, 0, 0, 0}, udp)},
		{layers.LinkTypeLoop, framed([]byte{0, 0, 0, 30}, udp6)}, {layers.LinkTypeEthernet, framed(append(mac, 8, 0), udp)},
		{layers.LinkTypeEthernet, framed(append(mac, 0x88, 0xa8, 0, 9, 0x81, 0, 0, 7, 0x86, 0xdd), udp6)},
		{layers.LinkTypeEthernet, framed(append(mac, 8, 0), append(bytes.Clone(udp), make([]byte, 18)...))}, // padded
		{layers.LinkTypeLinuxSLL, framed([]byte{14: 8, 15: 0}, udp)},
		{layers.LinkTypeLinuxSLL2, framed([]byte{0: 8, 19: 0}, udp)},
	}
	var file bytes.Buffer
	w, err := pcapgo.NewNgWriter(&file, layers.LinkTypeRaw)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		id, err := w.AddInterface(pcapgo.NgInterface{LinkType: c.link, SnapLength: 0, TimestampResolution: 9})
		if err != nil {
			t.Fatal(err)
		}
		info := gopacket.CaptureInfo{
			Timestamp: time.Unix(1700000000, 5), CaptureLength: len(c.data), Length: len(c.data), InterfaceIndex: id,
		}
		if err := w.WritePacket(info, c.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	got := read(t, file.Bytes())
	if len(got) != len(cases) {
		t.Fatalf("%d of %d datagrams", len(got), len(cases))
	}
	for i, g := range got {
		if string(g.Payload) != "payload" || g.From.Port() != 9 || !g.Received.Equal(time.Unix(1700000000, 5)) {
			t.Errorf("case %d: %+v", i, g)
		}
	}
}

func TestWhatIsNoWholeDatagramIsCounted(t *testing.T) {
	udp := appendPacket(nil, flow.Datagram{From: netip.MustParseAddrPort("203.0.113.9:9"), Payload: []byte("payload")})
	changed := func(i int, v byte) []byte {
		b := bytes.Clone(udp)
		b[i] = v
		return b
	}
	var file bytes.Buffer
	w := pcapgo.NewWriter(&file)
	w.WriteFileHeader(65535, layers.LinkTypeRaw)
	for _, b := range [][]byte{
		changed(6, 0x20), changed(7, 1), // more fragments; an offset
		udp[:30], changed(25, 200), // captured short; the length of UDP says more
		changed(9, 6), changed(0, 0x55), {}, // TCP; no IP; nothing
		udp,
	} {
		info := gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(b), Length: 2000}
		if err := w.WritePacket(info, b); err != nil {
			t.Fatal(err)
		}
	}
	r, err := NewReader("test", &file)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(all(t, r)); n != 1 || r.Skipped() != (Skipped{Fragments: 2, Cut: 2, Other: 3}) {
		t.Errorf("%d datagrams, %+v", n, r.Skipped())
	}
}

func TestLyingLengthsAllocateNothing(t *testing.T) {
	pcap := make([]byte, 24+16)
	binary.BigEndian.PutUint32(pcap, 0xa1b2c3d4)
	binary.BigEndian.PutUint32(pcap[4:], 2<<16|4)
	binary.BigEndian.PutUint32(pcap[16:], 0x7fffffff)
	binary.BigEndian.PutUint32(pcap[20:], 101)
	binary.BigEndian.PutUint32(pcap[24+8:], 0x7ffffff0)
	binary.BigEndian.PutUint32(pcap[24+12:], 0x7ffffff0)
	for name, c := range map[string]struct {
		file  []byte
		place string
	}{
		"too long": {[]byte{0, 0, 0, 1, 7, 0, 1, 0, 0}, "at byte 5: a datagram of 65536 bytes"},
		"cut":      {[]byte{0, 0, 0, 1, 7, 0, 0, 255, 255, 1}, "at byte 5: the file ends"},
		"pcap":     {pcap, "at byte 24: capture length exceeds"},
	} {
		r, err := NewReader(name, bytes.NewReader(c.file))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for err == nil {
			_, err = r.Next()
		}
		runtime.ReadMemStats(&after)
		if !strings.Contains(err.Error(), c.place) {
			t.Errorf("%s: %v", name, err)
		}
		if _, repeated := r.Next(); repeated != err {
			t.Errorf("%s: then %v", name, repeated)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
	_, err := NewReader("x", strings.NewReader("GET / HTTP/1.1"))
	if err == nil || !strings.Contains(err.Error(), "not a pcap, pcapng or .dgrams file") {
		t.Error(err)
	}
}

func FuzzReader(f *testing.F) {
	var file bytes.Buffer
	w, _ := NewPcapWriter(&file)
	w.Write(flow.Datagram{From: netip.MustParseAddrPort("198.51.100.7:4000"), Payload: []byte("one")})
	w.Write(flow.Datagram{From: netip.MustParseAddrPort("[2001:db8::7]:4000"), Payload: []byte("two")})
	w.Flush()
	f.Add(file.Bytes())
	f.Add([]byte{0, 0, 0, 2, 0, 5, 0, 0, 0, 1, 9})
	var ng bytes.Buffer
	n, _ := pcapgo.NewNgWriter(&ng, layers.LinkTypeEthernet)
	n.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: 60, Length: 60}, make([]byte, 60))
	n.Flush()
	f.Add(ng.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader("fuzz", bytes.NewReader(b))
		if err != nil {
			return
		}
		total := 0
		for {
			d, err := r.Next()
			if err != nil {
				break
			}
			if total += len(d.Payload) + 4; total > len(b) && b[0] != 0x1f {
				t.Fatalf("%d bytes of datagrams from %d", total, len(b))
			}
		}
	})
}
