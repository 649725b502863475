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
	"syscall"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/capture"
	"github.com/hotpb/hotpb/apps/flows/internal/collect"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
)

type generateCommand struct {
	To        string        `arg:"" optional:"" help:"Destination. To 127.0.0.1 each exporter sends from its own address, to other hosts from its own port." placeholder:"HOST:PORT"`
	Write     string        `help:"Write to a file instead; its name ends in .dgrams or .pcap." type:"path" placeholder:"FILE"`
	Seed      uint64        `help:"Seed; the same seed generates the same flows." default:"1"`
	Exporters int           `help:"Number of exporters." default:"8"`
	Protocols []string      `help:"Protocols of the exporters, in turn: netflow5, netflow9, ipfix, sflow5." enum:"netflow5,netflow9,ipfix,sflow5" default:"netflow5,netflow9,ipfix,sflow5"`
	Rate      int           `help:"Flows per second, all exporters together; 0 sends as fast as possible." default:"1000"`
	For       time.Duration `help:"How long to send; for a file, in the flows' own time. 0 sends until a signal." default:"10s"`
	Count     uint64        `help:"Stop after about this many flows; 0 stops only by time." default:"0"`
}

// Validate checks the flags; kong calls it.
func (c *generateCommand) Validate() error {
	switch {
	case (c.To == "") == (c.Write == ""):
		return errors.New("either HOST:PORT or --write=FILE is needed")
	case c.Write != "" && (c.Rate == 0 || c.For == 0 && c.Count == 0):
		return errors.New("a file needs an end: set --rate, and --for or --count")
	case c.Write != "" && !strings.HasSuffix(c.Write, ".dgrams") && !strings.HasSuffix(c.Write, ".pcap"):
		return fmt.Errorf("--write=%s: the name must end in .dgrams or .pcap", c.Write)
	case c.Rate < 0 || c.For < 0:
		return errors.New("--rate and --for must not be negative")
	}
	if _, port, err := net.SplitHostPort(c.To); c.To != "" && (err != nil || port == "") {
		return fmt.Errorf("%q is not an address: write the collector's as HOST:PORT, such as 127.0.0.1:2055", c.To)
	}
	if c.Exporters < 1 || c.Exporters > 60000 {
		return errors.New("--exporters must be from 1 to 60000")
	}
	return nil
}

// account is the report of what was sent, as JSON on standard output.
type account struct {
	generate.Sums
	Exporters []generate.Exporter
}

// Run sends the flows or writes them to a file.
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
	var from source
	switch g := generate.New(options); {
	case c.Write != "":
		from, err = g, c.write(ctx, g)
	case c.Rate > 0:
		from, err = g, c.send(ctx, g, func() flow.Datagram {
			d := g.Next()
			collect.Sleep(ctx, time.Until(d.Received))
			return d
		})
	default:
		r := generate.NewRing(g, 4096)
		from, err = r, c.send(ctx, r, func() flow.Datagram { return r.Next(time.Now()) })
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(account{from.Sums(), from.Exporters()})
}

// source counts what it generates.
type source interface {
	Sums() generate.Sums
	Exporters() []generate.Exporter
}

// write writes a file.
func (c *generateCommand) write(ctx context.Context, g *generate.Generator) (err error) {
	file, err := os.Create(c.Write)
	if err != nil {
		return fmt.Errorf("--write: %w", err)
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

// send sends until the time is over or the number of flows is reached.
func (c *generateCommand) send(ctx context.Context, from source, next func() flow.Datagram) error {
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	to, err := net.ResolveUDPAddr("udp", c.To)
	if err != nil {
		return fmt.Errorf("%w (name the collector's address as HOST:PORT)", err)
	}
	conns := map[netip.AddrPort]*net.UDPConn{}
	for i, e := range from.Exporters() {
		var local *net.UDPAddr
		if to.IP.To4() != nil && to.IP.IsLoopback() {
			local = &net.UDPAddr{IP: net.IPv4(127, 1, byte((i+1)>>8), byte(i+1))}
		}
		conn, err := net.DialUDP("udp", local, to)
		if err != nil {
			return err
		}
		defer conn.Close()
		conns[e.From] = conn
	}
	for ctx.Err() == nil && (c.Count == 0 || from.Sums().Flows < c.Count) {
		d := next()
		// A missing listener is not an error of the sender.
		if _, err := conns[d.From].Write(d.Payload); err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
			return err
		}
	}
	return nil
}
