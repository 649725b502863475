package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"

	"github.com/hotpb/hotpb/apps/flows/internal/capture"
	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/explain"
)

type explainCommand struct {
	setupOptions  `group:"Schema and tables"`
	decodeOptions `group:"Limits"`

	File     string `arg:"" help:"Capture to read." type:"path" placeholder:"FILE"`
	Exporter string `help:"Show only datagrams from this address; all are decoded." placeholder:"ADDRESS"`
	Datagram int    `help:"Show only this datagram, counted from 1, and end after it." placeholder:"N"`
}

// Validate checks the flags; kong calls it.
func (c *explainCommand) Validate() error {
	if c.Datagram < 0 {
		return errors.New("--datagram must not be negative")
	}
	if c.Exporter != "" {
		if _, err := netip.ParseAddr(c.Exporter); err != nil {
			return fmt.Errorf("--exporter=%s: it must be an address", c.Exporter)
		}
	}
	return c.decodeOptions.check()
}

// Run explains the datagrams.
func (c *explainCommand) Run(w io.Writer) error {
	r, err := openCapture(c.File)
	if err != nil {
		return err
	}
	defer r.Close()
	setup, _, err := c.load()
	if err != nil {
		return err
	}
	var counters count.Counters
	store, err := c.store(&counters)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	x, err := explain.New(out, store, setup.Layout, setup.Enricher)
	if err != nil {
		return &fileError{setup.Layout.Path, err}
	}
	return errors.Join(c.explain(x, r), out.Flush())
}

func (c *explainCommand) explain(x *explain.Explainer, r *capture.Reader) error {
	from, _ := netip.ParseAddr(c.Exporter)
	for n := 1; ; n++ {
		dg, err := r.Next()
		if err == io.EOF && n <= c.Datagram {
			return fmt.Errorf("--datagram=%d: %s has %d", c.Datagram, c.File, n-1)
		}
		if err == io.EOF {
			return x.End()
		}
		if err != nil {
			return err
		}
		show := (!from.IsValid() || dg.From.Addr() == from.Unmap()) && (c.Datagram == 0 || n == c.Datagram)
		if err := x.Datagram(&dg, show); err != nil || n == c.Datagram {
			return err
		}
	}
}

// store creates a store for exporters within these limits.
func (o *decodeOptions) store(c *count.Counters) (*session.Store, error) {
	rules, err := o.rules()
	if err != nil {
		return nil, err
	}
	s := session.NewStore(o.limits(), c)
	s.SetRules(rules)
	if o.ExporterKey == "address" {
		s.ByAddress()
	}
	return s, nil
}
