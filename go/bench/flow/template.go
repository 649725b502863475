package flow

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	flowmessage "github.com/netsampler/goflow2/v2/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/hotpb/hotpb/go/wire"
)

// A packet is a data message of an exporter, whose template is known already.
type packet struct {
	version uint16
	fields  []template.Field
	records int
	bytes   []byte
}

const templateID = 256

// headerSize is where the data set's header starts.
func (p *packet) headerSize() int { return map[uint16]int{9: 20, 10: 16}[p.version] }

// The elements of the cases' packets, and their lengths.
var (
	netflow9 = []template.Field{
		{Element: 22, Length: 4}, {Element: 21, Length: 4}, {Element: 1, Length: 4}, {Element: 2, Length: 4}, {Element: 10, Length: 4},
		{Element: 14, Length: 4}, {Element: 8, Length: 4}, {Element: 12, Length: 4}, {Element: 4, Length: 1}, {Element: 5, Length: 1},
		{Element: 7, Length: 2}, {Element: 11, Length: 2}, {Element: 48, Length: 1}, {Element: 51, Length: 1}, {Element: 15, Length: 4},
		{Element: 13, Length: 1}, {Element: 9, Length: 1}, {Element: 6, Length: 1}, {Element: 61, Length: 1}, {Element: 17, Length: 4},
		{Element: 16, Length: 4},
	}
	ipfix = []template.Field{
		{Element: 152, Length: 8}, {Element: 153, Length: 8}, {Element: 1, Length: 8}, {Element: 2, Length: 8}, {Element: 10, Length: 4},
		{Element: 14, Length: 4}, {Element: 27, Length: 16}, {Element: 28, Length: 16}, {Element: 4, Length: 1}, {Element: 5, Length: 1},
		{Element: 7, Length: 2}, {Element: 11, Length: 2}, {Element: 6, Length: 2}, {Element: 136, Length: 1}, {Element: 31, Length: 4},
	}
)

// newPacket makes as many records as go into a datagram.
func newPacket(version uint16, fields []template.Field) *packet {
	p := &packet{version: version, fields: fields}
	r := rand.New(rand.NewPCG(uint64(version), 9))
	size := 0
	for _, f := range fields {
		size += int(f.Length)
	}
	p.records = 1400 / size
	const export, uptime = 1700000000, 500000000
	length := p.headerSize() + 4 + p.records*size
	b := binary.BigEndian.AppendUint16(nil, version)
	if version == 9 {
		b = binary.BigEndian.AppendUint16(b, uint16(p.records))
		b = binary.BigEndian.AppendUint32(b, uptime)
	} else {
		b = binary.BigEndian.AppendUint16(b, uint16(length))
	}
	b = binary.BigEndian.AppendUint32(b, export)
	b = append(b, make([]byte, p.headerSize()-len(b))...) // sequence number, domain
	b = binary.BigEndian.AppendUint16(b, templateID)
	b = binary.BigEndian.AppendUint16(b, uint16(4+p.records*size))
	for range p.records {
		for _, f := range fields {
			var v uint64
			switch f.Element {
			case 21, 22:
				v = uptime - uint64(r.IntN(60000))
			case 152, 153:
				v = export*1000 - uint64(r.IntN(60000))
			case 8, 12, 15, 27, 28:
				v = r.Uint64()
			case 1:
				v = uint64(40 + r.IntN(1<<(6+r.IntN(16))))
			case 4:
				v = []uint64{6, 6, 17}[r.IntN(3)]
			case 11:
				v = []uint64{53, 80, 443, 443}[r.IntN(4)]
			default:
				v = uint64(1 + r.IntN(1<<(1+r.IntN(int(min(16, 8*f.Length-1))))))
			}
			value := binary.BigEndian.AppendUint64(make([]byte, 8), v)
			b = append(b, value[16-f.Length:]...)
		}
	}
	p.bytes = b
	return p
}

// exportSchema has goflow2's own message, as far as the packets fill it, with its numbers.
type exportSchema struct {
	plan *schema.Plan

	bytes, packets, inIf, outIf, proto, tos, srcPort, dstPort, srcNet, dstNet, tcpFlags, srcAS, dstAS, flowLabel schema.UintColumn
	src, dst, nextHop                                                                                            schema.IPColumn
	start, end                                                                                                   schema.TimeColumn
}

