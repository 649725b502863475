package sflow

import (
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// sample wraps records into a flow sample, and that into a datagram.
func sample(records ...[]byte) *flow.Datagram {
	return datagram(block(flowSample, flowHead(uint32(len(records))), records...))
}

func flowHead(records uint32) []byte { return words(1, 2, 1000, 3000, 0, 7, 9, records) }

func words(v ...uint32) (b []byte) {
	for _, v := range v {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// block is something with its type and length.
func block(kind uint32, head []byte, parts ...[]byte) []byte {
	body := slices.Concat(append([][]byte{head}, parts...)...)
	return append(words(kind, uint32(len(body))), body...)
}

func datagram(samples ...[]byte) *flow.Datagram {
	b := words(5, 1, 0xc0000201, 0, 77, 1000, uint32(len(samples)))
	return &flow.Datagram{Payload: append(b, slices.Concat(samples...)...)}
}

// raw is a sampled header of a packet of 1000 bytes.
func raw(protocol uint32, packet string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(packet, " ", ""))
	if err != nil {
		panic(err)
	}
	n := len(b)
	for len(b)%4 != 0 {
		b = append(b, 0xff) // which is not to be read
	}
	return block(sampledHeader, words(protocol, 1000, 4, uint32(n)), b)
}

// elements decodes one sample and returns its values by element, without the elements that are zero.
func elements(t *testing.T, dg *flow.Datagram) map[uint16]string {
	t.Helper()
	var c count.Counters
	d := decoder(t, New, "../../flows.yaml", nil, &c)
	if _, n := d.Append(nil, dg); n != 1 {
		t.Fatalf("%d flows", n)
	}
	for r := range count.Reasons {
		if c.Dropped(r) > 0 {
			t.Errorf("%d %v", c.Dropped(r), r)
		}
	}
	all := map[uint16]string{}
	for _, p := range places(d.record.variant, false) {
		if p.enterprise != 0 {
			continue
		}
		v := d.record.bytes[p.at : p.at+int(p.length)]
		if p.length <= 8 && p.element != 8 && p.element != 12 && p.length != 6 {
			v = []byte(strings.TrimLeft(string(v), "\x00"))
		}
		if text := hex.EncodeToString(v); strings.Trim(text, "0") != "" {
			all[p.element] = text
		}
	}
	return all
}

func TestHeadersAreTakenApart(t *testing.T) {
	const (
		macs = "0200000000aa 0200000000bb "
		v4   = "28 03e8 1234 4000 3c 06 0000 c0000201 c6336402 "
		v4ip = "45" + v4
		tcp  = "01bb d903 00000001 00000002 50 1b ffff 0000 0000 "
		udp  = "0035 8235 0010 0000 "
		v6   = "6b8abcde 0064 %% 40 20010db8000000000000000000000001 20010db8000000000000000000000002 "
	)
	six := func(next string) string { return strings.Replace(v6, "%%", next, 1) }
	mac := map[uint16]string{80: "0200000000aa", 56: "0200000000bb"}
	ip4 := map[uint16]string{
		256: "0800", 8: "c0000201", 12: "c6336402", 4: "06", 5: "28", 192: "3c", 54: "1234", 197: "40",
	}
	ports := map[uint16]string{7: "01bb", 11: "d903", 6: "1b"}
	ip6 := map[uint16]string{
		256: "86dd", 27: "20010db8000000000000000000000001", 28: "20010db8000000000000000000000002",
		5: "b8", 192: "40", 31: "0abcde", 1: "8c",
	}
	rest := map[uint16]string{1: "03d6"} // of the frame, without Ethernet's header and checksum
	merged := func(all ...map[uint16]string) map[uint16]string {
		sum := map[uint16]string{1: "03e8", 2: "01", 34: "03e8", 10: "07", 14: "09", 352: "03e8"}
		for _, m := range all {
			maps.Copy(sum, m)
		}
		return sum
	}
	type is = map[uint16]string
	for name, c := range map[string]struct {
		protocol uint32
		packet   string
		want     is
	}{
		"tcp":  {1, macs + "0800" + v4ip + tcp, merged(mac, ip4, ports)},
		"vlan": {1, macs + "8100 a064 0800" + v4ip + tcp, merged(mac, ip4, ports, is{58: "64", 243: "64"})},
		"qinq": {
			1, macs + "88a8 0064 8100 6007 0800" + v4ip + tcp,
			merged(mac, ip4, ports, is{58: "64", 243: "64", 245: "07"}),
		},
		"three tags": {
			1, macs + "9100 0001 88a8 0002 8100 0003 0800" + v4ip,
			merged(mac, ip4, is{58: "01", 243: "01", 245: "02"}),
		},
		"mpls":           {1, macs + "8847 00010040 00011140" + v4ip + tcp, merged(mac, ip4, ports, is{70: "0100", 71: "0111"})},
		"mpls of others": {1, macs + "8847 00011140 0102", merged(mac, rest, is{256: "8847", 70: "0111"})},
		"no link":        {11, v4ip + tcp, merged(ip4, ports)},
		"no link, six":   {12, six("11") + udp, merged(ip6, is{4: "11", 7: "35", 11: "8235"})},
		"labels alone":   {13, "00011140" + six("11"), merged(ip6, is{4: "11", 70: "0111"})},
		"options":        {11, "46" + v4 + "01010101" + tcp, merged(ip4, ports)},
		"lying options":  {11, "44" + v4 + tcp, merged(ip4)},
		"options cut":    {11, "4f" + v4 + tcp, merged(ip4)},
		"first fragment": {11, strings.Replace(v4ip, "4000", "2000", 1) + tcp, merged(ip4, ports, is{197: "20"})},
		"later fragment": {11, strings.Replace(v4ip, "4000", "20b9", 1) + tcp, merged(ip4, is{197: "20", 88: "b9"})},
		"ports alone":    {11, v4ip + "01bb d903", merged(ip4, is{7: "01bb", 11: "d903"})},
		"half a port":    {11, v4ip + "01bb d9", merged(ip4)},
		"icmp": {
			11, strings.Replace(v4ip, "06 0000", "01 0000", 1) + "0301 0000", merged(ip4, is{4: "01", 176: "03", 177: "01"}),
		},
		"icmp6": {12, six("3a") + "8001", merged(ip6, is{4: "3a", 178: "80", 179: "01"})},
		"hop by hop": {
			12, six("00") + "3c00 000000000000 1101 0000000000000000000000000000" + udp,
			merged(ip6, is{4: "11", 7: "35", 11: "8235"}),
		},
		"auth": {
			12, six("33") + "0604 0000 00000000 00000000 00000000 00000000 00000000" + tcp,
			merged(ip6, ports, is{4: "06"}),
		},
		"six, first part": {
			12, six("2c") + "1100 0001 00bc614e" + udp,
			merged(ip6, is{4: "11", 7: "35", 11: "8235", 54: "bc614e", 197: "20"}),
		},
		"six, later part":  {12, six("2c") + "1100 0008 00bc614e" + udp, merged(ip6, is{4: "11", 54: "bc614e", 88: "01"})},
		"extension cut":    {12, six("00") + "3cff 0000", merged(ip6)},
		"arp":              {1, macs + "0806 0001", merged(mac, rest, is{256: "0806"})},
		"tag cut":          {1, macs + "8100 00", merged(mac, rest, is{256: "8100"})},
		"ethernet cut":     {1, "0200000000", merged(rest)},
		"ip cut":           {1, macs + "0800 4500", merged(mac, rest, is{256: "0800"})},
		"type is a lie":    {1, macs + "0800" + six("11"), merged(mac, rest, is{256: "0800"})},
		"another protocol": {4, v4ip, merged(is{1: "03e4"})},
	} {
		if got := elements(t, sample(raw(c.protocol, c.packet))); !maps.Equal(got, c.want) {
			t.Errorf("%s:\n%v\ninstead of\n%v", name, got, c.want)
		}
	}
}

func TestRecordsAreTakenIn(t *testing.T) {
	type is = map[uint16]string
	four := words(1, 0xc0000201)
	for name, c := range map[string]struct {
		records [][]byte
		want    is
	}{
		"nothing": {nil, is{}},
		"ethernet": {
			[][]byte{block(sampledEthernet, words(60), []byte("source\xff\xff"), []byte("target\xff\xff"), words(0x806))},
			is{1: "2a", 352: "3c", 56: hex.EncodeToString([]byte("source")), 80: hex.EncodeToString([]byte("target")), 256: "0806"},
		},
		"ipv4": {
			[][]byte{block(sampledIPv4, words(60, 17, 0xc0000201, 0xc0000202, 53, 5353, 0, 0xb8))},
			is{1: "3c", 4: "11", 8: "c0000201", 12: "c0000202", 7: "35", 11: "14e9", 5: "b8", 256: "0800"},
		},
		"ipv6": {
			[][]byte{block(sampledIPv6, words(60, 6, 0x20010db8, 0, 0, 1, 0x20010db8, 0, 0, 2, 53, 5353, 0x12, 0xb8))},
			is{
				1: "3c", 4: "06", 27: "20010db8000000000000000000000001", 28: "20010db8000000000000000000000002",
				7: "35", 11: "14e9",
				5: "b8", 6: "12", 256: "86dd",
			},
		},
		"switch before the tag": {
			[][]byte{block(extendedSwitch, words(10, 1, 20, 2)), raw(1, "020000000001 020000000002 8100 0064 0806")},
			is{1: "03d2", 352: "03e8", 58: "0a", 59: "14", 254: "14", 243: "64", 80: "020000000001", 56: "020000000002", 256: "0806"},
		},
		"router without next hop": {[][]byte{block(extendedRouter, words(0, 24, 16))}, is{9: "18", 13: "10"}},
		"next hop of another version": {
			[][]byte{
				block(extendedRouter, words(2, 0x20010db8, 0, 0, 9, 24, 16)),
				block(sampledIPv4, words(0, 0, 1<<24, 2<<24, 0, 0, 0, 0)),
			},
			is{62: "20010db8000000000000000000000009", 9: "18", 13: "10", 8: "01000000", 12: "02000000", 256: "0800"},
		},
		"gateway": {
			[][]byte{block(extendedGateway, four, words(100, 0, 300, 3, 2, 0, 2, 2, 400, 500, 1, 1, 600, 1, 7, 100))},
			is{18: "c0000201", 16: "64", 17: "0258", 128: "0190", 129: "012c"},
		},
		"gateway without path": {
			[][]byte{block(extendedGateway, four, words(100, 200, 0, 0, 0, 100))}, is{18: "c0000201", 16: "c8", 17: "64"},
		},
		"of a vendor": {[][]byte{block(9<<12|1, words(1, 2, 3))}, is{}},
	} {
		want := is{2: "01", 34: "03e8", 10: "07", 14: "09"}
		maps.Copy(want, c.want)
		if got := elements(t, sample(c.records...)); !maps.Equal(got, want) {
			t.Errorf("%s:\n%v\ninstead of\n%v", name, got, want)
		}
	}
}
