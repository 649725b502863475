package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/hotpb/hotpb/examples/flows/internal/capture"
	"github.com/hotpb/hotpb/examples/flows/internal/flow"
	"github.com/hotpb/hotpb/examples/flows/internal/generate"
)

type generateCommand struct {
	To        string        `arg:"" optional:"" help:"Where to send to. To 127.0.0.1 each exporter sends from an address of its own, else from a port of its own." placeholder:"HOST:PORT"`
	Write     string        `help:"Write to a file instead: .dgrams, or .pcap." type:"path" placeholder:"FILE"`
	Seed      uint64        `help:"The same seed makes the same flows." default:"1"`
	Exporters int           `help:"How many exporters." default:"8"`
	Protocols []string      `help:"What they speak, in turn: netflow5, netflow9, ipfix, sflow5." enum:"netflow5,netflow9,ipfix,sflow5" default:"netflow5,netflow9,ipfix,sflow5"`
	Rate      int           `help:"Flows per second, of all together; 0 sends as fast as it goes." default:"1000"`
	For       time.Duration `help:"How long; in a file, of the flows' own time. 0: until a signal comes." default:"10s"`
	Count     uint64        `help:"End after so many flows, about; 0: go by time alone." default:"0"`
}

// Validate is called by kong.
func (c *generateCommand) Validate() error {
	switch {
	case (c.To == "") == (c.Write == ""):
		return errors.New("either HOST:PORT or --write=FILE is needed")
	case c.Write != "" && (c.Rate == 0 || c.For == 0 && c.Count == 0):
		return errors.New("a file needs an end: give --rate, and --for or --count")
	}
	return positive("exporters", c.Exporters)
}

// account is what was sent, as JSON on standard output.
type account struct {
	generate.Sums
	Exporters []generate.Exporter
}

// Run sends or writes.
func (c *generateCommand) Run(log *slog.Logger, w io.Writer) error {
	options := generate.Options{Seed: c.Seed, Exporters: c.Exporters, FlowsPerSecond: c.Rate, Start: time.Now()}
	for p := range flow.Protocols {
		for _, name := range c.Protocols {
			if name == p.String() {
				options.Protocols = append(options.Protocols, p)
			}
		}
	}
	ctx, stop := untilSignal(log)
	defer stop()
	var err error
	var a account
	switch g := generate.New(options); {
	case c.Write != "":
		err = c.write(ctx, g)
		a = account{g.Sums(), g.Exporters()}
	case c.Rate > 0:
		err = c.send(ctx, g.Sums, func() flow.Datagram {
			d := g.Next()
			sleep(ctx, time.Until(d.Received))
			return d
		})
		a = account{g.Sums(), g.Exporters()}
	default:
		r := generate.NewRing(g, 4096)
		err = c.send(ctx, r.Sums, func() flow.Datagram { return r.Next(time.Now()) })
		a = account{r.Sums(), r.Exporters()}
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(a)
}

// write writes a file.
func (c *generateCommand) write(ctx context.Context, g *generate.Generator) (err error) {
	file, err := os.Create(c.Write)
	if err != nil {
		return err
	}
	defer func() {
		if wrong := file.Close(); err == nil {
			err = wrong
		}
	}()
	w := capture.NewWriter(file)
	if strings.HasSuffix(c.Write, ".pcap") {
		if w, err = capture.NewPcapWriter(file); err != nil {
			return err
		}
	}
	first := time.Time{}
	for ctx.Err() == nil && (c.Count == 0 || g.Sums().Flows < c.Count) {
		d := g.Next()
		if first.IsZero() {
			first = d.Received
		}
		if err := w.Write(d); err != nil {
			return err
		}
		if c.For > 0 && d.Received.Sub(first) >= c.For {
			break
		}
	}
	return w.Flush()
}

// send sends until the time is over or enough is sent.
func (c *generateCommand) send(ctx context.Context, sums func() generate.Sums, next func() flow.Datagram) error {
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	to, err := net.ResolveUDPAddr("udp", c.To)
	if err != nil {
		return fmt.Errorf("%w (where is the collector? give HOST:PORT)", err)
	}
	from := map[netip.AddrPort]*net.UDPConn{}
	defer func() {
		for _, conn := range from {
			conn.Close()
		}
	}()
	for ctx.Err() == nil && (c.Count == 0 || sums().Flows < c.Count) {
		d := next()
		conn := from[d.From]
		if conn == nil {
			var local *net.UDPAddr
			if to.IP.To4() != nil && to.IP.IsLoopback() {
				local = &net.UDPAddr{IP: net.IPv4(127, 1, byte(len(from)>>8), byte(len(from))+1)}
			}
			if conn, err = net.DialUDP("udp", local, to); err != nil {
				return err
			}
			from[d.From] = conn
		}
		// Nobody listening is the business of who listens.
		if _, err := conn.Write(d.Payload); err != nil && !isRefused(err) {
			return err
		}
	}
	return nil
}
