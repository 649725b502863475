package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/bmp"
	"github.com/hotpb/hotpb/apps/flows/internal/collect"
	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/apps/flows/internal/ops"
	"github.com/hotpb/hotpb/apps/flows/internal/routes"
	"github.com/hotpb/hotpb/apps/flows/internal/snmp"
)

type collectCommand struct {
	setupOptions  `group:"Schema and tables"`
	outputOptions `group:"Output"`
	decodeOptions `group:"Limits"`
	stateOptions

	Listen        []string      `help:"Addresses to listen on; each accepts all protocols." default:":2055,:6343" placeholder:"HOST:PORT" group:"Sockets"`
	Workers       int           `help:"Sockets for each address, each with its own worker; 0 means one for each CPU, and 64 at most." default:"0" group:"Sockets"`
	Steer         string        `help:"What decides which worker has a sender: its address, so that the flows of an exporter stay in order whatever ports it uses; or session (address and port), if one address has the traffic of many exporters, as after a translation of addresses." enum:"address,session" default:"address" group:"Sockets"`
	ReceiveBuffer int           `help:"Receive buffer of each socket, in bytes." default:"4194304" group:"Sockets"`
	MaxDatagram   int           `help:"Largest datagram in bytes; longer ones are dropped." default:"16384" group:"Sockets"`
	Batch         int           `help:"Datagrams to read at once." default:"64" group:"Sockets"`
	PutWait       time.Duration `help:"How long a worker waits for a full output before it drops flows." default:"500ms" group:"Sockets"`
	Drain         time.Duration `help:"How long to keep delivering waiting flows after a signal to stop." default:"20s" group:"Sockets"`

	HTTP       string        `name:"http" help:"Address of the page, /metrics and /healthz; empty to serve none of them." default:"127.0.0.1:8080" placeholder:"HOST:PORT" group:"Operation"`
	Pprof      bool          `help:"Also serve /debug/pprof there." group:"Operation"`
	Stuck      time.Duration `help:"/healthz reports a problem if flows arrive and the output has acknowledged none for this long." default:"30s" group:"Operation"`
	HealthLoss float64       `help:"/healthz reports a problem if a larger share of flows, data sets or datagrams was lost in the last minute; 0 for no such check." default:"0.001" group:"Operation"`
	Watch      time.Duration `help:"How often to check whether the schema or a table has changed; 0 reloads only on SIGHUP." default:"0s" group:"Operation"`
}

// Validate checks the flags; kong calls it.
func (c *collectCommand) Validate() error {
	switch {
	case c.Batch < 1 || c.Batch > 1024: // the kernel reads no more at once
		return errors.New("--batch must be from 1 to 1024")
	case c.Workers < 0 || c.Workers > 1024 || c.ReceiveBuffer < 0:
		return errors.New("--workers must be from 0 to 1024, and --receive-buffer must not be negative")
	case c.MaxDatagram < 64 || c.MaxDatagram > 65535:
		return errors.New("--max-datagram must be from 64 to 65535")
	case c.HealthLoss < 0 || c.HealthLoss > 1:
		return errors.New("--health-loss must be from 0 to 1")
	case c.PutWait <= 0 || c.Drain <= 0:
		return errors.New("--put-wait and --drain must be longer than 0")
	case c.Stuck < 0 || c.Watch < 0:
		return errors.New("--stuck and --watch must not be negative")
	}
	return errors.Join(c.addresses(), c.outputOptions.check(), c.decodeOptions.check(), c.stateOptions.check())
}

// addresses checks the addresses to listen on, and completes them.
func (c *collectCommand) addresses() (err error) {
	for i := range c.Listen {
		var wrong error
		c.Listen[i], wrong = hostPort("listen", c.Listen[i])
		err = errors.Join(err, wrong)
	}
	if c.HTTP != "" && err == nil {
		c.HTTP, err = hostPort("http", c.HTTP)
	}
	return err
}

