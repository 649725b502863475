package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// instance is a collector as far as its state goes.
type instance struct {
	counts  count.Counters
	store   *session.Store
	decoder *decode.Decoder
	keeper  *keeper
	log     buffer
}

func newInstance(t *testing.T, file string) *instance {
	t.Helper()
	l, err := layout.Load("flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	i := &instance{}
	i.store = session.NewStore(session.DefaultLimits(), &i.counts)
	if i.decoder, err = decode.New(i.store, l, nil); err != nil {
		t.Fatal(err)
	}
	i.keeper = newKeeper(stateOptions{State: file, StateEvery: time.Second, StateShared: true}, i.store, slog.New(slog.NewTextHandler(&i.log, nil)))
	i.keeper.load(i.decoder)
	return i
}

// Generated exporters send their templates now and then. A collector that starts again, and one beside it, read every
// datagram that has no template.
func TestACollectorStartsWithWhatItKnew(t *testing.T) {
	g := generate.New(generate.Options{Seed: 1, Protocols: []flow.Protocol{flow.NetFlow9, flow.IPFIX}, Start: time.Now()})
	folder := t.TempDir()
	first := newInstance(t, filepath.Join(folder, "one.json"))
	feed := func(i *instance, n int) (flows int) {
		for range n {
			dg := g.Next()
			_, f := i.decoder.Append(nil, &dg)
			flows += f
		}
		return flows
	}
	if feed(first, 2000) == 0 || first.store.Templates() == 0 {
		t.Fatal("no flows")
	}
	first.keeper.save()
	restarted, two := newInstance(t, filepath.Join(folder, "one.json")), newInstance(t, filepath.Join(folder, "two.json"))
	if restarted.store.Templates() != first.store.Templates() || two.store.Templates() != 0 {
		t.Errorf("%d and %d templates, not %d", restarted.store.Templates(), two.store.Templates(), first.store.Templates())
	}
	two.keeper.look()
	two.decoder.Due(nil, time.Now())
	for _, i := range []*instance{restarted, two} {
		if feed(i, 200) == 0 || i.store.Waiting() != 0 || i.counts.Released.Load() != 0 {
			t.Errorf("%d bytes wait", i.store.Waiting())
		}
	}
	if two.keeper.look(); len(two.keeper.known) != 1 {
		t.Errorf("%v", two.keeper.known)
	}
}

func TestAStateThatCannotBeReadCostsOnlyTheState(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "one.json"), "{")
	i := newInstance(t, file)
	if !strings.Contains(i.log.String(), file) {
		t.Error(i.log.String())
	}
	if i.keeper.save(); i.store.Templates() != 0 {
		t.Error("templates from nowhere")
	}
	if state, err := session.ReadState(file); err != nil || len(state.Exporters) != 0 {
		t.Errorf("not written again: %v", err)
	}
	i.keeper.State = filepath.Join(file, "no folder", "x.json")
	i.keeper.save()
	i.keeper.save()
	if n := strings.Count(i.log.String(), "cannot be written"); n != 1 {
		t.Errorf("logged %d times: %s", n, i.log.String())
	}
	if _, err := os.Stat(i.keeper.State); err == nil {
		t.Error("it is there")
	}
}

// The folder that the guide names is not there after the installation.
func TestTheFolderOfTheStateIsCreated(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "one.json")
	i := newInstance(t, file)
	i.keeper.save()
	if _, err := session.ReadState(file); err != nil || i.log.String() != "" {
		t.Errorf("%v: %s", err, i.log.String())
	}
	if files, _ := os.ReadDir(filepath.Dir(file)); len(files) != 1 {
		t.Errorf("%v", files)
	}
	i = newInstance(t, filepath.Join(file, "x.json"))
	if !strings.Contains(i.log.String(), "cannot be written") || !strings.Contains(i.log.String(), "--state") {
		t.Errorf("nothing says at the start that it cannot be written: %s", i.log.String())
	}
}
