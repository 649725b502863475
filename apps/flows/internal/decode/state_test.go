package decode

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// known is a rig whose exporter has reported templates and rates.
func known(t *testing.T, p flow.Protocol) (*rig, *build) {
	t.Helper()
	r, b := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{}), &build{protocol: p}
	scope := map[flow.Protocol]uint16{flow.NetFlow9: 2, flow.IPFIX: 10}[p]
	r.send(b.datagram(b.template(256, octets, in4), b.options(300, 1, vendorless(scope, 4), rate4), set(300, be32(1, 100, 2, 1000))))
	return r, b
}

// saved writes the state of a store to a file and reads it again.
func saved(t *testing.T, s *session.Store) *session.State {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.json")
	for range 2 { // the second time it replaces the file
		if err := s.State().WriteFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%v", files)
	}
	state, err := session.ReadState(path)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// The review's case: one exporter at 4,000 flows per second, whose template comes ten seconds late.
func TestFortyThousandFlowsWaitForTheirTemplate(t *testing.T) {
	for _, p := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
		r, b := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{}), &build{protocol: p}
		flows := 0
		for i := range 4000 {
			r.now = r.now.Add(2500 * time.Microsecond)
			var records []byte
			for j := range 10 {
				records = append(records, join(be32(uint32(10*i+j+1), 0x0a000001), make([]byte, 42))...)
			}
			flows += len(r.send(b.datagram(set(256, records))))
		}
		released := r.send(b.datagram(b.template(256, octets, source, vendorless(210, 42))))
		if flows != 0 || len(released) != 40_000 || !strings.HasSuffix(released[39_999], "bytes=40000 src=10.0.0.1") {
			t.Errorf("%v: %d flows before the template, %d when it came", p, flows, len(released))
		}
		r.expect("none is lost", nil)
		if r.store.Waiting() != 0 {
			t.Errorf("%d bytes wait", r.store.Waiting())
		}
	}
}

// One exporter that waits may not take all the room from the others.
func TestRoomForWaitingIsShared(t *testing.T) {
	limits := session.DefaultLimits()
	limits.Waiting, limits.AllWaiting = 50_000, 1_000_000
	r, b := newRig(t, limits, parse(t, small), nil, Options{}), &build{protocol: flow.IPFIX}
	for i := range uint16(3) {
		r.from = netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), 2055)
		for range 1000 {
			r.send(b.datagram(set(256, make([]byte, 1000))))
		}
		if n := r.store.Exporters()[i].Waiting; n < 100_000 || n > 510_000 || r.store.Waiting() > limits.AllWaiting {
			t.Errorf("exporter %d: %d of %d bytes", i, n, r.store.Waiting())
		}
	}
}

func TestTemplatesAndRatesOutliveTheProcess(t *testing.T) {
	for _, p := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
		before, b := known(t, p)
		data := b.datagram(set(256, be32(5, 1, 6, 2)))
		want := before.send(data)
		after := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
		after.Restore(nil, saved(t, before.store), after.now)
		after.expectFlows("after the restart", after.send(data), want...)
		if len(want) != 2 || want[0] != "rate=100 known=1 bytes=5 bytes_scaled=500 in=1" || after.store.Templates() != 2 {
			t.Errorf("%q, %d templates", want, after.store.Templates())
		}
		after.expect("restart", nil)
		// The exporter has the last word.
		after.send(b.datagram(b.template(256, packets, in4), set(300, be32(1, 7))))
		after.expectFlows("changed", after.send(data), "rate=7 known=1 packets=5 packets_scaled=35 in=1", "rate=1000 known=1 packets=6 packets_scaled=6000 in=2")
		after.now = after.now.Add(time.Second)
		after.Restore(nil, saved(t, before.store), after.now)
		if got := after.send(data); !strings.Contains(got[0], "packets=5") || !strings.Contains(got[0], "rate=7 ") {
			t.Errorf("an older state wins: %q", got)
		}
	}
}

func TestWhatIsOldIsNotRestored(t *testing.T) {
	before, b := known(t, flow.IPFIX)
	after := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
	after.now = after.now.Add(after.store.Limits().Lifetime + time.Second)
	after.Restore(nil, saved(t, before.store), after.now)
	if got := after.send(b.datagram(set(256, be32(5, 1)))); len(got) != 0 || after.store.Templates() != 0 {
		t.Errorf("%q", got)
	}
}

