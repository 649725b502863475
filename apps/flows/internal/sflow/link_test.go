package sflow

import (
	"encoding/binary"
	"encoding/hex"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

func hexed(text string) []byte { return must(hex.DecodeString(strings.ReplaceAll(text, " ", ""))) }

// checked is IPv4 with its checksum.
func checked(packet []byte) []byte {
	packet = slices.Clone(packet)
	packet[10], packet[11] = 0, 0
	sum := uint32(0)
	for i := 0; i < 4*int(packet[0]&15); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(packet[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	binary.BigEndian.PutUint16(packet[10:], ^uint16(sum))
	return packet
}

// Expectations are from RFC 4385 and 4448 (control word), 3032, 2516, 1661, 1662, 1042 and 802.3.
func TestPacketsInPseudowiresPPPAndSNAPAreFound(t *testing.T) {
	four := checked(hexed("4500 0064 0000 4000 4011 0000 c000020a c6336414 0035 14e9 0050 0000"))
	six := hexed("60000000 0014 06 40 20010db8000000000000000000000001 20010db8000000000000000000000002 01bb d903 00000001 00000002 5012 ffff 0000 0000")
	v4 := columns{"etype": "2048", "src": "192.0.2.10", "dst": "198.51.100.20", "proto": "17", "src_port": "53", "dst_port": "5353", "bytes": "100", "ttl": "64"}
	v6 := columns{"etype": "34525", "src": "2001:db8::1", "dst": "2001:db8::2", "proto": "6", "src_port": "443", "dst_port": "55555", "flags": "18", "bytes": "60", "ttl": "64"}
	const outer, label = "020000000002 020000000001 ", "8847 000c8140 "
	const arp = "020000000002 020000000001 0806 0001 0800 0604 0001 020000000001 c0000201 000000000000 c0000202"
	type is struct {
		protocol uint32
		before   string
		packet   []byte
		want     columns
		skipped  string
	}
	none, b := columns{}, newBench(t)
	for name, c := range map[string]is{
		"IP in MPLS":                   {1, outer + label, four, v4, ""},
		"IPv6 in MPLS":                 {1, outer + label, six, v6, ""},
		"control word":                 {1, outer + label + "00000000" + outer + "0800", four, v4, ""},
		"control word with a sequence": {1, outer + label + "00000007" + outer + "0800", four, v4, ""},
		"control word, IPv6":           {1, outer + label + "00000000" + outer + "86dd", six, v6, ""},
		"control word, tags":           {1, outer + label + "00000000" + outer + "88a8 0005 8100 0006 0800", four, v4, ""},
		"bare":                         {1, outer + label + outer + "0800", four, v4, ""},
		"bare, of a vendor":            {1, outer + label + "001b21 000001 001b21 000002 0800", four, v4, ""},
		"bare, zeros":                  {1, outer + label + "000000 000001 000000 000002 0800", four, v4, ""},
		"bare, broadcast, tag":         {1, outer + label + "ffffffffffff 001b21000002 8100 0006 86dd", six, v6, ""},
		"bare, MAC with 4":             {1, outer + label + "45000064 0001 001b21000002 0800", four, v4, ""},
		"bare, MAC with 48":            {1, outer + label + "485b39 000001 001b21000002 86dd", six, v6, ""},
		"bare, MAC with 6":             {1, outer + label + "60a44c 000001 001b21000002 0800", four, v4, ""},
		"bare, MAC with 68":            {1, outer + label + "68b599 000001 001b21000002 86dd", six, v6, ""},
		"bare, MAC with 1":             {1, outer + label + "10bf48 000001 001b21000002 0800", four, v4, ""},
		"labels in a pseudowire":       {1, outer + label + "00000000" + outer + label, four, v4, ""},
		"PPPoE in a pseudowire":        {1, outer + label + "00000000" + outer + "8864 1100 0001 0066 0021", four, v4, ""},
		"ARP in a pseudowire":          {1, outer + label + "00000000", hexed(arp), columns{"etype": "2054"}, ""},
		"bare ARP":                     {1, outer + label, hexed(arp), columns{"etype": "2054"}, ""},
		"associated channel":           {1, outer + label + "10000021" + outer, nil, columns{"etype": "34887"}, "mpls_payload"},
		"something in MPLS":            {1, outer + label + "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", nil, columns{"etype": "34887"}, "mpls_payload"},
		"PPPoE":                        {1, outer + "8864 1100 0001 0066 0021", four, v4, ""},
		"PPPoE with IPv6":              {1, outer + "8864 1100 0001 003e 0057", six, v6, ""},
		"PPPoE with a tag":             {1, outer + "8100 0064 8864 1100 0001 0066 0021", four, v4, ""},
		"PPPoE, compressed":            {1, outer + "8864 1100 0001 0065 21", four, v4, ""},
		"PPPoE with MPLS":              {1, outer + "8864 1100 0001 006a 0281 000c8140", four, v4, ""},
		"PPPoE's LCP":                  {1, outer + "8864 1100 0001 000a c021 0901 0008 00000000", nil, columns{"etype": "34916"}, "ppp_payload"},
		"PPPoE of no session":          {1, outer + "8864 1109 0001 0066 0021", four, columns{"etype": "34916"}, "ppp_payload"},
		"PPPoE's discovery":            {1, outer + "8863 1109 0000 0004 0101 0000", nil, columns{"etype": "34915"}, ""},
		"SNAP":                         {1, outer + "006c aaaa03 000000 0800", four, v4, ""},
		"SNAP with a tag":              {1, outer + "8100 0064 006c aaaa03 000000 86dd", six, v6, ""},
		"SNAP of a vendor":             {1, outer + "006c aaaa03 00000c 2000 0102", nil, none, ""},
		"spanning tree":                {1, outer + "0026 424203 0000 00", nil, none, ""},
		"PPP":                          {7, "ff03 0021", four, v4, ""},
		"PPP without addresses":        {7, "0057", six, v6, ""},
		"POS":                          {14, "ff03 0021", four, v4, ""},
		"Cisco's HDLC":                 {14, "0f00 0800", four, v4, ""},
		"HDLC's keepalive":             {14, "8f00 8035", []byte{0, 0, 0, 2}, columns{"etype": "32821"}, ""},
		"PPP's LCP":                    {7, "ff03 c021", []byte{9, 1, 0, 8}, none, "ppp_payload"},
		"AAL5":                         {10, "", six, v6, ""},
		"FDDI":                         {4, "", four, none, "header_protocol"},
		"802.11":                       {15, "", four, none, "header_protocol"},
	} {
		packet := append(hexed(c.before), c.packet...)
		flows, lost, skipped, _ := b.decode(sample(raw(c.protocol, hex.EncodeToString(packet))).Payload[28:])
		if len(flows) != 1 || lost != 0 {
			t.Fatalf("%s: %v, %d lost", name, flows, lost)
		}
		got := flows[0]
		for _, column := range []string{"rate", "in_if", "out_if", "frame", "src_mac", "dst_mac", "labels", "vlan", "tag"} {
			delete(got, column)
		}
		if c.want["bytes"] == "" {
			delete(got, "bytes")
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %v\ninstead of\n%v", name, got, c.want)
		}
		if c.skipped == "" && len(skipped) > 0 || c.skipped != "" && (len(skipped) != 1 || skipped[c.skipped] != 1) {
			t.Errorf("%s: skipped %v", name, skipped)
		}
	}
}

// IP below labels is never taken for a frame, whatever its bytes are, and a frame never for IP, whatever its addresses are.
func TestPacketsBelowLabelsAreTakenForWhatTheyAre(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	some := func(n int) (b []byte) {
		for range n {
			b = append(b, byte(r.Uint32()))
		}
		return b
	}
	ip := func() (packet []byte, kind uint32) {
		if r.IntN(2) == 0 {
			b := append([]byte{0x45, 0, 0, 0}, some(56)...)
			binary.BigEndian.PutUint16(b[2:], uint16(20+r.IntN(1480)))
			return checked(b), etherIPv4
		}
		b := append([]byte{0x60, 0, 0, 0, 0, 0, []byte{ipTCP, ipUDP, ipICMPv6, ipFragment, ipHops}[r.IntN(5)], 64}, some(72)...)
		binary.BigEndian.PutUint16(b[4:], uint16(r.IntN(1480)))
		if b[6] == ipHops {
			b[40], b[41] = ipICMPv6, 0
		}
		switch r.IntN(6) { // an address that looks like Ethernet's type and IP
		case 0:
			copy(b[12:], []byte{8, 0, 0x45, 0})
		case 1:
			copy(b[12:], []byte{0x86, 0xdd, 0x60, 0})
		}
		return b, etherIPv6
	}
	for range 20000 {
		packet, want := ip()
		frame := packet
		macs := some(12)
		macs[6] &^= 1 // no group is a source
		macs = binary.BigEndian.AppendUint16(macs, uint16(want))
		switch r.IntN(3) {
		case 1:
			frame = slices.Concat(macs, packet)
		case 2:
			frame = slices.Concat([]byte{0, 0}, some(2), macs, packet)
		}
		d := &record{counts: &count.Counters{}}
		odd := len(packet) == len(frame) && want == etherIPv6 && binary.BigEndian.Uint16(packet[12:]) == etherIPv6 // needs the size
		if d.sized = odd || r.IntN(2) == 0; d.sized {
			octets := int(binary.BigEndian.Uint16(packet[2:]))
			if want == etherIPv6 {
				octets = 40 + int(binary.BigEndian.Uint16(packet[4:]))
			}
			d.beyond = octets - len(packet)
		}
		kind, rest := d.labelled(etherMPLS, frame)
		if kind == etherBridged {
			kind, rest = d.strip(kind, rest)
		}
		if kind != want || !slices.Equal(rest, packet) {
			t.Fatalf("%#x instead of %#x\n%s", kind, want, hex.Dump(frame))
		}
	}
}

// Where the card cuts packets after they are counted, IP has no length: then the frame's counts, without PPPoE.
func TestOctetsWithoutALengthOfIPAreThoseOfTheFrame(t *testing.T) {
	ip := strings.Replace(inner4, "0028", "0000", 1)
	flows, _ := numbers(t, *sample(raw(1, eth+"0800"+ip)), *sample(raw(1, eth+"8864 1100 0001 03d0 0021"+ip)), *sample(raw(1, eth+"8864 1100 0001 0006 c021 0901 0004")))
	for i, want := range []uint64{1000 - 4 - 14, 1000 - 4 - 14 - 8, 1000 - 4 - 14} {
		if flows[i]["bytes"] != want {
			t.Errorf("%d: %v", i, flows[i])
		}
	}
}

// The padding after the packet, which makes the frame long enough, is no part of it.
func TestPaddingIsNoPartOfThePacket(t *testing.T) {
	for name, packet := range map[string]string{
		"IPv4": "0800 4500 0014 1234 4000 3c06 0000 c0000201 c6336402 01bb d903 00000001 00000002 5012 ffff",
		"IPv6": "86dd 60000000 0002 06 40 20010db8000000000000000000000001 20010db8000000000000000000000002 01bb d903 00000001 00000002 5012 ffff",
		"in a tunnel": "0800 4500 0028 1234 4000 3c04 0000 c0000201 c6336402 4500 0014 1234 4000 3c06 0000 0a000001 0a000002" +
			"01bb d903 00000001 00000002 5012 ffff",
	} {
		flows, _ := numbers(t, *sample(raw(1, eth+packet)))
		if f := flows[0]; f["src_port"] != 0 || f["dst_port"] != 0 || f["proto"] != 6 {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// Nesting costs no more than the bytes that it takes.
func TestFramesInFramesEnd(t *testing.T) {
	frame := hexed("020000000002 020000000001 0800 4500 0014 1234 4000 3c06 0000 c0000201 c6336402")
	for range 3000 {
		frame = slices.Concat(hexed("020000000002 020000000001 8847 000c8140 00000000"), frame)
	}
	d := &record{counts: &count.Counters{}}
	_, kind, _ := d.link(etherBridged, frame)
	if kind != etherIPv4 {
		t.Errorf("%#x", kind)
	}
	for n := range 200 {
		d.link(etherBridged, frame[:n])
	}
}
