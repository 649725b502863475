package datagram

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/decoders/netflowlegacy"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
	"github.com/hotpb/hotpb/go/schema"
)

// unfused is goflow2's decoder before our encoding: handles set the values of each flow, in one record.
type unfused struct {
	layout  *layout.Layout
	record  *schema.Record
	decoder *truth.Decoder
	values  layout.Values

	// The columns by the elements that fill them.
	numbers   [512][]func(v uint64)
	addresses [512][]schema.IPColumn
	times     [512][]schema.TimeColumn
	boot      time.Time
	rate      uint64                             // that options have reported
	message   protoproducer.ProtoProducerMessage // a sample of sFlow
	out       []byte
}

func newUnfused(in *input) (converter, error) {
	l, err := loadLayout()
	if err != nil {
		return converter{}, err
	}
	u := &unfused{layout: l, record: l.Plan.NewRecord(), decoder: truth.NewDecoder()}
	if err := u.bind(); err != nil {
		return converter{}, err
	}
	for i := range in.templates {
		if err := u.convert(&in.templates[i]); err != nil {
			return converter{}, err
		}
	}
	return converter{
		convert: func() ([]byte, error) {
			err := u.convert(&in.data)
			return u.out, err
		},
		messages: func(b []byte) ([]message, error) { return ourMessages(l, b) },
		note:     "goflow2's decoder, values set by handles; for sFlow its producer's reading of samples; one record, one buffer",
	}, nil
}

// bind finds the columns of IANA's elements.
func (u *unfused) bind() error {
	s, r := u.layout.File.Schema, u.record
	for _, c := range u.layout.Plan.Columns(u.layout.Plan.Root()) {
		for _, from := range c.Sources {
			if from.Enterprise != 0 || int(from.Element) >= len(u.numbers) {
				continue
			}
			var err error
			switch e := from.Element; c.Logical {
			case schema.IP:
				var h schema.IPColumn
				h, err = schema.Lookup[schema.IPColumn](s.Message, c.Name)
				u.addresses[e] = append(u.addresses[e], h)
			case schema.Timestamp:
				var h schema.TimeColumn
				h, err = schema.Lookup[schema.TimeColumn](s.Message, c.Name)
				u.times[e] = append(u.times[e], h)
			case schema.MAC:
				var h schema.MACColumn
				h, err = schema.Lookup[schema.MACColumn](s.Message, c.Name)
				u.numbers[e] = append(u.numbers[e], func(v uint64) { r.MAC(h, v) })
			default:
				var h schema.UintColumn
				h, err = schema.Lookup[schema.UintColumn](s.Message, c.Name)
				u.numbers[e] = append(u.numbers[e], func(v uint64) { r.Uint(h, v) })
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// convert leaves the flows of a datagram in out.
func (u *unfused) convert(dg *flow.Datagram) error {
	packet, err := u.decoder.Decode(dg.Payload)
	if err != nil {
		return err
	}
	u.out = u.out[:0]
	u.values = layout.Values{
		Protocol: uint8(flow.Detect(dg.Payload)), Exporter: dg.From.Addr(), Sender: dg.From.Addr(), Received: dg.Received, Rate: float64(u.rate),
	}
	switch p := packet.(type) {
	case *netflowlegacy.PacketNetFlowV5:
		u.boot = time.Unix(int64(p.UnixSecs), int64(p.UnixNSecs)).Add(-time.Duration(p.SysUptime) * time.Millisecond)
		u.values.Rate = float64(p.SamplingInterval & 0x3fff)
		for i := range p.Records {
			u.five(&p.Records[i])
		}
		return nil
	case *netflow.NFv9Packet:
		u.boot = time.Unix(int64(p.UnixSeconds), 0).Add(-time.Duration(p.SystemUptime) * time.Millisecond)
		return u.sets(p.FlowSets)
	case *netflow.IPFIXPacket:
		return u.sets(p.FlowSets)
	}
	return u.samples(packet)
}

func (u *unfused) sets(sets []any) error {
	for _, set := range sets {
		switch s := set.(type) {
		case netflow.OptionsDataFlowSet:
			for _, record := range s.Records {
				for i := range record.OptionsValues {
					if f := &record.OptionsValues[i]; f.Type == 34 || f.Type == 50 || f.Type == 305 {
						u.rate = number(f.Value.([]byte))
					}
				}
			}
		case netflow.DataFlowSet:
			for _, record := range s.Records {
				u.begin()
				for i := range record.Values {
					u.field(&record.Values[i])
				}
				u.end()
			}
		case netflow.TemplateFlowSet, netflow.NFv9OptionsTemplateFlowSet, netflow.IPFIXOptionsTemplateFlowSet:
		default:
			return fmt.Errorf("a set that is %T", set)
		}
	}
	return nil
}

func (u *unfused) begin() { u.layout.Begin(u.record, &u.values) }

func (u *unfused) end() { u.out, _ = u.record.AppendDelimited(u.out) }

func (u *unfused) field(f *netflow.DataField) {
	if f.PenProvided || int(f.Type) >= len(u.numbers) {
		return
	}
	b := f.Value.([]byte)
	if len(b) <= 8 {
		v := number(b)
		u.number(f.Type, v)
		u.time(f.Type, v)
	}
	if u.addresses[f.Type] != nil {
		a, _ := netip.AddrFromSlice(b)
		u.address(f.Type, a)
	}
}

func (u *unfused) number(element uint16, v uint64) {
	if v == 0 {
		return
	}
	for _, set := range u.numbers[element] {
		set(v)
	}
}

func (u *unfused) address(element uint16, a netip.Addr) {
	if !a.IsValid() || a.IsUnspecified() {
		return
	}
	for _, c := range u.addresses[element] {
		u.record.IP(c, a)
	}
	etype := uint64(0x0800)
	if a.Is6() {
		etype = 0x86dd
	}
	if element == 8 || element == 27 {
		u.number(256, etype)
	}
}

// time sets times that count from the exporter's start (21, 22), or else from 1970, in milliseconds.
func (u *unfused) time(element uint16, v uint64) {
	for _, c := range u.times[element] {
		if element == 21 || element == 22 {
			u.record.Time(c, u.boot.Add(time.Duration(v)*time.Millisecond))
		} else {
			u.record.Time(c, time.UnixMilli(int64(v)))
		}
	}
}

func (u *unfused) five(r *netflowlegacy.RecordsNetFlowV5) {
	u.begin()
	for _, field := range [...]struct {
		element uint16
		v       uint64
	}{
		{10, uint64(r.Input)}, {14, uint64(r.Output)}, {2, uint64(r.DPkts)}, {1, uint64(r.DOctets)}, {7, uint64(r.SrcPort)},
		{11, uint64(r.DstPort)}, {6, uint64(r.TCPFlags)}, {4, uint64(r.Proto)}, {5, uint64(r.Tos)}, {16, uint64(r.SrcAS)},
		{17, uint64(r.DstAS)}, {9, uint64(r.SrcMask)}, {13, uint64(r.DstMask)},
	} {
		u.number(field.element, field.v)
	}
	u.time(22, uint64(r.First))
	u.time(21, uint64(r.Last))
	u.address(8, four(uint32(r.SrcAddr)))
	u.address(12, four(uint32(r.DstAddr)))
	u.address(15, four(uint32(r.NextHop)))
	u.end()
}

func four(a uint32) netip.Addr {
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, a)))
}

func number(b []byte) (v uint64) {
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}
