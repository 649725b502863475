package decode

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// ports sends from several ports of one address.
type ports struct {
	*rig
	build
	said map[count.Reason]string
}

func newPorts(t *testing.T, p flow.Protocol, limits session.Limits, columns string) *ports {
	r := &ports{rig: newRig(t, limits, parse(t, columns), nil, Options{}), build: build{protocol: p, uptime: 500_000}, said: map[count.Reason]string{}}
	r.store.Report(func(l session.Loss) { r.said[l.Reason] = l.Detail })
	return r
}

func (p *ports) by(port int, sets ...[]byte) []string {
	p.from = netip.AddrPortFrom(netip.MustParseAddr("192.0.2.1"), uint16(port))
	return p.send(p.datagram(sets...))
}

func (p *ports) later(d time.Duration) {
	p.now = p.now.Add(d)
	p.export, p.uptime = uint32(p.now.Unix()), p.uptime+uint32(d.Milliseconds())
}

func (p *ports) kind(text string) string {
	return map[flow.Protocol]string{flow.NetFlow9: "type=2 ", flow.IPFIX: "type=3 "}[p.protocol] + text
}

var bothProtocols = []flow.Protocol{flow.NetFlow9, flow.IPFIX}

func TestTemplatesOfAnotherPortAreUsed(t *testing.T) {
	for _, p := range bothProtocols {
		r := newPorts(t, p, session.DefaultLimits(), small)
		data := set(256, be32(5, 0x01020304))

		// Whether the template comes first or the data does.
		r.expectFlows("data first", r.by(2, data))
		r.by(1, r.template(256, octets, source), r.template(257, octets))
		r.expectFlows("the next datagram", r.by(2, data), r.kind("bytes=5 src=1.2.3.4"), r.kind("bytes=5 src=1.2.3.4"))
		r.expectFlows("a third port", r.by(3, set(257, be32(7))), r.kind("bytes=7"))
		if n := r.counts.Borrowed.Load(); n != 2 {
			t.Errorf("%d templates are borrowed", n)
		}

		// As soon as it changes there, it does here.
		r.by(1, r.template(256, source, octets))
		r.expectFlows("another definition", r.by(2, data), r.kind("bytes=16909060 src=0.0.0.5"))

		// The port's own template counts, whatever the others send later.
		r.by(2, r.template(256, octets, source))
		r.expectFlows("its own", r.by(2, data), r.kind("bytes=5 src=1.2.3.4"))
		r.by(1, r.template(256, source, source))
		r.expectFlows("still", r.by(2, data), r.kind("bytes=5 src=1.2.3.4"))

		// Withdrawn by whoever sends it, the number has no meaning until somebody defines it again.
		if p == flow.IPFIX {
			r.by(1, set(2, be16(257, 0)))
			r.expectFlows("withdrawn", r.by(3, set(257, be32(7))))
			r.by(1, r.template(257, octets))
			r.expectFlows("and back", r.by(3, set(257, be32(8))), r.kind("bytes=7"), r.kind("bytes=8"))
		}
		r.domain = 9
		r.expectFlows("another domain", r.by(3, set(257, be32(7))))
		r.expect("nothing is wrong", nil)
	}
}

// Without a further datagram, too.
func TestWhatWaitedForAnotherPortIsNotForgotten(t *testing.T) {
	for _, p := range bothProtocols {
		for _, end := range []bool{true, false} {
			r := newPorts(t, p, session.DefaultLimits(), small)
			r.by(2, set(256, be32(5)), set(258, be32(5)))
			r.by(2, set(257, be32(6)))
			r.by(1, r.template(256, octets), r.template(257, octets))
			var n int
			if r.later(2 * time.Second); end {
				_, n = r.End(nil)
			} else {
				_, n = r.Due(nil, r.now)
			}
			if n != 2 || r.store.Waiting() == 0 {
				t.Errorf("%d flows, %d bytes wait", n, r.store.Waiting())
			}
		}
	}
}

