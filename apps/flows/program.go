package main

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/collect"
	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/output"
	"github.com/hotpb/hotpb/apps/flows/internal/stage"
	"github.com/hotpb/hotpb/go/schema/lock"
)

// program is the part that collecting and replaying share: from the datagram to the output.
type program struct {
	log      *slog.Logger
	counters count.Counters
	store    *session.Store
	engine   *collect.Engine
	queue    *output.Queue
	out      output.Output
	before   atomic.Uint64 // flows lost before the end began
	examples chan session.Loss
	stats    *stage.Stats
	ended    func() // called before the last line of the log; may be nil
	locked   bool   // the schema in use was checked against a lock
}

func newProgram(
	log *slog.Logger, setup *setupOptions, out *outputOptions, limits *decodeOptions, putWait time.Duration,
) (*program, error) {
	p := &program{log: log, queue: output.NewQueue(out.QueueBytes), examples: make(chan session.Loss, 64), stats: &setup.stats}
	first, locked, err := setup.load()
	if err != nil {
		return nil, err
	}
	p.locked = locked
	if p.store, err = limits.store(&p.counters); err != nil {
		return nil, err
	}
	p.store.Report(func(l session.Loss) {
		select {
		case p.examples <- l:
		default: // decoders do not wait for the log
		}
	})
	if p.out, err = out.open(p.queue, &p.counters, log); err != nil {
		return nil, err
	}
	p.engine, err = collect.New(collect.Options{
		NewDecoder: p.decoder, Put: p.out.Put, Counters: &p.counters, Log: log,
		ChunkBytes: out.ChunkBytes, ChunkTime: out.ChunkTime, PutWait: putWait,
	}, first)
	if err != nil {
		p.abandon()
		return nil, &fileError{first.Layout.Path, err}
	}
	return p, nil
}

func (p *program) decoder(l *layout.Layout, e flow.Enricher) (collect.Decoder, error) {
	return decode.New(p.store, l, e)
}

func (p *program) layout() *layout.Layout { return p.engine.Setup().Layout }

// reload loads other files. If they have faults, or break readers, it reports that and keeps the files in use.
func (p *program) reload(from *setupOptions) {
	next, locked, err := from.load()
	if err == nil {
		verdict := lock.Compare(p.layout().Plan, next.Layout.Plan)
		// With a lock, the lock alone decides: whoever has recorded a breaking change there has allowed it.
		if !p.locked || !locked {
			err = from.permit(verdict, next.Layout.Path, "the schema in use")
		}
		if err == nil {
			err = p.use(next, locked, verdict)
		}
	}
	var breaking *breakingError
	switch {
	case err == nil:
		return
	case errors.As(err, &breaking):
		p.counters.ReloadRefusals.Add(1)
	default:
		p.counters.ReloadFailures.Add(1)
	}
	for _, line := range faultLines("", err) {
		p.log.Error("the new files are not used; the old ones stay in use", "error", line)
	}
}

// use makes the program use other files.
func (p *program) use(next *collect.Setup, locked bool, verdict lock.Verdict) error {
	before := p.layout()
	if err := p.engine.Reload(next); err != nil {
		return &fileError{next.Layout.Path, err}
	}
	p.locked = locked
	p.counters.Reloads.Add(1)
	p.tell(before, next.Layout, verdict)
	return nil
}

// tell logs what a reload means for readers of the flows.
func (p *program) tell(before, now *layout.Layout, verdict lock.Verdict) {
	log := p.log.Info
	if verdict.Level() > lock.Compatible {
		log = p.log.Warn
	}
	log("reloaded", "schema", now.Path, "wire_hash", now.Hash, "was", before.Hash, "verdict", verdict.Level().String(),
		"changes", len(verdict.Changes))
	for _, change := range verdict.Changes {
		log("changed", "verdict", change.Level.String(), "kind", change.Kind.String(), "where", change.Where,
			"reason", change.Reason)
	}
}

// endsWith makes losses after the context's end count as losses at the end.
func (p *program) endsWith(ctx context.Context) {
	context.AfterFunc(ctx, func() { p.before.Store(p.lost()) })
}

// abandon closes the program before anything was read.
func (p *program) abandon() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p.out.Close(ctx)
}

// finish delivers the flows that were read, and logs the totals in a line. The error is that of reading; if there
// is none, it reports flows that were lost at the end.
func (p *program) finish(reading error, drain time.Duration) error {
	sets := p.counters.Dropped(count.WaitingExpired)
	p.store.Close()
	sets = p.counters.Dropped(count.WaitingExpired) - sets
	p.tellExamples()
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if err := p.out.Close(ctx); err != nil {
		p.log.Error("the output was not closed properly", "error", err)
	}
	lost := p.lost() - p.before.Load()
	datagrams, flows := uint64(0), uint64(0)
	for protocol := range flow.Protocols {
		datagrams += p.counters.Datagrams[protocol].Load()
		flows += p.counters.Flows[protocol].Load()
	}
	var drops []any
	for r := range count.Reasons {
		if n := p.counters.Dropped(r); n > 0 {
			drops = append(drops, slog.Uint64(r.String(), n))
		}
	}
	ended := []any{"datagrams", datagrams, "flows", flows, "delivered", p.counters.Delivered.Load(), "lost_at_end", lost}
	if sets > 0 { // of which nobody knows how many flows they have
		ended = append(ended, "sets_lost_at_end", sets)
	}
	if p.ended != nil {
		p.ended()
	}
	p.log.Info("ended", append(ended, slog.Group("dropped", drops...))...)
	if reading != nil {
		return reading
	}
	if lost > 0 {
		return exit{lossy}
	}
	return nil
}

// lost is how many flows the output has not delivered and will not deliver.
func (p *program) lost() (n uint64) {
	for r := count.QueueFull; r < count.Reasons; r++ {
		n += p.counters.Dropped(r)
	}
	return n
}

// lookEvery is how often losses are logged and expired state is dropped.
const lookEvery = 10 * time.Second

// lookAfter logs losses as they come, until ctx ends.
func (p *program) lookAfter(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var before [count.Reasons]uint64
	for {
		select {
		case <-ctx.Done():
			return
		case l := <-p.examples:
			p.tellLoss(&l)
		case now := <-tick.C:
			p.store.Expire(now)
			p.tellLosses(&before)
			for _, f := range p.stats.Faults() {
				p.log.Warn("a source of names and places has errors", "source", f.Source, "number", f.Number, "last", f.Cause)
			}
		}
	}
}

// tellExamples logs the examples that nobody has logged yet.
func (p *program) tellExamples() {
	for {
		select {
		case l := <-p.examples:
			p.tellLoss(&l)
		default:
			return
		}
	}
}

// tellLoss logs an example.
func (p *program) tellLoss(l *session.Loss) {
	p.log.Warn("loss, one of its kind", "exporter", l.From.String(), "reason", l.Reason.String(), "number", l.Number,
		"unit", l.Reason.Unit(), "domain", l.Domain, "template", l.Set, "received", l.Time.UTC().Format(time.RFC3339Nano), "detail", l.Sentence())
}

// tellLosses logs the losses since the last call.
func (p *program) tellLosses(before *[count.Reasons]uint64) {
	var losses []any
	for r := range count.Reasons {
		now := p.counters.Dropped(r)
		if n := now - before[r]; n > 0 {
			losses = append(losses, slog.Uint64(r.String(), n))
		}
		before[r] = now
	}
	if len(losses) > 0 {
		p.log.Warn("losses", "seconds", int(lookEvery.Seconds()), slog.Group("by_reason", losses...))
	}
}
