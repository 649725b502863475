//go:build linux

// Load measures collectors as users run them: as processes, on loopback.
//
//	go run ./load rest     UDP into a file, our collector and goflow2: flows per second without loss, processor time per flow
//	go run ./load kafka    the same into Kafka, kfake's and a real broker: which side is the limit
//	go run ./load state    what the state file costs: processor time per flow with it and without it, in pairs
//	go run ./load insert   rows per second of an embedded ClickHouse, from the messages to the table, and from JSON
//	go run ./load soak     ten minutes at four fifths of the limit: memory must not grow
//
// The collector has a processor of its own, and the sender another: with fewer than two, the figures mean little.
// The command builds the programs, and ends all processes that it has started.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

type commands struct {
	Rest   rest   `cmd:"" help:"Measure our collector and goflow2, writing to a file."`
	Kafka  kafka  `cmd:"" help:"Measure our collector, writing to Kafka: kfake and a real broker."`
	State  state  `cmd:"" help:"Measure what the state file costs."`
	Insert insert `cmd:"" help:"Measure how fast ClickHouse takes the messages."`
	Soak   soak   `cmd:"" help:"Run at four fifths of the limit and check that memory does not grow."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	arguments := kong.Parse(&commands{}, kong.Description("Measures flow collectors on loopback."))
	arguments.BindTo(ctx, (*context.Context)(nil))
	b, err := newBench()
	if err == nil {
		err = arguments.Run(b)
		b.close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}
