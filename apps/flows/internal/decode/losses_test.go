package decode

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// The losses of all exporters together are those of each, except for senders that are no exporters.
func TestLossesBelongToTheirExporter(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	var examples []string
	r.store.Report(func(l session.Loss) {
		examples = append(examples, fmt.Sprint(l.From.Addr(), " ", l.Reason, " ", l.Number, " ", l.Domain, " ", l.Set, " ", l.Detail))
	})
	b := build{protocol: flow.IPFIX, domain: 7}
	send := func(last byte, payload []byte) {
		r.from = netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, last}), 2055)
		r.send(payload)
	}
	send(1, b.datagram(b.template(256, octets, template.Field{Element: 34, Length: 4}), set(256, be32(5, 1<<31), be32(6, 1<<31))))
	send(2, b.datagram(set(300, be32(1))))
	send(2, append(b.datagram(), be32(1, 2, 3, 4)...))
	send(3, b.datagram(b.template(256, template.Field{Element: 1, Length: 65})))
	send(3, b.datagram(set(256, make([]byte, 65))))
	send(3, (&build{protocol: flow.NetFlow5}).datagram()) // without flows
	send(4, []byte{0, 99, 0, 0})
	r.Append(nil, &flow.Datagram{Received: r.now, From: netip.MustParseAddrPort("192.0.2.3:2055"), Payload: b.datagram(set(256, make([]byte, 65))), Cut: true})
	r.now = r.now.Add(r.store.Limits().WaitingTime + time.Second)
	r.store.Expire(r.now)
	var got []string
	var sum count.Losses
	for _, e := range r.store.Exporters() {
		got = append(got, fmt.Sprint(e.Address, " ", e.Datagrams, " ", e.Losses.ByName()))
		sum.Add(&e.Losses)
	}
	want := "192.0.2.1 1 map[sampling_absurd:2]\n192.0.2.2 2 map[malformed:1 waiting_expired:1]\n192.0.2.3 4 map[field_refused:1 truncated:1]"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("%s\ninstead of\n%s", text, want)
	}
	if n := r.counts.Datagrams[flow.IPFIX].Load(); n != 6 {
		t.Errorf("%d datagrams", n)
	}
	sum[count.UnknownVersion]++ // of nobody
	for reason, n := range sum {
		if n != r.counts.Dropped(count.Reason(reason)) {
			t.Errorf("%v: %d of exporters, %d of all", count.Reason(reason), n, r.counts.Dropped(count.Reason(reason)))
		}
	}
	slices.Sort(examples)
	if text := strings.Join(examples, "\n"); text != "192.0.2.1 sampling_absurd 2 7 256 \n192.0.2.2 malformed 1 7 0 \n192.0.2.2 waiting_expired 1 7 300 template 300 has not come from this exporter; no port of this address has sent this template\n"+
		"192.0.2.3 field_refused 1 7 256 field 0, element 1: a number has 1 to 8 bytes, not 65 (column bytes)\n"+
		"192.0.2.3 truncated 1 0 0 the datagram is longer than --max-datagram\n192.0.2.4 unknown_version 1 0 0 " {
		t.Errorf("examples:\n%s", text)
	}
}

func TestExamplesOfLossesAreBounded(t *testing.T) {
	r := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{})
	n := 0
	r.store.Report(func(session.Loss) { n++ })
	for round := range 3 {
		for i := range 1000 {
			r.from = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1)
			r.send([]byte{0, 99, 0, 0})
		}
		if n != (round+1)*32 {
			t.Errorf("%d examples", n)
		}
		r.store.Expire(r.now)
	}
}
