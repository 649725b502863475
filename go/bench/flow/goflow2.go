package flow

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/producer"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"
	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/proto"
)

// decoder decodes the packet with goflow2, which has its template already.
type decoder struct {
	p         *packet
	templates netflow.NetFlowTemplateSystem
	v9        netflow.NFv9Packet
	ipfix     netflow.IPFIXPacket
}

func newDecoder(p *packet) (*decoder, error) {
	d := &decoder{p: p, templates: netflow.CreateTemplateSystem()}
	record := netflow.TemplateRecord{TemplateId: templateID, FieldCount: uint16(len(p.fields))}
	for _, f := range p.fields {
		record.Fields = append(record.Fields, netflow.Field{Type: f.Element, Length: f.Length})
	}
	return d, d.templates.AddTemplate(p.version, 0, templateID, record)
}

func (d *decoder) decode() error {
	d.v9, d.ipfix = netflow.NFv9Packet{}, netflow.IPFIXPacket{}
	return netflow.DecodeMessageVersion(bytes.NewBuffer(d.p.bytes), d.templates, &d.v9, &d.ipfix)
}

func (d *decoder) sets() []interface{} {
	if d.p.version == 9 {
		return d.v9.FlowSets
	}
	return d.ipfix.FlowSets
}

// newGoflow2 is goflow2 as its users have it: its decoder, its producer, protodelim.
func newGoflow2(p *packet) (exporter, error) {
	d, err := newDecoder(p)
	if err != nil {
		return exporter{}, err
	}
	config, err := (&protoproducer.ProducerConfig{}).Compile()
	if err != nil {
		return exporter{}, err
	}
	made, err := protoproducer.CreateProtoProducer(config, protoproducer.CreateSamplingSystem)
	if err != nil {
		return exporter{}, err
	}
	args := &producer.ProduceArgs{
		Src: netip.MustParseAddrPort("192.0.2.1:2055"), SamplerAddress: netip.MustParseAddr("192.0.2.1"), TimeReceived: time.Unix(1700000001, 0),
	}
	var out bytes.Buffer
	return exporter{func() ([]byte, error) {
		if err := d.decode(); err != nil {
			return nil, err
		}
		var message any = &d.v9
		if p.version == 10 {
			message = &d.ipfix
		}
		flows, err := made.Produce(message, args)
		if err != nil {
			return nil, err
		}
		out.Reset()
		for _, f := range flows {
			if _, err := protodelim.MarshalTo(&out, f.(proto.Message)); err != nil {
				return nil, err
			}
		}
		made.Commit(flows)
		return out.Bytes(), nil
	}, "its decoder and producer, protodelim; one buffer"}, nil
}

// newGoflow2Handles is goflow2's decoder, its fields set by handles.
func newGoflow2Handles(p *packet) (exporter, error) {
	d, err := newDecoder(p)
	if err != nil {
		return exporter{}, err
	}
	s := newExportSchema()
	r := s.plan.NewRecord()
	var out []byte
	return exporter{func() ([]byte, error) {
		if err := d.decode(); err != nil {
			return nil, err
		}
		out = out[:0]
		boot := time.Unix(int64(d.v9.UnixSeconds), 0).Add(-time.Duration(d.v9.SystemUptime) * time.Millisecond)
		for _, set := range d.sets() {
			data, ok := set.(netflow.DataFlowSet)
			if !ok {
				return nil, fmt.Errorf("a set that is %T", set)
			}
			for _, record := range data.Records {
				r.Reset()
				for i := range record.Values {
					s.setValue(r, &record.Values[i], boot)
				}
				out, _ = r.AppendDelimited(out)
			}
		}
		return out, r.Err()
	}, "its decoder, values set by handles; one record, one buffer"}, nil
}

func number(b []byte) (v uint64) {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(b))
	case 4:
		return uint64(binary.BigEndian.Uint32(b))
	}
	return binary.BigEndian.Uint64(b)
}
