//go:build linux

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// state measures what the state file costs. It is written every 30 seconds, and within five after the first templates.
type state struct {
	Protocol string        `default:"netflow9" help:"Protocol to send: netflow5, netflow9, ipfix, sflow5 or all."`
	Rate     float64       `default:"500000" help:"Flows per second."`
	During   time.Duration `default:"35s" help:"How long each run sends."`
	Pairs    int           `default:"5" help:"Pairs of runs, one with the file and one without it."`
	Every    time.Duration `default:"30s" help:"How often the file is written."`
}

// Run fails if a run loses flows.
func (s *state) Run(ctx context.Context, b *bench) error {
	file := filepath.Join(b.folder, "state", "one.json")
	runs := rest{Protocol: s.Protocol, During: s.During, Workers: 1}
	without := b.hotpbCollector("without", 1)
	stateful := b.hotpbCollector("with", 1, "--state="+file, "--state-every="+s.Every.String())
	var ratios []float64
	for i := range s.Pairs {
		pair := []collector{without, stateful}
		if i%2 == 1 {
			slices.Reverse(pair)
		}
		cost := map[string]float64{}
		for _, c := range pair {
			p, err := runs.probe(ctx, b, c, s.Rate)
			if err != nil {
				return err
			}
			fmt.Printf("%-8s %9.0f flows/s: %d of %d flows, %.1f ns CPU per flow\n", c.name, p.Rate(), p.got, p.Flows, p.perFlow())
			if !p.held() {
				return fmt.Errorf("%d flows are missing: choose a lower --rate", p.Flows-p.got)
			}
			cost[c.name] = p.perFlow()
		}
		ratios = append(ratios, cost["with"]/cost["without"])
	}
	slices.Sort(ratios)
	fmt.Printf("with the file / without it: %.3f of the processor time of a flow, median of %d pairs (%.3f to %.3f)\n",
		ratios[len(ratios)/2], len(ratios), ratios[0], ratios[len(ratios)-1])
	return nil
}