// A set whose template cannot be derived is not decoded, and the log says why.
func TestTemplatesOfOtherPortsMustBeCertain(t *testing.T) {
	first, two := []template.Field{octets, source}, []template.Field{source, octets}
	for _, p := range bothProtocols {
		for name, c := range map[string]struct {
			do   func(r *ports)
			want string
		}{
			"several definitions": {func(r *ports) {
				r.by(1, r.template(256, first...))
				r.by(3, r.template(256, two...))
			}, "different templates"},
			"another number": {func(r *ports) { r.by(1, r.template(300, first...)) }, "no port of this address has sent"},
			"another domain": {func(r *ports) {
				r.domain = 5
				r.by(1, r.template(256, first...))
				r.domain = 0
			}, "but for domain 5"},
			"another address": {func(r *ports) {
				r.from = netip.MustParseAddrPort("192.0.2.99:1")
				r.send(r.datagram(r.template(256, first...)))
			}, "no port of this address has sent"},
		} {
			r := newPorts(t, p, session.DefaultLimits(), small)
			c.do(r)
			data := set(256, be32(5, 6))
			for range 3 {
				r.expectFlows(name, r.by(2, data))
				r.later(70 * time.Second)
			}
			r.later(r.store.Limits().WaitingTime)
			r.store.Expire(r.now)
			if got := r.said[count.WaitingExpired]; !strings.Contains(got, c.want) {
				t.Errorf("%s: the log says %q", name, got)
			}
			r.expect(name, map[string]uint64{"waiting_expired": 3})
		}
	}
}

// Two processes of one host use the same numbers. Each reads its own templates, however late they come; what was borrowed in
// between is given back when the two differ.
func TestProcessesOfOneAddressAreNotMixed(t *testing.T) {
	for _, p := range bothProtocols {
		r := newPorts(t, p, session.DefaultLimits(), small)
		data := set(256, be32(5, 6))
		r.by(1, r.template(256, octets, source), data)
		r.expectFlows("the other process, before its template", r.by(2, data))
		r.later(20 * time.Second)
		r.expectFlows("its template", r.by(2, r.template(256, source, octets), data), r.kind("bytes=6 src=0.0.0.5"), r.kind("bytes=6 src=0.0.0.5"))

		// What the end of a capture leaves has no other template.
		r = newPorts(t, p, session.DefaultLimits(), small)
		r.by(1, r.template(256, octets, source), data)
		r.expectFlows("another port", r.by(2, data))
		if _, n := r.End(nil); n != 1 {
			t.Errorf("%d flows in the end", n)
		}

		// One that never sends any is a part of the first.
		r = newPorts(t, p, session.DefaultLimits(), small)
		r.by(1, r.template(256, octets, source), data)
		for range 3 {
			r.expectFlows("not yet", r.by(2, data))
			r.later(29 * time.Second)
		}
		r.expectFlows("after a minute", r.by(2, data), r.kind("bytes=5 src=0.0.0.6"), r.kind("bytes=5 src=0.0.0.6"), r.kind("bytes=5 src=0.0.0.6"), r.kind("bytes=5 src=0.0.0.6"))
		r.expectFlows("from then on", r.by(2, data), r.kind("bytes=5 src=0.0.0.6"))
		r.by(3, r.template(256, source, octets), data)
		r.expectFlows("now there are two", r.by(2, data))
	}
}

// An exporter that was started again has new ports, and may have new templates under the old numbers.
func TestAnEarlierStartLendsNothing(t *testing.T) {
	r := newPorts(t, flow.NetFlow9, session.DefaultLimits(), small)
	data := set(256, be32(5, 6))
	r.by(1, r.template(256, octets, source))
	r.expectFlows("before", r.by(2, data), "type=2 bytes=5 src=0.0.0.6")
	r.later(5 * time.Minute)
	r.uptime = 3000
	r.expectFlows("after", r.by(4, data))
	r.by(3, r.template(256, source, octets))
	r.expectFlows("its own", r.by(4, data), "type=2 bytes=6 src=0.0.0.5", "type=2 bytes=6 src=0.0.0.5")

	// Of IPFIX nobody knows, so the two must agree until the old one has been silent for an hour.
	r = newPorts(t, flow.IPFIX, anyClock(), small)
	r.by(1, r.template(256, octets, source))
	r.by(3, r.template(256, source, octets))
	r.later(time.Hour + time.Second)
	r.by(3, r.template(256, source, octets))
	r.expectFlows("the one that is heard", r.by(2, data), "type=3 bytes=6 src=0.0.0.5")
}