// Run collects until a signal comes.
func (c *collectCommand) Run(log *slog.Logger) error {
	// Listens to signals from the first moment to the very last: SIGHUP kills a process that does not listen to it.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	c.poller, c.routes = snmp.New(log), bmp.New(log, routes.LiveLimits)
	p, err := newProgram(log, &c.setupOptions, &c.outputOptions, &c.decodeOptions, c.PutWait)
	if err != nil {
		return err
	}
	workers := c.Workers
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), 64)
	}
	keeper := newKeeper(c.stateOptions, p.store, log)
	if d, err := decode.New(p.store, p.layout(), nil); err == nil { // the engine has tried it
		keeper.load(d)
	}
	listener, err := p.engine.Listen(collect.Sockets{
		Addresses: c.Listen, Workers: workers, ReceiveBuffer: c.ReceiveBuffer, MaxDatagram: c.MaxDatagram, Batch: c.Batch,
		BySession: c.Steer == "session", Drain: min(time.Second, c.Drain/4),
	})
	if err != nil {
		p.abandon()
		return err
	}
	ctx, stop := untilSignal(log)
	defer stop()
	p.endsWith(ctx)
	serving, end := context.WithCancel(context.Background()) // until all flows are delivered, or are lost and counted
	defer end()
	if err := c.serve(serving, p); err != nil {
		p.abandon()
		return err
	}
	var background sync.WaitGroup
	background.Go(func() { c.poller.Run(ctx) })
	background.Go(func() { c.routes.Run(ctx) })
	go c.reloads(ctx, p, hangups)
	go p.lookAfter(ctx)
	keeping, kept := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); keeper.run(keeping) }()
	log.Info("collecting", "addresses", listener.Addresses(), "workers", workers, "schema", p.engine.Setup().Layout.Path,
		"wire_hash", p.engine.Setup().Layout.Hash, "output", c.Output)
	err = listener.Run(ctx)
	kept() // also after an error
	<-ended
	keeper.save()
	if err == nil { // the context has ended
		background.Wait()
	}
	return p.finish(err, c.Drain)
}

// serve starts the HTTP server.
func (c *collectCommand) serve(ctx context.Context, p *program) error {
	if c.HTTP == "" {
		return nil
	}
	l, err := ops.Listen(c.HTTP)
	if err != nil {
		return err
	}
	p.show(ctx, c, l)
	return nil
}

// show serves the page, the metrics and health.
func (p *program) show(ctx context.Context, c *collectCommand, l net.Listener) {
	server := ops.New(ops.Options{
		Version: version(), Counters: &p.counters, Layout: p.layout, Exporters: p.exporters, Waiting: p.waiting,
		Gauges: []ops.Gauge{
			{Name: "templates", Help: "Number of templates known.", Value: p.store.Templates},
			{Name: "waiting_bytes", Help: "Bytes of data that waits for its template or sampling rate.", Value: p.store.Waiting},
			{Name: "exporter_memory_bytes", Help: "Estimated bytes of memory kept for all exporters.", Value: p.store.Memory},
			{Name: "exporter_memory_limit_bytes", Help: "Bytes of memory that may be kept for all exporters.", Value: func() int { return c.MaxMemory }},
		},
		Metrics: c.metrics(),
		Stuck:   c.Stuck, LossRatio: c.HealthLoss, Pprof: c.Pprof, Log: p.log,
	})
	p.engine.Tap = server.Tap
	go server.Run(ctx)
	go func() {
		if err := server.Serve(ctx, l); err != nil {
			p.log.Error("the page, the metrics and health are no longer served", "error", err)
		}
	}()
	p.log.Info("serving", "page", "http://"+l.Addr().String()+"/")
}

// reloads reloads on SIGHUP and when a file has changed.
func (c *collectCommand) reloads(ctx context.Context, p *program, hangups <-chan os.Signal) {
	var ticks <-chan time.Time
	if c.Watch > 0 {
		ticker := time.NewTicker(c.Watch)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for known := c.changed(); ; {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
		case <-ticks:
			if c.changed() == known {
				continue
			}
		}
		known = c.changed()
		p.reload(&c.setupOptions)
	}
}

// exporters are the exporters of the store, in the form that the page needs.
func (p *program) exporters() []ops.Exporter {
	infos := p.store.Exporters()
	all := make([]ops.Exporter, 0, len(infos))
	for _, i := range infos {
		names := make([]string, 0, len(i.Protocols))
		for _, protocol := range i.Protocols {
			names = append(names, protocol.String())
		}
		all = append(all, ops.Exporter{
			Address: i.Address, Protocols: names, Sessions: i.Sessions, Datagrams: i.Datagrams, Flows: i.Flows, Lost: i.Lost, Found: i.Found,
			Repeated: i.Repeated, Restarts: i.Restarts, Unsampled: i.Unsampled, Losses: i.Losses, Reasons: i.Losses.ByName(), Templates: i.Templates, LastSeen: i.Last,
		})
	}
	return all
}

func (p *program) waiting() (bytes, limit int64) { return p.queue.Used(), p.queue.Size() }

// sameSignal is how long a signal counts as the one before: a terminal, sudo and timeout each may pass on the same one.
const sameSignal = 250 * time.Millisecond

// untilSignal is a context that ends with the first signal. The second signal ends the program.
func untilSignal(log *slog.Logger) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		log.Info("ending", "signal", (<-signals).String())
		first := time.Now()
		cancel()
		second := <-signals
		for time.Since(first) < sameSignal {
			second = <-signals
		}
		log.Error("second signal: flows that are not yet delivered are lost", "signal", second.String())
		os.Exit(cutOff)
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}
