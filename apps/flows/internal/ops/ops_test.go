package ops

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

func repositoryLayout(t testing.TB) *layout.Layout {
	t.Helper()
	l, err := layout.Load("../../flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// chunkOf has n flows, each of 100 bytes in 2 packets at 1:10, from 192.0.2.(1+i%senders) to 2001:db8::1.
func chunkOf(t testing.TB, l *layout.Layout, n, senders int) flow.Chunk {
	t.Helper()
	cols := columnsOf(l)
	if len(cols.missing) > 0 {
		t.Fatal(cols.missing)
	}
	r, c := l.Plan.NewRecord(), flow.Chunk{Layout: l, Flows: n}
	for i := range n {
		r.Reset()
		r.IP(cols.src, netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i%senders)}))
		r.IP(cols.dst, netip.MustParseAddr("2001:db8::1"))
		r.Uint(cols.bytes, 100)
		r.Uint(cols.packets, 2)
		r.Uint(cols.rate, 10)
		c.Bytes, _ = r.AppendDelimited(c.Bytes)
	}
	return c
}

func newServer(t testing.TB, exporters ...Exporter) *Server {
	t.Helper()
	l := repositoryLayout(t)
	return New(Options{
		Version: "test", Counters: &count.Counters{}, Layout: func() *layout.Layout { return l },
		Exporters: func() []Exporter { return slices.Clone(exporters) },
		Stuck:     30 * time.Second, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
}

func get(t testing.TB, s *Server, path string) (int, string, http.Header) {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String(), w.Header()
}

func TestTalkersAreThoseOfTheFlowsTimesTheSamplingRate(t *testing.T) {
	s := newServer(t)
	begin := time.Now()
	s.observe(begin)
	s.Counters.Flows[flow.IPFIX].Add(800)
	s.sampler.look(chunkOf(t, s.Layout(), 400, 4)) // half of them
	s.observe(begin.Add(time.Second))

	_, body, header := get(t, s, "/api/live")
	var v Live
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Talkers.Sources) != 4 || len(v.Talkers.Destinations) != 1 || v.Talkers.Sampled != 0.5 {
		t.Fatalf("talkers %+v", v.Talkers)
	}
	if d := v.Talkers.Destinations[0]; d.Address.String() != "2001:db8::1" || d.Bytes != 400*100*10 || d.Packets != 400*2*10 || d.Share != 1 {
		t.Errorf("destination %+v", d)
	}
	if src := v.Talkers.Sources[0]; src.Bytes != 100*100*10 || src.Share != 0.25 {
		t.Errorf("source %+v", src)
	}
	if v.Rates.Flows != 800 || v.Rates.Bytes != 800*100*10 || v.Rates.Packets != 800*2*10 {
		t.Errorf("rates %+v", v.Rates)
	}
	if s.sampler.broken != 0 {
		t.Errorf("%d flows could not be read", s.sampler.broken)
	}
	if header.Get("Content-Type") != "application/json" {
		t.Errorf("header %v", header)
	}
}

func TestWhatIsOlderThanAMinuteIsNoTalker(t *testing.T) {
	s := newServer(t)
	now := time.Now()
	s.sampler.now = func() time.Time { return now }
	s.sampler.look(chunkOf(t, s.Layout(), 10, 1))
	now = now.Add(50 * time.Second)
	s.sampler.look(chunkOf(t, s.Layout(), 5, 1))
	if total, _, _, _ := s.sampler.minute(10); total.flows != 15 {
		t.Errorf("%v flows", total.flows)
	}
	now = now.Add(15 * time.Second)
	if total, src, _, _ := s.sampler.minute(10); total.flows != 5 || len(src) != 1 {
		t.Errorf("%v flows, %v", total.flows, src)
	}
	now = now.Add(time.Hour)
	if total, src, _, _ := s.sampler.minute(10); total.flows != 0 || len(src) != 0 {
		t.Errorf("%v flows, %v", total.flows, src)
	}
}

// A worker that offers a chunk never waits, and may use its chunk again at once.
func TestAChunkOfferedWhileTheSamplerIsBusyIsLetPass(t *testing.T) {
	s := newServer(t)
	c := chunkOf(t, s.Layout(), 10, 1)
	s.Tap(c)
	clear(c.Bytes)
	s.Tap(c)
	go s.sampler.run(t.Context())
	for end := time.Now().Add(10 * time.Second); s.sampler.since().flows != 10; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%v flows", s.sampler.since())
		}
	}
	if s.sampler.broken != 0 {
		t.Error("the chunk was not copied")
	}
}

func TestBytesThatAreNoFlowsDoNoHarm(t *testing.T) {
	s := newServer(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		s.sampler.look(flow.Chunk{Layout: s.Layout(), Bytes: b})
	}
	s.sampler.look(flow.Chunk{Layout: s.Layout(), Bytes: binary.AppendUvarint(nil, 1<<63)})
	if s.sampler.broken == 0 {
		t.Error("nothing was wrong with random bytes")
	}
}

