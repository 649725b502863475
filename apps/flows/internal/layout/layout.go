// Package layout has the schema file as the collector uses it: compiled, with the handles of the columns that the
// collector itself fills. A reload creates a new layout; a layout never changes.
package layout

import (
	"fmt"
	"os"

	"github.com/hotpb/hotpb/go/schema"
	schemayaml "github.com/hotpb/hotpb/go/schema/yaml"
)

// The elements that the collector provides in addition to those of exporters. Where IANA has an element for the
// value, it is that one. The others have the enterprise number that IANA has reserved, so that no exporter sends
// them.
const (
	Reserved = 4294967295 // enterprise

	FlowType = 1 // of Reserved: flow.Protocol
	Sequence = 2 // of Reserved: the datagram's number at its exporter
	Sender   = 3 // of Reserved: the address from which the datagram came; ExporterIPv4 may be the agent of sFlow

	SamplingKnown = 4 // of Reserved: whether the sampling rate is known
	ScaledOctets  = 5 // of Reserved: octets, times the sampling rate; 0 if that is unknown
	ScaledPackets = 6 // of Reserved: packets, likewise

	InputKind  = 7 // of Reserved, of sFlow: 0 an interface, 1 the device itself
	OutputKind = 8 // likewise; 2 for packets that were discarded, 3 for several interfaces
	Tunnel     = 9 // of Reserved: the tunnel around the inner packet: 4 or 41 IP in IP, 47 GRE, 17 VXLAN

	ASPath    = 10 // of Reserved, a list: AS numbers of the path to the target, from the neighbour on, without those of sets
	ASSets    = 11 // of Reserved, a list: AS numbers of the path's sets, which have no order
	OutLabels = 12 // of Reserved, a list: labels of MPLS that a packet leaves with

	DropReason = 13 // of Reserved, of sFlow: why the packet was discarded, by sFlow's code

	// Inner is the enterprise of the elements of the packet in a tunnel: IANA's elements, of that packet.
	// Inner is the enterprise of the elements of the packet in a tunnel: IANA's elements, of that packet. Of elements that
	// a template repeats and that are not about packets, it is the last one.
	Inner = 4294967294

	SamplingInterval = 34  // one packet of this many was sampled; 1 is all
	ExporterIPv4     = 130 // the exporter: for sFlow the agent's address, else the sender's
	ExporterIPv6     = 131
	EtherType        = 256
	Received         = 258 // collectionTimeMilliseconds
)

// Octets and Packets are the elements that ScaledOctets and ScaledPackets multiply: the first that a record has and that
// is not zero. Totals are those of a flow since its start, which a long flow reports several times.
var (
	Octets  = []uint16{1, 23, 231}
	Packets = []uint16{2, 24, 298}
	Totals  = []uint16{85, 86}
)

// Layout is immutable, and safe for any number of goroutines.
type Layout struct {
	Path string
	File *schemayaml.File
	Plan *schema.Plan
	Hash string // the wire hash, shortened: part of the topic's name

	Meta Meta
}

// Meta are the columns that have the collector's elements among their sources: any number for each element.
type Meta struct {
	FlowType, Sequence, SamplingRate []schema.UintColumn
	FlowTypeEnum                     []schema.EnumColumn
	EtherType                        []EtherTypeColumn
	SamplingKnown                    []schema.BoolColumn
	ScaledOctets, ScaledPackets      []schema.UintColumn
	Exporter, Sender                 []schema.IPColumn
	Received                         []schema.TimeColumn
}

// EtherTypeColumn is a column of the EtherType of a packet.
type EtherTypeColumn struct {
	Column schema.UintColumn
	From   []uint32 // 0 and Inner, in the order of its sources
}

// value returns the value of the column; 0 if nothing implies it.
func (c *EtherTypeColumn) value(v *Values) uint16 {
	for _, from := range c.From {
		switch {
		case from == 0 && v.EtherType != 0:
			return v.EtherType
		case from == Inner && v.Tunnelled:
			return v.InnerEtherType
		}
	}
	return 0
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
	l := &Layout{Path: path, File: file, Plan: plan, Hash: plan.WireHash()[:16]}
	for _, c := range plan.Columns(plan.Root()) {
		err := l.checkLists(c)
		if err == nil {
			err = l.meta(c)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, file.Locate(err))
		}
	}
	return l, nil
}

// Scales reports whether the layout has columns that are multiplied by the sampling rate.
func (l *Layout) Scales() bool { return len(l.Meta.ScaledOctets)+len(l.Meta.ScaledPackets) > 0 }

// Topic returns the topic for flows of this layout: another layout of the wire has another topic.
func (l *Layout) Topic(prefix string) string { return prefix + "-" + l.Hash }

func (l *Layout) meta(c schema.Column) (err error) {
	m, s := &l.Meta, l.File.Schema
	for _, from := range c.Sources {
		switch from {
		case schema.Source{Enterprise: Reserved, Element: FlowType}:
			if c.Enum != nil {
				m.FlowTypeEnum, err = add(m.FlowTypeEnum, s.Message, c.Name)
			} else {
				m.FlowType, err = add(m.FlowType, s.Message, c.Name)
			}
		case schema.Source{Enterprise: Reserved, Element: Sequence}:
			m.Sequence, err = add(m.Sequence, s.Message, c.Name)
		case schema.Source{Enterprise: Reserved, Element: SamplingKnown}:
			m.SamplingKnown, err = add(m.SamplingKnown, s.Message, c.Name)
		case schema.Source{Enterprise: Reserved, Element: ScaledOctets}:
			m.ScaledOctets, err = add(m.ScaledOctets, s.Message, c.Name)
		case schema.Source{Enterprise: Reserved, Element: ScaledPackets}:
			m.ScaledPackets, err = add(m.ScaledPackets, s.Message, c.Name)
		case schema.Source{Enterprise: Reserved, Element: Sender}:
			m.Sender, err = add(m.Sender, s.Message, c.Name)
		case schema.Source{Element: SamplingInterval}:
			m.SamplingRate, err = add(m.SamplingRate, s.Message, c.Name)
		case schema.Source{Element: EtherType}, schema.Source{Enterprise: Inner, Element: EtherType}:
			err = m.addEtherType(s, c.Name, from.Enterprise)
		case schema.Source{Element: ExporterIPv4}, schema.Source{Element: ExporterIPv6}:
			m.Exporter, err = add(m.Exporter, s.Message, c.Name)
		case schema.Source{Element: Received}:
			m.Received, err = add(m.Received, s.Message, c.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *Meta) addEtherType(s *schema.Schema, name string, from uint32) error {
	c, err := schema.Lookup[schema.UintColumn](s.Message, name)
	if err != nil {
		return err
	}
	if n := len(m.EtherType); n > 0 && m.EtherType[n-1].Column == c {
		m.EtherType[n-1].From = append(m.EtherType[n-1].From, from)
		return nil
	}
	m.EtherType = append(m.EtherType, EtherTypeColumn{c, []uint32{from}})
	return nil
}

// add adds the column's handle, once.
func add[C ~struct{ schema.Handle }](to []C, m *schema.Message, name string) ([]C, error) {
	c, err := schema.Lookup[C](m, name)
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
