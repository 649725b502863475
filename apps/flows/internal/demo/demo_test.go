package main

import (
	"context"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/stage"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// What goes into the collector comes out of Kafka: of each exporter as many flows, bytes and packets, by an independent
// reading of the captures and by the account of the generator.
func TestWhatGoesInComesOutOfKafka(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, err := newPipeline("../../flows.yaml", stage.Files{Prefixes: "../../prefixes.csv", Interfaces: "../../interfaces.csv"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.cluster.Close()
	in, err := captured("../../testdata", p.feed)
	if err != nil {
		t.Fatal(err)
	}
	if len(in) != len(captures) {
		t.Errorf("the captures have %d exporters", len(in))
	}
	made, err := generated(1, 20_000, p.feed)
	if err != nil {
		t.Fatal(err)
	}
	for exporter, sum := range made {
		in.add(exporter, sum)
	}
	if err := p.drain(ctx); err != nil {
		t.Fatal(err)
	}
	out := account{}
	add, err := tally(p.layout, out)
	if err != nil {
		t.Fatal(err)
	}
	records, err := p.read(ctx, add)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences(in, out) {
		t.Error(d)
	}
	flows := uint64(0)
	for _, sum := range in {
		flows += sum.Flows
	}
	if flows != p.counts.Delivered.Load() || flows < 20_000 {
		t.Errorf("%d flows went in, %d are delivered", flows, p.counts.Delivered.Load())
	}
	t.Logf("%d flows of %d exporters in %d records", flows, len(out), records)
}

func TestADifferenceIsFound(t *testing.T) {
	in := account{}
	in.add(captures[0].from.Addr(), truth.Sum{Flows: 1, Bytes: 2, Packets: 3})
	out := account{}
	out.add(captures[0].from.Addr(), truth.Sum{Flows: 1, Bytes: 2, Packets: 4})
	out.add(captures[1].from.Addr(), truth.Sum{Flows: 1, Bytes: 2, Packets: 3})
	if d := differences(in, out); len(d) != 2 {
		t.Error(d)
	}
	if d := differences(in, in); d != nil {
		t.Error(d)
	}
}
