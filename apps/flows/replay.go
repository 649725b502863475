package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/capture"
	"github.com/hotpb/hotpb/apps/flows/internal/collect"
	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

type replayCommand struct {
	setupOptions  `group:"Schema and tables"`
	outputOptions `group:"Output"`
	decodeOptions `group:"Limits"`

	Files    []string      `arg:"" help:"Captures to read, one after the other." type:"path" placeholder:"FILE"`
	Speed    float64       `help:"Speed relative to the captures' own time, without pauses of more than a minute: 2 is twice as fast; 0 is as fast as possible. Files of .dgrams have only the times in the datagrams' headers." default:"0"`
	Drain    time.Duration `help:"How long to keep delivering waiting flows at the end." default:"5m"`
	Progress bool          `help:"Show progress if standard error is a terminal." default:"true" negatable:""`
}

// Validate checks the flags; kong calls it.
func (c *replayCommand) Validate() error {
	if c.Speed < 0 {
		return errors.New("--speed must not be negative")
	}
	return errors.Join(c.outputOptions.check(), c.decodeOptions.check())
}

// Run replays the files.
func (c *replayCommand) Run(log *slog.Logger) error {
	readers, total, err := c.open()
	if err != nil {
		return err
	}
	p, err := newProgram(log, &c.setupOptions, &c.outputOptions, &c.decodeOptions, 0)
	if err != nil {
		return err
	}
	examples := exampleLosses{p: p}
	p.store.Report(examples.add)
	ctx, stop := untilSignal(log)
	defer stop()
	p.endsWith(ctx)
	done := c.bar(readers, total)
	for i, r := range readers {
		if err = p.engine.Replay(ctx, telling{r, p.store}, c.Speed); err != nil {
			break
		}
		if s := r.Skipped(); s.Fragments+s.Cut > 0 {
			log.Warn("the capture has incomplete packets", "file", c.Files[i], "fragments", s.Fragments, "cut", s.Cut)
		}
		r.Close()
	}
	done()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	p.ended = examples.tell
	return p.finish(err, c.Drain)
}

// telling is a source after whose datagrams a store reports all losses.
type telling struct {
	collect.Source
	store *session.Store
}

// Next is of collect.Source.
func (s telling) Next() (flow.Datagram, error) {
	s.store.ForgetExamples()
	return s.Source.Next()
}

// exampleLosses are the first losses for each reason.
type exampleLosses struct {
	p    *program
	seen [count.Reasons]bool
	list []session.Loss
}

func (x *exampleLosses) add(l session.Loss) {
	if !x.seen[l.Reason] {
		x.seen[l.Reason] = true
		x.list = append(x.list, l)
	}
}

// tell logs the examples, and the reasons that have none: those of the output.
func (x *exampleLosses) tell() {
	for i := range x.list {
		x.p.tellLoss(&x.list[i])
	}
	for r := range count.Reasons {
		if n := x.p.counters.Dropped(r); n > 0 && !x.seen[r] {
			x.p.log.Warn("loss", "reason", r.String(), "number", n, "unit", r.Unit(), "detail", r.Sentence())
		}
	}
}

// open opens all files before it replays any.
func (c *replayCommand) open() (readers []*capture.Reader, total int64, err error) {
	for _, path := range c.Files {
		r, err := openCapture(path)
		if err != nil {
			return nil, 0, err
		}
		readers = append(readers, r)
		total += r.Size()
	}
	return readers, total, nil
}

func openCapture(path string) (*capture.Reader, error) {
	r, err := capture.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w (captures are pcap, pcapng or .dgrams)", err)
	}
	return r, nil
}

// bar shows how much has been read until done is called.
func (c *replayCommand) bar(readers []*capture.Reader, total int64) (done func()) {
	if !c.Progress || total == 0 || !term.IsTerminal(int(os.Stderr.Fd())) {
		return func() {}
	}
	bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("replay"), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
	show := func() {
		read := int64(0)
		for _, r := range readers {
			read += r.Offset()
		}
		_ = bar.Set64(min(read, total))
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				show()
			case <-end:
				return
			}
		}
	}()
	return func() { close(end); <-ended; _ = bar.Finish() }
}
