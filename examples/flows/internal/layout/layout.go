// Package layout is the schema file as the collector uses it: compiled, with the handles of the columns that the collector
// itself fills. A reload makes a new one; nothing in a layout changes.
package layout

import (
	"fmt"
	"os"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schemayaml"
)

// The elements that the collector provides beside those of exporters. Where IANA has an element for it, it is that; the
// others are of the enterprise number that IANA has reserved, so that no exporter has them.
const (
	Reserved = 4294967295 // enterprise

	FlowType = 1 // of Reserved: flow.Protocol
	Sequence = 2 // of Reserved: the datagram's number at its exporter
	Sender   = 3 // of Reserved: the address that the datagram came from, where ExporterIPv4 is the agent of sFlow

	SamplingInterval = 34  // the exporter sampled one packet of so many; 1 is all
	ExporterIPv4     = 130 // who exported: of sFlow the agent's address, else the sender's
	ExporterIPv6     = 131
	Received         = 258 // collectionTimeMilliseconds
)

// Layout is immutable, and safe for any number of goroutines.
type Layout struct {
	Path string
	File *schemayaml.File
	Plan *schema.Plan
	Hash string // the wire hash, short: part of the topic's name

	Meta Meta
}

// Meta are the columns that have the collector's elements among their sources: any number each, none too.
type Meta struct {
	FlowType, Sequence, SamplingRate []schema.UintColumn
	FlowTypeEnum                     []schema.EnumColumn
	Exporter, Sender                 []schema.IPColumn
	Received                         []schema.TimeColumn
}

// Load reads a schema file. Errors have the file, the line and the reason.
func Load(path string) (*Layout, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse is Load for a file that has been read.
func Parse(path string, text []byte) (*Layout, error) {
	file, err := schemayaml.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	plan, err := file.Compile()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l := &Layout{Path: path, File: file, Plan: plan, Hash: plan.WireHash().Short()}
	for _, c := range plan.Columns(plan.Root()) {
		if err := l.meta(c); err != nil {
			return nil, fmt.Errorf("%s: %w", path, file.Locate(err))
		}
	}
	return l, nil
}

// Topic is where flows of this layout go: another layout of the wire, another topic.
func (l *Layout) Topic(prefix string) string { return prefix + "-" + l.Hash }

func (l *Layout) meta(c schema.Column) (err error) {
	m, s := &l.Meta, l.File.Schema
	for _, from := range c.Sources {
		switch from {
		case schema.Source{Enterprise: Reserved, Element: FlowType}:
			if c.Enum != nil {
				m.FlowTypeEnum, err = add(m.FlowTypeEnum, s.FindEnum, c.Name)
			} else {
				m.FlowType, err = add(m.FlowType, s.FindUint, c.Name)
			}
		case schema.Source{Enterprise: Reserved, Element: Sequence}:
			m.Sequence, err = add(m.Sequence, s.FindUint, c.Name)
		case schema.Source{Enterprise: Reserved, Element: Sender}:
			m.Sender, err = add(m.Sender, s.FindIP, c.Name)
		case schema.Source{Element: SamplingInterval}:
			m.SamplingRate, err = add(m.SamplingRate, s.FindUint, c.Name)
		case schema.Source{Element: ExporterIPv4}, schema.Source{Element: ExporterIPv6}:
			m.Exporter, err = add(m.Exporter, s.FindIP, c.Name)
		case schema.Source{Element: Received}:
			m.Received, err = add(m.Received, s.FindTime, c.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds the column's handle, once.
func add[C comparable](to []C, find func(string) (C, error), name string) ([]C, error) {
	c, err := find(name)
	if err != nil {
		return to, err
	}
	for _, have := range to {
		if have == c {
			return to, nil
		}
	}
	return append(to, c), nil
}
