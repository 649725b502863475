package datagram

import (
	"bytes"
	"fmt"

	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/decoders/netflowlegacy"
	"github.com/netsampler/goflow2/v2/decoders/sflow"
	"github.com/netsampler/goflow2/v2/producer"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"
	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/examples/flows/internal/flow"
)

// decoder is goflow2's of one exporter.
type decoder struct {
	templates netflow.NetFlowTemplateSystem

	// What it fills, one of them. Its decoders of NetFlow v9 and IPFIX make the sets anew each time, whatever is there; that of
	// sFlow appends.
	v5    netflowlegacy.PacketNetFlowV5
	v9    netflow.NFv9Packet
	ipfix netflow.IPFIXPacket
	sflow sflow.Packet
}

func newDecoder() *decoder { return &decoder{templates: netflow.CreateTemplateSystem()} }

func (d *decoder) decode(payload []byte) (packet any, err error) {
	buffer := bytes.NewBuffer(payload)
	switch p := flow.Detect(payload); p {
	case flow.NetFlow5:
		d.v5 = netflowlegacy.PacketNetFlowV5{}
		return &d.v5, netflowlegacy.DecodeMessageVersion(buffer, &d.v5)
	case flow.NetFlow9:
		return &d.v9, netflow.DecodeMessageVersion(buffer, d.templates, &d.v9, nil)
	case flow.IPFIX:
		return &d.ipfix, netflow.DecodeMessageVersion(buffer, d.templates, nil, &d.ipfix)
	case flow.SFlow5:
		d.sflow = sflow.Packet{Samples: d.sflow.Samples[:0]}
		return &d.sflow, sflow.DecodeMessageVersion(buffer, &d.sflow)
	default:
		return nil, fmt.Errorf("a datagram of protocol %v", p)
	}
}

// newGoflow2 is goflow2 as its pipe has it: its decoder, its producer with its pool of messages, protodelim; but one buffer for
// all that is written, where the pipe makes one for each flow.
func newGoflow2(in *input) (converter, error) {
	config, err := (&protoproducer.ProducerConfig{}).Compile()
	if err != nil {
		return converter{}, err
	}
	made, err := protoproducer.CreateProtoProducer(config, protoproducer.CreateSamplingSystem)
	if err != nil {
		return converter{}, err
	}
	d := newDecoder()
	var out bytes.Buffer
	convert := func(dg *flow.Datagram) error {
		packet, err := d.decode(dg.Payload)
		if err != nil {
			return err
		}
		flows, err := made.Produce(packet, &producer.ProduceArgs{
			Src: dg.From, SamplerAddress: dg.From.Addr(), TimeReceived: dg.Received,
		})
		if err != nil {
			return err
		}
		out.Reset()
		for _, f := range flows {
			if _, err := protodelim.MarshalTo(&out, f.(proto.Message)); err != nil {
				return err
			}
		}
		made.Commit(flows)
		return nil
	}
	for i := range in.templates {
		if err := convert(&in.templates[i]); err != nil {
			return converter{}, err
		}
	}
	return converter{
		convert:  func() ([]byte, error) { err := convert(&in.data); return out.Bytes(), err },
		messages: goflow2Messages,
		note:     "its decoder and producer, protodelim; one buffer",
	}, nil
}
