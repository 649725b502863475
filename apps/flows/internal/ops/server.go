// Package ops shows the state of the collector: metrics, health and a page, over HTTP.
package ops

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

//go:embed page
var page embed.FS

// Exporter is an address that sends flows, with what is known of it.
type Exporter struct {
	Address   netip.Addr        `json:"address"`
	Protocols []string          `json:"protocols"`
	Sessions  int               `json:"sessions"` // ports that it sends from
	Datagrams uint64            `json:"datagrams"`
	Flows     uint64            `json:"flows"`
	Lost      uint64            `json:"lost"`            // by gaps in sequence numbers: datagrams, or flows
	Found     uint64            `json:"-"`               // was counted as lost, and has come late
	Repeated  uint64            `json:"repeated"`        // datagrams that came twice
	Restarts  uint64            `json:"restarts"`        // times that sequence numbers began again
	Unsampled uint64            `json:"samplingUnknown"` // flows without a sampling rate
	Losses    count.Losses      `json:"-"`
	Reasons   map[string]uint64 `json:"losses"` // the same by name, without zeros
	Templates int               `json:"templates"`
	LastSeen  time.Time         `json:"lastSeen"`
}

// Gauge is a number that goes up and down.
type Gauge struct {
	Name, Help string
	Value      func() int
}

// Options are the sources of what the server shows.
type Options struct {
	Version   string
	Counters  *count.Counters
	Layout    func() *layout.Layout
	Exporters func() []Exporter
	Waiting   func() (bytes, limit int64) // of the output's queue; nil if it has none
	Gauges    []Gauge                     // metrics in addition to these
	Metrics   []prometheus.Collector      // likewise
	Health    func() []string             // further problems, beside those that the counters show; may be nil
	Stuck     time.Duration               // the output counts as broken after this time without any flow acknowledged
	LossRatio float64                     // a higher share lost in the last minute is a problem; 0 for none
	Pprof     bool                        // serve /debug/pprof
	Log       *slog.Logger
}

// Server is the HTTP server.
type Server struct {
	Options
	started time.Time
	sampler *sampler
	history history
	mux     *http.ServeMux
}

// New creates a server. It has nothing to show until Run is called.
func New(o Options) *Server {
	s := &Server{Options: o, started: time.Now(), sampler: newSampler(), mux: http.NewServeMux()}
	registry := prometheus.NewRegistry()
	process := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
	registry.MustRegister(newMetrics(s), collectors.NewGoCollector(), process)
	registry.MustRegister(o.Metrics...)
	s.mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	s.mux.HandleFunc("GET /healthz", s.health)
	s.mux.HandleFunc("GET /api/live", s.live)
	s.mux.HandleFunc("GET /api/trend", s.trend)
	s.mux.HandleFunc("GET /{$}", s.file("index.html"))
	for _, name := range []string{"page.js", "trend.js", "page.css", "uplot/uPlot.iife.min.js", "uplot/uPlot.min.css", "uplot/LICENSE"} {
		s.mux.HandleFunc("GET /"+name, s.file(name))
	}
	if o.Pprof {
		s.mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		s.mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		s.mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		s.mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return s
}

// Tap reads some of the flows of a chunk. It never waits, and keeps nothing of the chunk.
func (s *Server) Tap(c flow.Chunk) { s.sampler.offer(c) }

// ServeHTTP adds the headers of all answers: only our own scripts may run in the page.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "+
		"img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	s.mux.ServeHTTP(w, r)
}

func (s *Server) file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, page, "page/"+name) }
}

// Listen opens the address; Serve answers there.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w (choose another address with --http, or --http=\"\" for none)", err)
	}
	return l, nil
}

// Serve answers requests until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Run samples flows and counters until ctx ends.
func (s *Server) Run(ctx context.Context) {
	go s.sampler.run(ctx)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		s.observe(time.Now())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *Server) observe(now time.Time) {
	p := read(s.Counters, now)
	p.sampled = s.sampler.since()
	s.sampler.arrived(s.history.add(p))
}