// Options come from the port of the templates.
func TestSamplingRatesComeWithTheTemplates(t *testing.T) {
	for _, p := range bothProtocols {
		limits := session.DefaultLimits()
		limits.RateWait = 10 * time.Second
		r := newPorts(t, p, limits, rated)
		options := func(domain uint32, rate uint32) {
			before := r.domain
			r.domain = domain
			r.by(1, r.options(300, 1, map[flow.Protocol]template.Field{flow.IPFIX: process, flow.NetFlow9: {Element: 1, Length: 4}}[p], vendorless(34, 4)), set(300, be32(1, rate)))
			r.domain = before
		}
		data := set(256, be32(7))
		r.by(1, r.template(256, octets))
		r.expectFlows("held", r.by(2, data))
		options(0, 100)
		r.expectFlows("rated", r.by(2, data), "rate=100 known=1 bytes=7 bytes_scaled=700", "rate=100 known=1 bytes=7 bytes_scaled=700")
		r.expectFlows("the first datagram of a port", r.by(5, data), "rate=100 known=1 bytes=7 bytes_scaled=700")
		r.later(2 * time.Second)
		options(0, 200)
		r.expectFlows("another rate", r.by(2, data), "rate=200 known=1 bytes=7 bytes_scaled=1400")

		// Another port that reports another rate makes it uncertain.
		r.later(2 * time.Second)
		r.by(3, r.options(300, 1, map[flow.Protocol]template.Field{flow.IPFIX: process, flow.NetFlow9: {Element: 1, Length: 4}}[p], vendorless(34, 4)), set(300, be32(1, 50)))
		r.later(20 * time.Second)
		r.expectFlows("two rates", r.by(2, data), "bytes=7")

		// A port with templates of its own is an exporter of its own.
		r.expectFlows("its own template", r.by(4, r.template(256, octets), data))
		r.later(20 * time.Second)
		r.expectFlows("without a rate", r.by(4), "bytes=7")
	}
}

// What is borrowed is not written to a state, and is borrowed again.
func TestStatesHaveWhatPortsSendThemselves(t *testing.T) {
	for _, p := range bothProtocols {
		r := newPorts(t, p, anyClock(), small)
		data := set(256, be32(5, 6))
		r.by(1, r.template(256, octets, source))
		r.expectFlows("borrowed", r.by(2, data), r.kind("bytes=5 src=0.0.0.6"))
		state := r.store.State()
		if len(state.Exporters) != 1 || state.Exporters[0].From.Port() != 1 {
			t.Errorf("%+v", state)
		}
		next := newPorts(t, p, anyClock(), small)
		next.Restore(nil, state, next.now)
		next.expectFlows("after a restart", next.by(2, data), next.kind("bytes=5 src=0.0.0.6"))
	}
}

// Lookups among many ports cost little, and end at a limit.
func TestCrowdsOfPortsLendNothing(t *testing.T) {
	r := newPorts(t, flow.IPFIX, session.DefaultLimits(), small)
	for port := range 256 {
		r.by(1000+port, r.template(256, octets))
	}
	r.expectFlows("too many", r.by(2, set(256, be32(5))))
	r.later(r.store.Limits().WaitingTime + time.Second)
	r.store.Expire(r.now)
	if got := r.said[count.WaitingExpired]; !strings.Contains(got, "so many ports") || !strings.Contains(got, "--exporter-key=address") {
		t.Error(got)
	}
}

// What a port says of its own start counts, although another port's was used before.
func TestAPortsOwnStartCounts(t *testing.T) {
	r := newPorts(t, flow.IPFIX, session.DefaultLimits(), small)
	started := func(millis uint64) [][]byte {
		return [][]byte{r.options(300, 1, process, vendorless(160, 8)), set(300, be32(1), wide(millis, 8))}
	}
	data := set(256, be32(5, 1000))
	r.by(1, append(started(1_799_999_000_000), r.template(256, octets, vendorless(22, 4)))...)
	r.expectFlows("the other port's", r.by(2, data), "type=3 bytes=5 start=1799999001000")
	r.by(2, started(1_799_999_000_001)...)
	r.expectFlows("its own", r.by(2, data), "type=3 bytes=5 start=1799999001001")
	r.later(2 * time.Second)
	r.by(1, r.template(257, octets))
	r.expectFlows("still", r.by(2, data), "type=3 bytes=5 start=1799999001001")
}
