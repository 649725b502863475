package explain

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// exporter makes random datagrams.
type exporter struct {
	*rand.Rand
	nine   bool
	number uint32
	fields map[int][]int // of templates: enterprise, element, length
	option map[int]bool
}

var interesting = []int{1, 2, 4, 5, 6, 7, 8, 10, 11, 12, 14, 15, 16, 21, 22, 23, 24, 27, 28, 32, 34, 48, 58, 60, 61, 85, 89, 130, 139, 150, 152, 160, 176, 178, 192, 231, 232, 243, 256, 291, 298, 299, 302, 304, 305, 306, 309, 310, 315, 351, 485}

func (e *exporter) template(id int, options bool) []byte {
	var fields []byte
	n, scopes := 1+e.IntN(12), 0
	if options {
		scopes = 1
	}
	e.fields[id], e.option[id] = nil, options
	for range n {
		element, enterprise := interesting[e.IntN(len(interesting))], 0
		if e.IntN(8) == 0 {
			element = 1 + e.IntN(500)
		}
		length := []int{1, 2, 4, 8, 4, 4, 16, 6}[e.IntN(8)]
		switch {
		case element == 27 || element == 28:
			length = 16
		case element == 8 || element == 12 || element == 15:
			length = 4
		case element == 315:
			length = 60
		}
		if !e.nine {
			switch e.IntN(10) {
			case 0:
				enterprise = []int{29305, 32473}[e.IntN(2)]
			case 1:
				length = 65535
			}
		}
		if enterprise != 0 {
			fields = slices.Concat(fields, be16(element|0x8000, length), be32(uint32(enterprise)))
		} else {
			fields = append(fields, be16(element, length)...)
		}
		e.fields[id] = append(e.fields[id], enterprise, element, length)
	}
	switch {
	case e.nine && options:
		return set(1, be16(id, 4, 4*(n-1)), fields)
	case e.nine:
		return set(0, be16(id, n), fields)
	case options:
		return set(3, be16(id, n, scopes), fields)
	}
	return set(2, be16(id, n), fields)
}

func (e *exporter) data(id int) []byte {
	var body []byte
	for range 1 + e.IntN(3) {
		fields := e.fields[id]
		for i := 0; i < len(fields); i += 3 {
			n := fields[i+2]
			if n == 65535 {
				n = e.IntN(20)
				if e.IntN(2) == 0 {
					body = append(body, byte(n))
				} else {
					body = append(body, 255, 0, byte(n))
				}
			}
			value := make([]byte, n)
			switch e.IntN(4) {
			case 0: // zero
			case 1:
				if n > 0 {
					value[n-1] = byte(1 + e.IntN(20))
				}
			default:
				for i := range value {
					value[i] = byte(e.Uint32())
				}
			}
			if fields[i+1] == 315 && n == 60 {
				copy(value[12:], []byte{8, 0, 0x45, 0, 0, 46})
				value[23] = []byte{1, 6, 17, 47}[e.IntN(4)]
			}
			body = append(body, value...)
		}
	}
	return set(id, body, make([]byte, e.IntN(4)))
}

func (e *exporter) datagram() []byte {
	var sets [][]byte
	for range 1 + e.IntN(4) {
		id := 256 + e.IntN(4)
		if e.fields[id] == nil || e.IntN(4) == 0 {
			announced := e.template(id, e.IntN(4) == 0)
			if e.IntN(8) > 0 { // else the data waits
				sets = append(sets, announced)
			}
		}
		sets = append(sets, e.data(id))
	}
	e.number += uint32(e.IntN(3))
	if e.nine {
		return nine(sets...)
	}
	return ipfix(e.number, sets...)
}

var fieldLine = regexp.MustCompile(`(?m)^      \S.*$`)

// Whatever templates and records an exporter sends, an explanation agrees with a replay, shows each record, and says of
// each field what became of it.
func TestAnExplanationOfRandomExportersAgreesWithAReplay(t *testing.T) {
	rounds := uint64(120)
	if testing.Short() {
		rounds = 30
	}
	l := world(t, true)
	shown := 0
	for seed := range rounds {
		e := &exporter{Rand: rand.New(rand.NewPCG(seed, 3)), nine: seed%2 == 0, fields: map[int][]int{}, option: map[int]bool{}}
		var list [][]byte
		for range 4 {
			list = append(list, e.datagram())
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			text := agree(t, l, nil, datagrams(list...))
			shown += len(fieldLine.FindAllString(text, -1))
		})
	}
	if shown < 1000 {
		t.Errorf("%d fields", shown)
	}
}