func newExportSchema() *exportSchema {
	s := schema.New("FlowMessage", schema.Package("flowpb"))
	from := func(elements ...uint16) schema.Option {
		var sources []schema.Source
		for _, e := range elements {
			sources = append(sources, schema.Source{Element: e})
		}
		return schema.From(sources...)
	}
	moment := func(name string, number uint32, elements ...uint16) schema.TimeColumn {
		c := schema.Column{Name: name, Number: number, Kind: wire.Uint64, Logical: schema.Timestamp, Unit: schema.Nanos}
		from(elements...)(&c)
		return schema.TimeColumn{Handle: s.Add(c)}
	}
	e := &exportSchema{
		src: s.IP("src_addr", 6, from(8, 27)), dst: s.IP("dst_addr", 7, from(12, 28)), bytes: s.Uint64("bytes", 9, from(1)),
		packets: s.Uint64("packets", 10, from(2)), nextHop: s.IP("next_hop", 12, from(15)), srcAS: s.Uint32("src_as", 14, from(16)),
		dstAS: s.Uint32("dst_as", 15, from(17)), srcNet: s.Uint32("src_net", 16, from(9)), dstNet: s.Uint32("dst_net", 17, from(13)),
		inIf: s.Uint32("in_if", 18, from(10)), outIf: s.Uint32("out_if", 19, from(14)), proto: s.Uint32("proto", 20, from(4)),
		srcPort: s.Uint32("src_port", 21, from(7)), dstPort: s.Uint32("dst_port", 22, from(11)), tos: s.Uint32("ip_tos", 23, from(5)),
		tcpFlags: s.Uint32("tcp_flags", 26, from(6)), flowLabel: s.Uint32("ipv6_flow_label", 37, from(31)),
		start: moment("time_flow_start_ns", 111, 22, 152), end: moment("time_flow_end_ns", 112, 21, 153),
	}
	plan, err := s.Compile()
	if err != nil {
		panic(err)
	}
	e.plan = plan
	return e
}

// An exporter encodes the records of a packet as a stream of length-prefixed messages.
type exporter struct {
	encode func() ([]byte, error)
	note   string
}

var exporters = map[string]func(p *packet) (exporter, error){
	"hotpb-schema":         newFused,
	"goflow2+hotpb-schema": newGoflow2Handles,
	"goflow2":              newGoflow2,
}

func templateTasks(tasks harness.Tasks) {
	for name, p := range map[string]*packet{"netflow9": newPacket(9, netflow9), "ipfix": newPacket(10, ipfix)} {
		contenders := map[string]harness.Factory{}
		for name, make := range exporters {
			contenders[name] = func([]byte) (harness.Contender, error) {
				e, err := make(p)
				return harness.Contender{
					Op: func() (uint64, error) {
						b, err := e.encode()
						return uint64(len(b)), err
					},
					Verify: func() error { return p.verify(e) },
					Note:   e.note, Size: len(p.bytes),
				}, err
			}
		}
		tasks["template-encode/"+name] = contenders
	}
}

// verify compares a stream with what goflow2 makes of the packet, in the columns of the schema.
func (p *packet) verify(e exporter) error {
	stock, err := newGoflow2(p)
	if err != nil {
		return err
	}
	want, err := p.messages(stock)
	if err != nil {
		return err
	}
	got, err := p.messages(e)
	if err != nil {
		return err
	}
	for i := range want {
		if !proto.Equal(got[i], want[i]) {
			return fmt.Errorf("record %d: %v instead of %v", i, got[i], want[i])
		}
	}
	return nil
}

// messages are those of a stream with the columns of the schema, addresses in sixteen bytes.
func (p *packet) messages(e exporter) (all []*flowmessage.FlowMessage, err error) {
	stream, err := e.encode()
	if err != nil {
		return nil, err
	}
	for at := 0; at < len(stream); {
		b, next, err := wire.CutDelimited(stream, at, wire.Options{})
		if err != nil {
			return nil, err
		}
		var m flowmessage.FlowMessage
		if err := proto.Unmarshal(b, &m); err != nil {
			return nil, err
		}
		known := &flowmessage.FlowMessage{
			SrcAddr: sixteen(m.SrcAddr), DstAddr: sixteen(m.DstAddr), NextHop: sixteen(m.NextHop), Bytes: m.Bytes, Packets: m.Packets,
			SrcAs: m.SrcAs, DstAs: m.DstAs, SrcNet: m.SrcNet, DstNet: m.DstNet, InIf: m.InIf, OutIf: m.OutIf, Proto: m.Proto,
			SrcPort: m.SrcPort, DstPort: m.DstPort, IpTos: m.IpTos, TcpFlags: m.TcpFlags, Ipv6FlowLabel: m.Ipv6FlowLabel,
			TimeFlowStartNs: m.TimeFlowStartNs, TimeFlowEndNs: m.TimeFlowEndNs,
		}
		all, at = append(all, known), next
	}
	if len(all) != p.records {
		return nil, fmt.Errorf("%d of %d records", len(all), p.records)
	}
	return all, nil
}

func sixteen(b []byte) []byte {
	if len(b) == 4 {
		return append([]byte{10: 0xff, 11: 0xff}, b...)
	}
	return b
}

// newFused is the template bound to the schema: from the packet's bytes to the stream's.
func newFused(p *packet) (exporter, error) {
	s := newExportSchema()
	t, err := template.Bind(s.plan, p.fields)
	if err != nil {
		return exporter{}, err
	}
	var out []byte
	return exporter{func() ([]byte, error) {
		b := p.bytes
		clock := template.Clock{}
		at := 16
		if binary.BigEndian.Uint16(b) == 9 {
			clock, at = template.NetFlowClock(binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[4:])), 20
		}
		set := b[at : at+int(binary.BigEndian.Uint16(b[at+2:]))]
		if binary.BigEndian.Uint16(set) != templateID {
			return nil, fmt.Errorf("no such template")
		}
		var err error
		out, _, err = t.AppendSet(out[:0], set[4:], clock)
		return out, err
	}, "template bound to the schema; one buffer"}, nil
}
