package snmp

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gosnmp/gosnmp"

	"github.com/hotpb/hotpb/apps/flows/internal/snmp/agent"
)

var local = netip.MustParseAddr("127.0.0.1")

func newAgent(t *testing.T, objects map[string]any) *agent.Agent {
	t.Helper()
	a, err := agent.New(objects)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// quick are options for an agent on loopback.
func quick(port uint16) Options {
	o := Defaults()
	o.Timeout, o.Retries = 5*time.Second, 0 // the machine may be busy
	o.Access.Insert(netip.MustParsePrefix("127.0.0.0/8"), &Access{Port: port, Community: "secret"})
	return o
}

// log collects the lines of a logger.
type log struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes.String()
}

// running is a poller at work.
func running(t *testing.T, o Options) (*Poller, *log) {
	t.Helper()
	l := &log{}
	p := New(slog.New(slog.NewTextHandler(l, nil)))
	p.Configure(o)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return p, l
}

func until(t *testing.T, condition string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not within 20 seconds: ", condition)
		}
	}
}

func TestADeviceAnswers(t *testing.T) {
	a := newAgent(t, agent.Router())
	p, _ := running(t, quick(a.Port()))
	d := p.Device(local)
	until(t, "an answer", func() bool { return d.Facts() != nil })
	want := Facts{Name: "edge1.example.com", Description: "Router OS  1.0", Location: "Z\uFFFDrich", Ports: map[uint64]Port{
		1: {"et1", "Transit: Example", 100_000_000_000}, 70000: {"Ethernet2", "", 10_000_000},
	}}
	if f := d.Facts(); !f.same(&want) {
		t.Errorf("%+v", f)
	}
	if p.Device(local) != d {
		t.Error("a device has two entries")
	}
	if p.Device(netip.MustParseAddr("192.0.2.1")) != nil {
		t.Error("a device without access is asked")
	}
	var none *Poller
	if none.Device(local) != nil {
		t.Error("a device of no poller")
	}
}

// What a device answers later replaces what it answered before; if that is the same, the pointer stays.
func TestFactsChangeOnlyWhenTheAnswerDoes(t *testing.T) {
	a := newAgent(t, agent.Router())
	o := quick(a.Port())
	o.Every = 20 * time.Millisecond
	p, _ := running(t, o)
	d := p.Device(local)
	until(t, "an answer", func() bool { return d.Facts() != nil })
	first, before := d.Facts(), p.polls[1].Load()
	until(t, "more answers", func() bool { return d.Facts() != nil && p.polls[1].Load() >= before+2 })
	if d.Facts() != first {
		t.Error("the same answer has other facts")
	}
	changed := agent.Router()
	changed[agent.IfAlias+".1"] = "Peering"
	a.Set(changed)
	until(t, "the other answer", func() bool { return d.Facts() != first })
	if got := d.Facts().Ports[1].Description; got != "Peering" {
		t.Error(got)
	}
}

// A device that does not answer is asked less and less often, and its facts count until they expire.
func TestADeviceThatFallsSilent(t *testing.T) {
	a := newAgent(t, agent.Router())
	o := quick(a.Port())
	o.Every, o.Expire, o.Timeout, o.Retries = 20*time.Millisecond, 300*time.Millisecond, 10*time.Millisecond, 0
	p, l := running(t, o)
	d := p.Device(local)
	until(t, "an answer", func() bool { return d.Facts() != nil })
	a.Close()
	until(t, "failures", func() bool { return d.Facts() == nil || p.polls[0].Load() > 0 })
	until(t, "expiry", func() bool { return d.Facts() == nil })
	if n := strings.Count(l.String(), "does not answer SNMP"); n != 1 {
		t.Errorf("%d lines: %s", n, l.String())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.pause != o.Every {
		t.Errorf("the pause is %v", d.pause)
	}
}

func TestPausesDouble(t *testing.T) {
	p := New(slog.New(slog.DiscardHandler))
	o := Defaults()
	d := &Device{address: local, access: &Access{}}
	p.devices[local] = d
	for _, want := range []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		p.done(d, &o, nil, context.DeadlineExceeded)
		if d.pause != want {
			t.Errorf("%v, want %v", d.pause, want)
		}
	}
	p.done(d, &o, &Facts{}, nil)
	if d.pause != 0 || d.Facts() == nil {
		t.Errorf("after an answer: %v", d.pause)
	}
}

