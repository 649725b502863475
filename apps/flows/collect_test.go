package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/hotpb/hotpb/apps/flows/internal/collect"
	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/ops"
)

// buffer is a log that is read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// collector is one that runs, on loopback.
type collector struct {
	*program
	command collectCommand
	log     buffer
	listen  string // address of datagrams
	page    string // address of the page
	stop    func() error
}

func start(t *testing.T, arguments ...string) *collector {
	t.Helper()
	c := &collector{}
	parser, err := kong.New(&c.command)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(append([]string{"--output=file", "--file-folder=" + t.TempDir(), "--chunk-time=20ms"}, arguments...)); err != nil {
		t.Fatal(err)
	}
	o := &c.command
	c.program, err = newProgram(slog.New(slog.NewTextHandler(&c.log, nil)), &o.setupOptions, &o.outputOptions, &o.decodeOptions, o.PutWait)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := c.engine.Listen(collect.Sockets{
		Addresses: []string{"127.0.0.1:0"}, Workers: 2, MaxDatagram: o.MaxDatagram, Batch: o.Batch, Drain: time.Second, ReceiveBuffer: 4 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	c.listen = listener.Addresses()[0].String()
	l, err := ops.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.page = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	c.endsWith(ctx)
	c.show(ctx, o, l)
	done := make(chan error, 1)
	go func() { done <- listener.Run(ctx) }()
	c.stop = sync.OnceValue(func() error {
		cancel()
		return c.finish(<-done, 10*time.Second)
	})
	t.Cleanup(func() { c.stop() })
	return c
}

func get(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// send sends generated flows to the collector, and returns what it sent.
func (c *collector) send(t *testing.T, arguments ...string) (a account) {
	t.Helper()
	code, out, problems := flows(t, append([]string{"generate", c.listen}, arguments...)...)
	if code != fine {
		t.Fatal(problems)
	}
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// until waits for something to come about.
func until(t *testing.T, condition string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", condition)
		}
	}
}

func TestThePageAndTheMetricsTellWhatWasSent(t *testing.T) {
	c := start(t)
	sent := c.send(t, "--rate=4000", "--for=1500ms", "--protocols=netflow5,netflow9,ipfix", "--exporters=6")
	until(t, "all is delivered", func() bool { return c.counters.Delivered.Load() >= sent.Flows })
	metrics := get(t, c.page+"/metrics")
	for i, e := range sent.Exporters {
		for name, value := range map[string]uint64{"datagrams": e.Datagrams, "decoded": e.Flows, "lost": 0} {
			want := fmt.Sprintf("\nflows_exporter_%s_total{exporter=\"127.1.0.%d\"} %d\n", name, i+1, value)
			if !strings.Contains(metrics, want) {
				t.Errorf("no %q", want)
			}
		}
	}
	if want := fmt.Sprintf("\nflows_delivered_total %d\n", sent.Flows); !strings.Contains(metrics, want) {
		t.Errorf("no %q", want)
	}
	for _, sample := range []string{"flows_templates [1-9]", "flows_waiting_bytes 0", "flows_exporter_memory_bytes [1-9]"} {
		if !regexp.MustCompile("(?m)^" + sample).MatchString(metrics) {
			t.Errorf("no %q", sample)
		}
	}
	for r := range count.Reasons {
		if n := c.counters.Dropped(r); n != 0 {
			t.Errorf("%d dropped: %v", n, r)
		}
	}
	var live ops.Live
	until(t, "the page has rates", func() bool {
		if err := json.Unmarshal([]byte(get(t, c.page+"/api/live")), &live); err != nil {
			t.Fatal(err)
		}
		return live.Totals.Flows == sent.Flows && live.Rates.Flows > 0
	})
	if len(live.Exporters) != 6 || live.Exporters[0].Flows < live.Exporters[5].Flows || len(live.Protocols) != 3 || len(live.Problems) != 0 {
		t.Errorf("%+v", live)
	}
	if len(live.Talkers.Sources) != 10 || live.Talkers.Sampled <= 0 || live.Rates.Bytes <= 0 {
		t.Errorf("talkers %+v, rates %+v", live.Talkers, live.Rates)
	}
	if health := get(t, c.page+"/healthz"); health != "ok\n" {
		t.Errorf("health: %s", health)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(c.log.String(), fmt.Sprintf("msg=ended datagrams=%d flows=%d delivered=%d lost_at_end=0", sent.Datagrams, sent.Flows, sent.Flows)) {
		t.Error(c.log.String())
	}
}

// A file is changed while datagrams come: each flow is in a file of its layout, and can be read by it.
func TestAReloadTakesTheNewFileOrTellsWhatIsWrongWithIt(t *testing.T) {
	folder := t.TempDir()
	path := write(t, filepath.Join(folder, "s.yaml"), string(builtIn))
	c := start(t, "--schema="+path)
	first := c.send(t, "--rate=4000", "--count=1000", "--protocols=netflow9")
	until(t, "all is delivered", func() bool { return c.counters.Delivered.Load() >= first.Flows })
	old := c.layout()

	write(t, path, strings.Replace(string(builtIn), "name: sequence, number: 4, type: uint32, from: 4294967295/2, off: true",
		"name: sequence, number: 4, type: uint32, from: 4294967295/2", 1))
	c.reload(&c.command.setupOptions)
	if c.layout().Hash == old.Hash || c.counters.Reloads.Load() != 1 {
		t.Fatalf("the layout is the same: %s", c.log.String())
	}
	if !strings.Contains(c.log.String(), "verdict=compatible") || !strings.Contains(c.log.String(), "FlowMessage.sequence") {
		t.Errorf("no verdict: %s", c.log.String())
	}
	second := c.send(t, "--rate=4000", "--count=1000", "--protocols=netflow9", "--seed=2")

	until(t, "all is delivered", func() bool { return c.counters.Delivered.Load() >= first.Flows+second.Flows })
	now := c.layout()
	write(t, path, strings.Replace(string(builtIn), "number: 9,", "number: 8,", 1)) // packets has it
	c.reload(&c.command.setupOptions)
	if c.layout() != now || c.counters.ReloadFailures.Load() != 1 || !strings.Contains(c.log.String(), path+":") {
		t.Errorf("%d failures: %s", c.counters.ReloadFailures.Load(), c.log.String())
	}
	if err := c.stop(); err != nil {
		t.Fatal(err)
	}
	for hash, want := range map[string]uint64{old.Hash: first.Flows, now.Hash: second.Flows} {
		files, err := filepath.Glob(filepath.Join(c.command.File.Folder, "*"+hash+"*.pb"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v %q", err, files)
		}
		schema := "--schema=" + write(t, filepath.Join(folder, "old.yaml"), string(builtIn))
		if hash == now.Hash {
			schema = "--schema=" + write(t, filepath.Join(folder, "new.yaml"), strings.Replace(string(builtIn), ", off: true}", "}", 1))
		}
		code, out, problems := flows(t, "cat", schema, files[0])
		if code != fine || uint64(strings.Count(out, "\n")) != want || strings.Contains(out, `"sequence":`) != (hash == now.Hash) {
			t.Errorf("%s: %d flows, not %d %s", hash, strings.Count(out, "\n"), want, problems)
		}
	}
}

// Exporters send while the file changes 50 times: each flow is in a file of one of the layouts, and can be read by it.
func TestReloadsUnderLoadLoseNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "s.yaml")
	texts := [2]string{string(builtIn), strings.Replace(string(builtIn), ", off: true}", "}", 1)}
	write(t, path, texts[0])
	c := start(t, "--schema="+path, "--prefixes=prefixes.csv")
	done := make(chan account, 1)
	go func() {
		defer close(done)
		done <- c.send(t, "--rate=3000", "--for=2s")
	}()
	hashes := map[string]int{c.layout().Hash: 0}
	for i := range 50 {
		time.Sleep(40 * time.Millisecond)
		write(t, path, texts[(i+1)%2])
		c.reload(&c.command.setupOptions)
		hashes[c.layout().Hash] = (i + 1) % 2
	}
	sent := <-done
	if err := c.stop(); err != nil {
		t.Fatal(err)
	}
	if n := c.counters.Reloads.Load(); n != 50 || len(hashes) != 2 {
		t.Fatalf("%d reloads, layouts %v: %s", n, hashes, c.log.String())
	}
	if n := c.counters.Dropped(count.Socket); n > 0 {
		t.Skipf("the kernel has dropped %d datagrams: its buffer is small, and the machine busy", n)
	}
	found := 0
	for hash, which := range hashes {
		files, err := filepath.Glob(filepath.Join(c.command.File.Folder, "*"+hash+"*.pb"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v: no file of %s", err, hash)
		}
		schema := "--schema=" + write(t, filepath.Join(folder, "its.yaml"), texts[which])
		code, out, problems := flows(t, append([]string{"cat", schema}, files...)...)
		if code != fine {
			t.Fatal(problems)
		}
		if lines := strings.Count(out, "\n"); lines != strings.Count(out, `"exporter_address":`) {
			t.Errorf("flows of %s are read as something else", hash)
		} else {
			found += lines
		}
	}
	if uint64(found) != sent.Flows {
		t.Errorf("%d flows of %d", found, sent.Flows)
	}
}

// The exit code shows a loss while the collector ends; an earlier loss is in its last line only.
func TestTheEndTellsWhatWasLost(t *testing.T) {
	c := start(t)
	c.counters.Drop(count.QueueFull, 5)
	c.endsWith(canceled())
	until(t, "the end has begun", func() bool { return c.before.Load() == 5 })
	c.counters.Drop(count.Shutdown, 7)
	if err := c.finish(nil, time.Second); err != (exit{lossy}) {
		t.Errorf("%v", err)
	}
	if !strings.Contains(c.log.String(), "lost_at_end=7 dropped.queue_full=5 dropped.shutdown=7") {
		t.Error(c.log.String())
	}
}

func TestLossesAreToldOnce(t *testing.T) {
	c := start(t)
	var before [count.Reasons]uint64
	for _, n := range []int{3, 0, 2} {
		c.counters.Drop(count.Malformed, n)
		c.tellLosses(&before)
	}
	if got := strings.Count(c.log.String(), "msg=losses"); got != 2 || !strings.Contains(c.log.String(), "by_reason.malformed=2") {
		t.Errorf("%d times: %s", got, c.log.String())
	}
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestAFileThatChangesIsNoticed(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "s.yaml"), "x")
	o := setupOptions{schemaOptions: schemaOptions{Schema: path}}
	before := o.changed()
	if o.changed() != before {
		t.Error("nothing has changed")
	}
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if o.changed() == before {
		t.Error("the file has changed")
	}
}