// A collector that knows the template helps another one, where the data arrives.
func TestCollectorsShareTheirTemplates(t *testing.T) {
	first, b := known(t, flow.NetFlow9)
	two := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
	two.expectFlows("it waits", two.send(b.datagram(set(256, be32(5, 2)))))
	two.store.Offer(saved(t, first.store))
	out, n := two.Due(nil, two.now)
	if got := texts(t, two.layout.Plan.Columns(two.layout.Plan.Root()), out); n != 1 || got[0] != "rate=1000 known=1 bytes=5 bytes_scaled=5000 in=2" {
		t.Errorf("%d, %q", n, got)
	}
	if two.store.Exporters()[0].Flows != 1 || two.counts.Flows[flow.NetFlow9].Load() != 1 || two.store.Waiting() != 0 {
		t.Errorf("%+v", two.store.Exporters())
	}
	if _, n := two.Due(nil, two.now); n != 0 {
		t.Errorf("%d flows again", n)
	}
	// A later template of the other one replaces ours, and reaches no flow that was read before.
	first.now = first.now.Add(time.Minute)
	first.send(b.datagram(b.template(256, packets, in4)))
	two.store.Offer(saved(t, first.store))
	two.Due(nil, two.now)
	two.expectFlows("the later one", two.send(b.datagram(set(256, be32(5, 2)))), "rate=1000 known=1 packets=5 packets_scaled=5000 in=2")
	two.expect("shared", nil)
}

func TestAnExporterMayBeAnAddress(t *testing.T) {
	for _, byAddress := range []bool{false, true} {
		r, b := newRig(t, session.DefaultLimits(), parse(t, small), nil, Options{}), &build{protocol: flow.NetFlow9}
		if byAddress {
			r.store.ByAddress()
		}
		r.send(b.datagram(b.template(256, octets)))
		template := r.from
		r.from = netip.AddrPortFrom(template.Addr(), 9999)
		b.sequence = 70
		got := r.send(b.datagram(set(256, be32(5))))
		r.from, b.sequence = template, 1
		r.send(b.datagram(b.template(256, octets)))
		e := r.store.Exporters()[0]
		if len(got) != 1 || byAddress && e.Sessions != 1 || !byAddress && e.Sessions != 2 || e.Lost+e.Restarts != 0 {
			t.Errorf("by address %v: %q, %+v", byAddress, got, e)
		}
	}
}

// A file that somebody has damaged, or made, harms nobody.
func TestStatesAreCheckedAsIfExportersHadSentThem(t *testing.T) {
	folder := t.TempDir()
	good, _ := known(t, flow.IPFIX)
	path := filepath.Join(folder, "state.json")
	if err := good.store.State().WriteFile(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(text) - 1 {
		if err := os.WriteFile(path, text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := session.ReadState(path); err == nil {
			t.Errorf("%d bytes are a state", n)
		}
	}
	if err := os.WriteFile(path, []byte(`{"version":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := session.ReadState(path); err == nil {
		t.Error("another version is read")
	}
	now := good.now.Unix()
	template := `{"id":%d,"options":%v,"scopes":%d,"fields":%s,"learnt":%d,"seen":%d}`
	for _, x := range []string{
		fmt.Sprintf(template, 255, false, 0, "[[0,1,4]]", now, now), fmt.Sprintf(template, 256, false, 0, "[]", now, now),
		fmt.Sprintf(template, 256, true, 9, "[[0,1,4]]", now, now), fmt.Sprintf(template, 256, true, -1, "[[0,1,4]]", now, now),
		fmt.Sprintf(template, 256, false, 0, "[[0,70000,4]]", now, now), fmt.Sprintf(template, 256, false, 0, "[[0,1,70000]]", now, now),
		fmt.Sprintf(template, 256, false, 0, "[[0,1,0]]", now, now), fmt.Sprintf(template, 256, false, 0, "["+strings.Repeat("[0,1,4],", 600)+"[0,1,4]]", now, now),
	} {
		for _, protocol := range []int{0, 3, 4, 200} {
			var state session.State
			text := fmt.Sprintf(`{"exporters":[{"from":"192.0.2.1:1","domains":[{"protocol":%d,"templates":[%s],"rates":[{"rate":0.5,"seen":%d},{"rate":1e300,"seen":%d},{"samplers":[1,2,3,4,5,6,7,8,9],"seen":%d}]}]},{}]}`, protocol, x, now, now, now)
			if err := json.Unmarshal([]byte(text), &state); err != nil {
				t.Fatal(err)
			}
			r := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
			r.Restore(nil, &state, r.now)
			if r.store.Templates() != 0 {
				t.Errorf("restored: %s", text)
			}
			r.store.Each(func(e *session.Exporter) {
				for _, d := range e.Domains() {
					if d.Rates.Len() != 0 {
						t.Errorf("rates: %s", text)
					}
				}
			})
		}
	}
}

// Collectors that share states read those of the others every few seconds. An exporter that is silent stays silent.
func TestAStateIsNoDatagram(t *testing.T) {
	for _, p := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
		r, _ := known(t, p)
		sent, state := r.now, saved(t, r.store)
		fresh := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
		for range 3 {
			r.now = r.now.Add(20 * time.Minute)
			r.Restore(nil, state, r.now)
			fresh.Restore(nil, state, r.now)
			for _, s := range []*session.Store{r.store, fresh.store} {
				if e := s.Exporters()[0]; !e.Last.Equal(sent) {
					t.Errorf("%v: last seen at %v, not %v", p, e.Last, sent)
				}
			}
		}
	}
}
