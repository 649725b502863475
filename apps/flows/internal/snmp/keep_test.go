package snmp

import (
	"context"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/snmp/agent"
)

// lifetime runs a poller until an answer has come.
func lifetime(t *testing.T, o Options) {
	t.Helper()
	p := New(slog.New(slog.DiscardHandler))
	p.Configure(o)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.Run(ctx) }()
	until(t, "an answer", func() bool { p.Device(local); return p.polls[1].Load() > 0 })
	stop()
	<-ended
}

func TestNamesOutliveTheProcess(t *testing.T) {
	a := newAgent(t, agent.Router())
	o := quick(a.Port())
	o.Keep = filepath.Join(t.TempDir(), "names", "names.json") // the folder is created, too
	lifetime(t, o)
	a.Close()

	p, _ := running(t, o)
	f := p.Device(local).Facts()
	if f == nil || f.Name != "edge1.example.com" || f.Ports[1].Speed != 100_000_000_000 {
		t.Fatalf("%+v", f)
	}
	late := o
	late.Expire = time.Nanosecond
	p, _ = running(t, late)
	if f := p.Device(local).Facts(); f != nil {
		t.Errorf("an answer that has expired: %+v", f)
	}
}

// An exporter from which no flow comes between two restarts is still known after the second.
func TestNamesWithoutFlowsAreKept(t *testing.T) {
	a := newAgent(t, agent.Router())
	o := quick(a.Port())
	o.Keep = filepath.Join(t.TempDir(), "names.json")
	silent := netip.MustParseAddr("127.9.9.9")
	p := New(slog.New(slog.DiscardHandler))
	p.devices[silent] = &Device{address: silent, access: &Access{}, answered: time.Now()}
	p.devices[silent].facts.Store(&Facts{Name: "quiet"})
	if err := p.keep(o.Keep); err != nil {
		t.Fatal(err)
	}
	lifetime(t, o)
	saved, err := readKept(o.Keep)
	if err != nil || len(saved) != 2 || saved[silent].Facts.Name != "quiet" {
		t.Errorf("%v, %v", saved, err)
	}
}

func TestADamagedFileOfNamesCostsItsRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.json")
	line := `{"Address":"127.0.0.1","Answered":"` + time.Now().Format(time.RFC3339) + `","Facts":{"Name":"a"}}` + "\n"
	for text, want := range map[string]int{
		"": 0, line: 1, line + `{"Address":"x"}`: 1, line + `{`: 1, `{"Facts":{}}` + line: 1, `{"Address":"127.0.0.2"}` + line: 1, "\x00": 0, "[1]": 0,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		saved, err := readKept(path)
		damaged := !strings.HasSuffix(text, "\n") && text != ""
		if len(saved) != want || (err != nil) != damaged {
			t.Errorf("%q: %v, %v", text, saved, err)
		}
	}
}
