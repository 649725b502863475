//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/load"
)

// rest searches for the highest rate that each collector sustains.
type rest struct {
	Protocol string        `default:"netflow9" help:"Protocol to send: netflow5, netflow9, ipfix, sflow5 or all."`
	During   time.Duration `default:"2s" help:"How long a collector must sustain a rate."`
	Workers  int           `default:"1" help:"Workers of a collector, each with a processor; the sender needs one more."`
}

// collector is a program that writes flows to a file.
type collector struct {
	name  string
	start func(listen netip.AddrPort, folder, log string) (*load.Process, error)
}

// hotpbCollector is our collector, with options.
func (b *bench) hotpbCollector(name string, workers int, options ...string) collector {
	return collector{name, func(listen netip.AddrPort, folder, log string) (*load.Process, error) {
		command := on(workers, b.flows, "collect", "--listen="+listen.String(), "--output=file",
			"--file-folder="+folder, "--http=", fmt.Sprintf("--workers=%d", workers))
		return load.StartProcess(log, append(command, options...)...)
	}}
}

func (b *bench) collectors(workers int) []collector {
	return []collector{
		b.hotpbCollector("flows", workers),
		// Its queue of a million datagrams is the default.
		{"goflow2", func(listen netip.AddrPort, folder, log string) (*load.Process, error) {
			return load.StartProcess(log, on(workers, b.rival, fmt.Sprintf("-listen=flow://%v?count=%d&workers=%d", listen, workers, workers), "-format=bin",
				"-transport=file", "-transport.file="+filepath.Join(folder, "flows.pb"), "-transport.file.sep=",
				"-addr=", "-loglevel=error")...)
		}},
	}
}

// Run measures the collectors in turn, so that disturbances of the machine affect both.
func (r *rest) Run(ctx context.Context, b *bench) error {
	if r.Workers < 1 {
		return errors.New("--workers must be 1 or more")
	}
	b.senderAlone(r.Workers)
	fmt.Printf("%s into a file, %d processors; a rate counts if all flows of %v are in the file right after the end\n",
		r.Protocol, r.Workers, r.During)
	searches := []*search{}
	for _, c := range b.collectors(r.Workers) {
		searches = append(searches, r.search(ctx, b, c))
	}
	if err := together(ctx, searches); err != nil {
		return err
	}
	fmt.Printf("\n%-10s %14s %14s %16s %14s\n", "", "flows/s", "datagrams/s", "ns CPU per flow", "resident MB")
	for _, s := range searches {
		p := s.best
		fmt.Printf("%-10s %14.0f %14.0f %16.0f %14.0f\n",
			s.name, p.Rate(), float64(p.Datagrams)/p.Took.Seconds(), p.perFlow(), float64(p.memory)/1e6)
	}
	hotpb, rival := searches[0].best, searches[1].best
	fmt.Printf("flows / goflow2: %.1f times the flows per second, 1/%.1f of the processor time of a flow\n",
		hotpb.Rate()/rival.Rate(), rival.perFlow()/hotpb.perFlow())
	if searches[0].sender {
		fmt.Println("the sender could not send more than flows accepted: the limit of flows is higher")
	}
	return nil
}

func (r *rest) search(ctx context.Context, b *bench, c collector) *search {
	return &search{name: c.name, probe: func(rate float64) (probe, error) { return r.probe(ctx, b, c, rate) }}
}

// probe starts a collector, sends at a rate in flows per second, and counts the flows in the file.
func (r *rest) probe(ctx context.Context, b *bench, c collector, rate float64) (p probe, err error) {
	folder, err := os.MkdirTemp(b.folder, c.name)
	if err != nil {
		return p, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	listen, err := load.FreePort()
	if err != nil {
		return p, err
	}
	files := &load.Folder{Path: filepath.Join(folder, "files")}
	if err := os.Mkdir(files.Path, 0o755); err != nil {
		return p, err
	}
	process, err := c.start(listen, files.Path, filepath.Join(folder, "log"))
	if err != nil {
		return p, err
	}
	defer process.Kill()
	if err := process.WaitForListener(listen.Port()); err != nil {
		return p, err
	}
	made, err := ring(r.Protocol, r.Workers)
	if err != nil {
		return p, err
	}
	sender, err := load.NewSender(made, listen)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, sender.Close()) }()
	// All templates are known before the measurement begins.
	warm, err := sender.Send(ctx, 2000, 300*time.Millisecond)
	if err != nil {
		return p, err
	}
	base, err := settled(ctx, warm.Flows, files.Count)
	if err != nil || base == 0 {
		none := fmt.Errorf("%s: %d of the first %d flows; its output:\n%s", c.name, base, warm.Flows, process.Tail())
		return p, errors.Join(err, none)
	}
	before, err := process.CPU()
	if err != nil {
		return p, err
	}
	if p.Sent, err = sender.Send(ctx, rate/r.perDatagram(warm), r.During); err != nil {
		return p, err
	}
	if p.got, err = settled(ctx, base+p.Flows, files.Count); err != nil {
		return p, err
	}
	p.got -= base
	after, err := process.CPU()
	p.cpu = after - before
	if err != nil {
		return p, err
	}
	if p.memory, err = process.Memory(); err != nil {
		return p, err
	}
	kernel, err := load.ListenersOf(listen.Port())
	p.dropped = kernel.Dropped
	return p, err
}

func (r *rest) perDatagram(s load.Sent) float64 { return float64(s.Flows) / float64(s.Datagrams) }