// A device that no flow uses is forgotten; whoever still has it sees that.
func TestADeviceThatNoFlowUsesIsForgotten(t *testing.T) {
	a := newAgent(t, agent.Router())
	o := quick(a.Port())
	o.Every = 10 * time.Millisecond
	p, _ := running(t, o)
	d := p.Device(local)
	until(t, "it is forgotten", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.devices) == 0
	})
	if d.Facts() != &gone {
		t.Error("nobody sees it")
	}
	if successor := p.Device(local); successor == d || successor == nil {
		t.Error("it is not asked again")
	}
}

func TestAccessDecidesAndChanges(t *testing.T) {
	a := newAgent(t, agent.Router())
	wrong := quick(a.Port())
	wrong.Timeout = 50 * time.Millisecond
	wrong.Access.Insert(netip.MustParsePrefix("127.0.0.1/32"), &Access{Port: a.Port(), Community: "wrong"})
	p, _ := running(t, wrong)
	d := p.Device(local)
	until(t, "a failure", func() bool { return p.polls[0].Load() > 0 })
	p.Configure(quick(a.Port()))
	until(t, "an answer at once", func() bool { return d.Facts() != nil })
	p.Configure(Defaults())
	if d.Facts() != &gone || p.Device(local) != nil {
		t.Error("access that is no longer configured is used")
	}
}

func TestBoundsOfDevicesAndParallelPolls(t *testing.T) {
	a := newAgent(t, nil) // which answers that it has nothing
	o := quick(a.Port())
	o.Parallel, o.Timeout = 3, 50*time.Millisecond
	o.Access.Insert(netip.MustParsePrefix("127.0.0.0/8"), &Access{Port: a.Port(), Community: "other"}) // and these not at all
	p, _ := running(t, o)
	for i := range maxDevices + 10 {
		d := p.Device(netip.AddrFrom4([4]byte{127, 1, byte(i >> 8), byte(i)}))
		if (d == nil) != (i >= maxDevices) {
			t.Fatalf("device %d: %v", i, d)
		}
	}
	most := 0
	until(t, "polls fail", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		most = max(most, p.running)
		return p.polls[0].Load() > 10
	})
	if most > 3 || p.refused.Load() != 10 {
		t.Errorf("%d at once, %d refused", most, p.refused.Load())
	}
}

// An agent with too many interfaces, and one whose answers are damaged, cost its names and nothing else.
func TestHostileAgents(t *testing.T) {
	many := agent.Router()
	for i := range maxPorts + 1 {
		many[fmt.Sprint(agent.IfDescr, ".", i+1)] = "x"
	}
	a := newAgent(t, many)
	o := quick(a.Port())
	access, _ := o.Access.Lookup(local)
	if _, err := ask(t.Context(), local, access, &o); err == nil || !strings.Contains(err.Error(), "more than 16384 interfaces") {
		t.Error(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	bad := newAgent(t, agent.Router())
	bad.Garble(func(b []byte) []byte {
		for range 1 + random.IntN(4) {
			b[random.IntN(len(b))] = byte(random.Uint32())
		}
		return b[:1+random.IntN(len(b))]
	})
	o.Timeout, o.Retries = 5*time.Millisecond, 0
	failed := 0
	for range 300 {
		if _, err := ask(t.Context(), local, &Access{Port: bad.Port(), Community: "secret"}, &o); err != nil {
			failed++
		}
	}
	if failed < 290 {
		t.Errorf("only %d of 300 polls failed", failed)
	}
	o.Timeout = 5 * time.Second
	long := agent.Router()
	long[agent.SysName] = strings.Repeat("ä", 500)
	f, err := ask(t.Context(), local, &Access{Port: newAgent(t, long).Port(), Community: "secret"}, &o)
	if err != nil || len(f.Name) != 254 {
		t.Errorf("%v %+v", err, f)
	}
}

func TestNamesOfProtocols(t *testing.T) {
	if p, err := ParseAuthentication("SHA256"); p != gosnmp.SHA256 || err != nil {
		t.Error(p, err)
	}
	if _, err := ParsePrivacy("rot13"); err == nil || !strings.Contains(err.Error(), `"rot13" is not one of des, aes`) {
		t.Error(err)
	}
}