func TestASchemaWithoutAddressesIsSaid(t *testing.T) {
	s := newServer(t)
	l, err := layout.Parse("x.yaml", []byte("message: F\ncolumns:\n  - {name: volume, number: 1, type: uint64, from: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := l.Plan.NewRecord()
	volume, err := schema.Lookup[schema.UintColumn](l.File.Schema.Message, "volume")
	if err != nil {
		t.Fatal(err)
	}
	r.Uint(volume, 7)
	s.sampler.look(flow.Chunk{Layout: l, Bytes: r.Delimited(), Flows: 1})
	total, src, _, missing := s.sampler.minute(10)
	if total.bytes != 7 || len(src) != 0 || !slices.Equal(missing, []string{"source address", "destination address", "packets", "sampling rate"}) {
		t.Errorf("%+v, %v, missing %q", total, src, missing)
	}
}

func TestSpaceSavingFindsTheHeavyOnesAmongMany(t *testing.T) {
	h := newHeavy[netip.Addr](64)
	for i := range 100_000 { // each tenth flow is of ten addresses, the others are all of different ones
		a := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		if i%10 == 0 {
			a = netip.AddrFrom4([4]byte{192, 0, 2, byte(i / 10 % 10)})
		}
		h.add(a, 100, 1)
	}
	if len(h.heap) != 64 || len(h.byKey) != 64 {
		t.Fatalf("%d and %d counters", len(h.heap), len(h.byKey))
	}
	h = newHeavy[netip.Addr](64)
	for i := range 100_000 { // ten have half of all
		a := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		if i%2 == 0 {
			a = netip.AddrFrom4([4]byte{192, 0, 2, byte(i / 2 % 10)})
		}
		h.add(a, 100, 1)
	}
	all := map[netip.Addr]*Talker{}
	merge(all, h)
	for _, talker := range first(all, 10, 1) {
		if talker.Address.As4()[0] != 192 || talker.Bytes > 5000*100 || talker.Bytes < 4000*100 {
			t.Errorf("%+v", talker)
		}
	}
}

func TestHealthTellsWhatIsWrong(t *testing.T) {
	s := newServer(t)
	now := time.Now()
	s.observe(now)
	if code, body, _ := get(t, s, "/healthz"); code != 200 || body != "ok\n" {
		t.Fatalf("%d %s", code, body)
	}
	s.Counters.Flows[flow.SFlow5].Add(10)
	for i := range 40 {
		s.observe(now.Add(time.Duration(i) * time.Second))
	}
	if code, body, _ := get(t, s, "/healthz"); code != 503 || !strings.Contains(body, "none for 39s") {
		t.Errorf("%d %s", code, body)
	}
	s.Counters.Drop(count.OutputFailed, 4)
	s.Counters.Delivered.Add(6)
	s.observe(now.Add(41 * time.Second))
	if code, _, _ := get(t, s, "/healthz"); code != 200 {
		t.Errorf("%d", code)
	}
	s.Health = func() []string { return []string{"no listener"} }
	if code, body, _ := get(t, s, "/healthz"); code != 503 || body != "no listener\n" {
		t.Errorf("%d %s", code, body)
	}
}

func TestAnOutputThatLosesAllIsNotHealthy(t *testing.T) {
	s := newServer(t)
	now := time.Now()
	second := func(flows, delivered, lost int) (stuck time.Duration) {
		s.Counters.Flows[flow.IPFIX].Add(uint64(flows))
		s.Counters.Delivered.Add(uint64(delivered))
		s.Counters.Drop(count.TooLarge, lost)
		s.observe(now)
		now = now.Add(time.Second)
		return s.history.stuck()
	}
	second(10, 10, 0)
	for i := range 100 {
		if got := second(10, 0, 10); got != time.Duration(i+1)*time.Second {
			t.Fatalf("%v after %d s of losses", got, i+1)
		}
	}
	if code, body, _ := get(t, s, "/healthz"); code != 503 || !strings.Contains(body, "none for 1m40s") {
		t.Errorf("%d %s", code, body)
	}
	if got := second(10, 1, 9); got != 0 {
		t.Errorf("%v after a flow was acknowledged", got)
	}
	second(1, 0, 1)
	for range 100 { // nobody sends
		if got := second(0, 0, 0); got != time.Second {
			t.Fatalf("%v after a single loss", got)
		}
	}
}

// counters are the samples of /metrics that must not fall.
func counters(t *testing.T, s *Server) map[string]float64 {
	t.Helper()
	_, body, _ := get(t, s, "/metrics")
	all := map[string]float64{}
	for line := range strings.Lines(body) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(name, "flows_") && strings.Contains(name, "_total") {
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(line)
			}
			all[name] = v
		}
	}
	return all
}

