//go:build linux

// Load measures collectors as users run them: as processes, on loopback.
//
//	go run ./load rest     UDP into a file, ours and goflow2: flows per second without loss, processor time of a flow
//	go run ./load kafka    the same into Kafka, kfake's and a real broker: what is the limit
//	go run ./load soak     ten minutes at four fifths of the limit: memory stays as it is
//
// The collector has a processor of its own, the sender another one: with fewer than two, figures mean little. Programs
// are built, and everything is ended, by the command itself.
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
	Rest  rest  `cmd:"" help:"Into a file: ours and goflow2."`
	Kafka kafka `cmd:"" help:"Into Kafka: kfake and a real broker."`
	Soak  soak  `cmd:"" help:"At four fifths of the limit: memory stays flat."`
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
