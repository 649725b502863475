//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/load"
)

// soak finds our limit, then stays at four fifths of it.
type soak struct {
	Protocol string `default:"all" help:"Protocol to send: netflow5, netflow9, ipfix, sflow5 or all."`
	Seconds  int    `default:"600" env:"SOAK_SECONDS" help:"Seconds to run."`
	Rate     int    `help:"Flows per second; by default four fifths of the limit, which the command searches first."`
	Growth   int    `default:"10" help:"Percentage by which memory may grow from the second fifth of the time to the last."`
}

// sample is the state at one moment of the run.
type sample struct {
	at             time.Duration
	resident, heap float64 // MB
}

// Run fails if a flow is missing or memory grows.
func (s *soak) Run(ctx context.Context, b *bench) error {
	rate := float64(s.Rate)
	if rate == 0 {
		limit := rest{Protocol: s.Protocol, During: 2 * time.Second, Workers: 1}
		found := limit.search(ctx, b, b.hotpbCollector("flows", 1))
		if err := together(ctx, []*search{found}); err != nil {
			return err
		}
		rate = 0.8 * found.best.Rate()
	}
	fmt.Printf("%d s of %s at %.0f flows/s into files, which are removed after they have been counted\n",
		s.Seconds, s.Protocol, rate)
	folder, err := os.MkdirTemp(b.folder, "soak")
	if err != nil {
		return err
	}
	files := &load.Folder{Path: filepath.Join(folder, "files"), Remove: true}
	if err := os.Mkdir(files.Path, 0o755); err != nil {
		return err
	}
	listen, err := load.FreePort()
	if err != nil {
		return err
	}
	page, err := load.FreePage()
	if err != nil {
		return err
	}
	c, err := load.StartProcess(filepath.Join(folder, "log"), alone(b.flows, "collect", "--listen="+listen.String(),
		"--output=file", "--file-folder="+files.Path, "--file-max-bytes=67108864", "--http="+page)...)
	if err != nil {
		return err
	}
	defer c.Kill()
	if err := c.WaitForListener(listen.Port()); err != nil {
		return err
	}
	made, err := ring(s.Protocol, 1)
	if err != nil {
		return err
	}
	sender, err := load.NewSender(made, listen)
	if err != nil {
		return err
	}
	defer func() { _ = sender.Close() }()
	warm, err := sender.Send(ctx, 1000, time.Second)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		_, err := sender.Send(ctx, rate*float64(warm.Datagrams)/float64(warm.Flows), time.Duration(s.Seconds)*time.Second)
		done <- err
	}()
	samples, err := watch(c, page, files, done)
	if err != nil {
		return err
	}
	if err := complete(ctx, page, files, sender); err != nil {
		return fmt.Errorf("%w; the output of the collector:\n%s", err, c.Tail())
	}
	return s.judge(samples)
}

// watch takes samples until the sender has finished.
func watch(c *load.Process, page string, files *load.Folder, done <-chan error) (samples []sample, err error) {
	begin := time.Now()
	for tick := time.NewTicker(2 * time.Second); ; {
		select {
		case err := <-done:
			return samples, err
		case <-tick.C:
		}
		m, err := load.Scrape(page)
		if err != nil {
			return nil, errors.Join(err, errors.New(c.Tail()))
		}
		resident, err := c.Memory()
		if err != nil {
			return nil, err
		}
		got, err := files.Count()
		if err != nil {
			return nil, err
		}
		now := sample{time.Since(begin), float64(resident) / 1e6, m["go_memstats_heap_inuse_bytes"] / 1e6}
		if samples = append(samples, now); len(samples)%15 == 1 {
			fmt.Printf("%5.0f s: %6.1f MB resident, %6.1f MB of heap in use, %d flows in files; dropped: %s\n",
				now.at.Seconds(), now.resident, now.heap, got, m.Drops())
		}
	}
}

// complete checks that every flow that was sent is in the files, or is counted by the collector as lost.
func complete(ctx context.Context, page string, files *load.Folder, sender *load.Sender) error {
	var m load.Metrics
	sent := sender.Sums()
	got, err := settled(ctx, sent.Flows, files.Count)
	if err != nil {
		return err
	}
	if m, err = load.Scrape(page); err != nil {
		return err
	}
	fmt.Printf("sent %d flows in %d datagrams; in files %d flows; dropped: %s\n",
		sent.Flows, sent.Datagrams, got, m.Drops())
	if m.Received() != sent.Datagrams {
		return fmt.Errorf("%d datagrams are neither received nor counted as dropped", sent.Datagrams-m.Received())
	}
	if m.Dropped("socket") == 0 && m.Decoded() != sent.Flows {
		return fmt.Errorf("all datagrams were received, but only %d flows", m.Decoded())
	}
	if got+m.FlowsDropped() != m.Decoded() {
		return fmt.Errorf("%d flows were decoded, but %d are in files and %d counted as dropped",
			m.Decoded(), got, m.FlowsDropped())
	}
	return nil
}

// judge compares the second fifth of the time, when everything is warm, with the last.
func (s *soak) judge(samples []sample) error {
	fifth := len(samples) / 5
	if fifth == 0 {
		return errors.New("the run is too short to judge memory")
	}
	mean := func(list []sample) (m sample) {
		for _, entry := range list {
			m.resident += entry.resident / float64(len(list))
			m.heap += entry.heap / float64(len(list))
		}
		return m
	}
	early, late := mean(samples[fifth:2*fifth]), mean(samples[len(samples)-fifth:])
	fmt.Printf("resident: %.1f MB in the second fifth of the time, %.1f MB in the last; heap in use: %.1f MB, %.1f MB\n",
		early.resident, late.resident, early.heap, late.heap)
	if limit := early.resident * (1 + float64(s.Growth)/100); late.resident > limit {
		return fmt.Errorf("resident memory has grown beyond %.1f MB", limit)
	}
	return nil
}