// Exporters come and go, and a name that is free goes to one that was among the others.
func TestCountersOfExportersDoNotFall(t *testing.T) {
	s, all := newServer(t), []Exporter{}
	for i := range 300 {
		all = append(all, Exporter{Address: netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), Datagrams: uint64(1000 - i)})
	}
	s.Exporters = func() []Exporter { return slices.Clone(all) }
	before := counters(t, s)
	for i, change := range []func(){
		func() { all = all[1:] },                     // one that has a name
		func() { all = all[:len(all)-100] },          // that have none
		func() { all[0].Datagrams -= 500 },           // one of its ports was given up
		func() { all[len(all)-1].Datagrams -= 500 },  // of one without a name, too
		func() { all[len(all)-1].Datagrams += 1000 }, // which goes on
		func() { all = all[:90] },                    // there are names for all
	} {
		change()
		now := counters(t, s)
		for name, v := range before {
			if after, still := now[name]; still && after < v {
				t.Errorf("step %d: %s falls from %v to %v", i, name, v, after)
			}
		}
		before = now
	}
	sum := 0
	for i := 100; i < 300; i++ {
		sum += 1000 - i
	}
	if got := before[`flows_exporter_datagrams_total{exporter="other"}`]; got != float64(sum+1000) {
		t.Errorf("the others have sent %v, not %d", got, sum+1000)
	}
}

// Where datagrams come in another order, some are always missing for a moment. The counter does not add them up.
func TestWhatComesLateIsLostOnce(t *testing.T) {
	s, e := newServer(t), Exporter{Address: netip.MustParseAddr("192.0.2.1"), Datagrams: 1}
	s.Exporters = func() []Exporter { return []Exporter{e} }
	for i, c := range []struct {
		lost, found uint64
		want        float64
	}{
		{20, 0, 20}, {0, 20, 20}, {20, 20, 20}, {0, 40, 20}, {15, 45, 20}, {25, 45, 25},
		{0, 0, 25}, {5, 0, 30}, // the port was given up, and there is another one
	} {
		e.Lost, e.Found = c.lost, c.found
		if got := counters(t, s)[`flows_exporter_lost_total{exporter="192.0.2.1"}`]; got != c.want {
			t.Errorf("step %d: %v instead of %v", i, got, c.want)
		}
	}
}

func TestLossesSayOfWhatTheyAre(t *testing.T) {
	s := newServer(t)
	s.Counters.Drop(count.Shutdown, 3)
	s.Counters.Drop(count.WaitingExpired, 2)
	all, flows := counters(t, s), 0.0
	for name, v := range all {
		if strings.HasPrefix(name, "flows_dropped_total{") {
			flows += v
		}
	}
	if flows != 3 || all[`flows_sets_dropped_total{reason="waiting_expired"}`] != 2 {
		t.Errorf("%v flows are lost: %v", flows, all)
	}
}

func TestMetricsOfManyExportersAreBounded(t *testing.T) {
	all := []Exporter{}
	for i := range 500 {
		all = append(all, Exporter{Address: netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), Datagrams: uint64(i)})
	}
	s := newServer(t, all...)
	_, body, _ := get(t, s, "/metrics")
	if n := strings.Count(body, "\nflows_exporter_datagrams_total{"); n != namedExporters+1 {
		t.Errorf("%d exporters", n)
	}
	sum := 0
	for i := range 400 {
		sum += i
	}
	if !strings.Contains(body, fmt.Sprintf("\nflows_exporter_datagrams_total{exporter=\"other\"} %d\n", sum)) {
		t.Error("the others are not summed up")
	}
	// Who has a name keeps it, however busy others become: counters do not fall.
	all[0].Datagrams = 1e6
	if _, body, _ = get(t, s, "/metrics"); strings.Contains(body, `exporter="10.0.0.0"`) {
		t.Error("an exporter has taken another's place")
	}
	if !strings.Contains(body, `flows_schema_info{message="flows.FlowMessage",wire_hash="`+s.Layout().Hash) {
		t.Error("the schema is not told")
	}
	if code, _, _ := get(t, s, "/metrics"); code != 200 {
		t.Errorf("code %d", code)
	}
}

func TestThePageRunsNothingThatIsNotOurs(t *testing.T) {
	s := newServer(t)
	for _, path := range []string{"/", "/page.js", "/trend.js", "/page.css"} {
		code, body, header := get(t, s, path)
		if code != 200 || len(body) < 500 || !strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d, %d bytes, %v", path, code, len(body), header)
		}
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://cdn", "https://", "<style", "style=", "onload"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %s", path, bad)
			}
		}
	}
	for _, path := range []string{"/debug/pprof/", "/page/index.html", "/nothing", "/uplot/", "/uplot/README.md"} {
		if code, _, _ := get(t, s, path); code != 404 {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// The library of the chart is what its authors have published, and comes with its licence.
func TestTheChartsLibraryIsUnchanged(t *testing.T) {
	readme, err := page.ReadFile("page/uplot/README.md")
	if err != nil {
		t.Fatal(err)
	}
	sums := regexp.MustCompile(`(?m)^    ([0-9a-f]{64})  (\S+)$`).FindAllStringSubmatch(string(readme), -1)
	if len(sums) != 3 {
		t.Fatalf("%d sums", len(sums))
	}
	s := newServer(t)
	for _, sum := range sums {
		if code, body, _ := get(t, s, "/uplot/"+sum[2]); code != 200 || fmt.Sprintf("%x", sha256.Sum256([]byte(body))) != sum[1] {
			t.Errorf("%s: code %d, or another sum than in its README", sum[2], code)
		}
	}
}
