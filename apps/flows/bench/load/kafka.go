//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/hotpb/hotpb/apps/flows/internal/broker"
	"github.com/hotpb/hotpb/apps/flows/internal/capture"
	"github.com/hotpb/hotpb/apps/flows/internal/load"
)

// kafka replays a capture as fast as the outputs accept it. It measures the cost of Kafka beside a file, and which
// side is busy.
type kafka struct {
	Protocol  string `default:"netflow9" help:"Protocol to replay: netflow5, netflow9, ipfix, sflow5 or all."`
	Datagrams int    `default:"200000" help:"Number of flows."`
	Rounds    int    `default:"3" help:"Rounds for each output, in turn; the median counts."`
}

// sink is a destination of replayed flows.
type sink struct {
	name      string
	arguments func(round int) []string
	receiver  int // the receiving process; 0 for a file
	runs      []run
}

type run struct{ took, replayer, receiver time.Duration }

// Run measures all sinks.
func (k *kafka) Run(ctx context.Context, b *bench) error {
	file := filepath.Join(b.folder, "replayed.pcap")
	flows, err := k.capture(file)
	if err != nil {
		return err
	}
	fake, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		return err
	}
	defer fake.Close()
	folder := filepath.Join(b.folder, "broker")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	real, err := broker.Start(folder, "")
	if err != nil {
		return err
	}
	defer func() { _ = real.Kill() }()
	into := func(address string) func(int) []string {
		return func(round int) []string {
			return []string{"--kafka-brokers=" + address, "--kafka-partitions=3", fmt.Sprintf("--kafka-topic=round-%d", round)}
		}
	}
	files := filepath.Join(b.folder, "replayed")
	sinks := []*sink{
		{name: "file", arguments: func(int) []string { return []string{"--output=file", "--file-folder=" + files} }},
		{name: "kfake", arguments: into(fake.ListenAddrs()[0]), receiver: os.Getpid()},
		{name: "broker", arguments: into(real.Address()), receiver: real.Pid()},
	}
	fmt.Printf("%d flows of %s, replayed %d times; the collector has one processor, the receiver the other\n",
		flows, k.Protocol, k.Rounds)
	for round := range k.Rounds {
		for _, s := range sinks {
			if err := s.once(ctx, b, file, round); err != nil {
				return err
			}
			_ = os.RemoveAll(files)
		}
	}
	fmt.Printf("%-8s %10s   %-22s   %-22s   %s\n", "", "flows/s", "collector", "receiver", "limit")
	for _, s := range sinks {
		s.report(flows)
	}
	return nil
}

// capture writes the capture to replay, and returns its number of flows.
func (k *kafka) capture(file string) (uint64, error) {
	made, err := ring(k.Protocol, 1)
	if err != nil {
		return 0, err
	}
	f, err := os.Create(file)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	w, err := capture.NewPcapWriter(f)
	if err != nil {
		return 0, err
	}
	now := time.Now()
	for range k.Datagrams {
		if err := w.Write(made.Next(now)); err != nil {
			return 0, err
		}
	}
	return made.Sums().Flows, w.Flush()
}

// once replays into the sink. The collector ends when all flows are acknowledged, and fails if any are lost.
func (s *sink) once(ctx context.Context, b *bench, file string, round int) error {
	log := filepath.Join(b.folder, "replay.log")
	before, err := s.used()
	if err != nil {
		return err
	}
	begin := time.Now()
	command := append([]string{b.flows, "replay", "--no-progress", file}, s.arguments(round)...)
	process, err := load.StartProcess(log, alone(command...)...)
	if err != nil {
		return err
	}
	used, err := process.Wait(ctx)
	if err != nil {
		return err
	}
	after, err := s.used()
	s.runs = append(s.runs, run{time.Since(begin), used, after - before})
	return err
}

func (s *sink) used() (time.Duration, error) {
	if s.receiver == 0 {
		return 0, nil
	}
	return load.CPU(s.receiver)
}

// report describes the median round. The side without idle time is the limit.
func (s *sink) report(flows uint64) {
	slices.SortFunc(s.runs, func(a, b run) int { return int(a.took - b.took) })
	r := s.runs[len(s.runs)/2]
	share := func(d time.Duration) float64 { return 100 * d.Seconds() / r.took.Seconds() }
	perFlow := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(flows) }
	limit := "neither: both wait, or other processes used the time"
	switch {
	case share(r.replayer) > 85:
		limit = "the collector's processor"
	case share(r.receiver) > 85:
		limit = "the receiver's processor"
	}
	fmt.Printf("%-8s %10.0f   %3.0f %%, %5.0f ns a flow   %3.0f %%, %5.0f ns a flow   %s\n",
		s.name, float64(flows)/r.took.Seconds(), share(r.replayer), perFlow(r.replayer), share(r.receiver), perFlow(r.receiver), limit)
}