// Each part of a sample says which column it became.
func TestEachPartOfASampleSaysWhatBecameOfIt(t *testing.T) {
	header := slices.Concat(
		[]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}, be16(0x8100, 0x2064, 0x0800), // VLAN 100
		[]byte{0x45, 4, 0, 60, 0, 1, 0, 0, 63, 6, 0, 0, 192, 0, 2, 1, 198, 51, 100, 7}, be16(1234, 443), be32(1, 2), []byte{0x50, 0x12, 0, 0},
	)
	record := slices.Concat(be32(1, uint32(16+len(header)), 1, 82, 4, uint32(len(header))), header)
	router := be32(1002, 16, 1, 0xc0000209, 24, 16)
	sample := slices.Concat(be32(7, 3, 1000, 5000, 0, 3, 4, 2), record, router)
	payload := slices.Concat(be32(5, 1, 0xc0000263, 0, 17, 100_000, 3),
		be32(2, 12, 1, 2, 0), be32(1, uint32(len(sample))), sample, be32(1, 4, 9))
	text := squeezed(agree(t, world(t, false), nil, datagrams(payload)))
	for _, want := range []string{
		"\n sFlow v5, agent 192.0.2.99, sub-agent 0, sequence 17, up 1m40s\n",
		"\n sample 1: counters sample, 12 bytes\n no flow: the collector does not read this kind of sample\n",
		"\n rate 000003e8 1000 sampling_rate; decides sampling_known\n",
		"\n input 00000003 3 in_if\n",
		"\n ethernet target 020000000002 02:00:00:00:00:02 dst_mac\n",
		"\n tag 2064 VLAN 100, priority 1 src_vlan\n",
		"\n IPv4 type of service 04 4 ip_tos\n",
		"\n IPv4 length 003c 60 bytes\n",
		"\n IPv4 TTL 3f 63 ip_ttl\n",
		"\n IPv4 source c0000201 192.0.2.1 src_addr\n",
		"\n TCP target port 01bb 443 dst_port\n",
		"\n TCP flags 12 18 tcp_flags\n",
		"\n record: extended router, 16 bytes\n next hop c0000209 192.0.2.9 next_hop\n source mask 00000018 24 src_net_mask\n",
		"\n sample 3: flow sample, 4 bytes\n malformed: 1 part: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A biflow says what became its reverse flow.
func TestABiflowSaysWhatBecameItsReverseFlow(t *testing.T) {
	fields := slices.Concat(be16(256, 4, 8, 4, 12, 4, 1, 4, 0x8001, 4), be32(29305))
	text := squeezed(agree(t, world(t, false), nil, datagrams(ipfix(0, set(2, fields), set(256, be32(0xc0000201, 0xc0000202, 10, 20))))))
	for _, want := range []string{
		"biflows: each record may be two flows\n", "\n sourceIPv4Address c0000201 192.0.2.1 src_addr; reverse dst_addr\n",
		"\n reverse octetDeltaCount 00000014 20 reverse bytes\n", "\n reverse flow {",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The decoder is not disturbed by hostile datagrams that are explained.
func TestGarbageIsExplained(t *testing.T) {
	l := world(t, true)
	r := rand.New(rand.NewPCG(5, 5))
	var list [][]byte
	for i := range 300 {
		b := make([]byte, r.IntN(200))
		for i := range b {
			b[i] = byte(r.Uint32() & r.Uint32())
		}
		copy(b, [][]byte{{0, 5, 0, 2}, {0, 9, 0, 3}, {0, 10, 0, 150}, {0, 0, 0, 5, 0, 0, 0, 1}, {}}[i%5])
		list = append(list, b)
	}
	if text := agree(t, l, nil, datagrams(list...)); !strings.Contains(text, flow.Unknown.String()) || bytes.Count([]byte(text), []byte("\ndatagram ")) != 299 {
		t.Error(text)
	}
}
