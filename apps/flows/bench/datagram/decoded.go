package datagram

import (
	"fmt"

	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/decoders/netflowlegacy"
	"github.com/netsampler/goflow2/v2/decoders/sflow"

	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// newDecoded is goflow2's decoder alone: it shows which part of a collector's time decoding takes that does not write messages. The
// collector has no such step, because it writes columns while it reads fields.
func newDecoded(in *input) (converter, error) {
	d := truth.NewDecoder()
	for i := range in.templates {
		if _, err := d.Decode(in.templates[i].Payload); err != nil {
			return converter{}, err
		}
	}
	return converter{
		convert: func() ([]byte, error) {
			_, err := d.Decode(in.data.Payload)
			return nil, err
		},
		check: func() error {
			packet, err := d.Decode(in.data.Payload)
			if n := records(packet); err == nil && n != in.flows {
				err = fmt.Errorf("%d flows; the datagram has %d", n, in.flows)
			}
			return err
		},
		note: "its decoder alone: structs of fields, no message",
	}, nil
}

// records returns the number of flows in a packet of goflow2's decoder.
func records(packet any) (n int) {
	var sets []any
	switch p := packet.(type) {
	case *netflowlegacy.PacketNetFlowV5:
		return len(p.Records)
	case *netflow.NFv9Packet:
		sets = p.FlowSets
	case *netflow.IPFIXPacket:
		sets = p.FlowSets
	case *sflow.Packet:
		for _, sample := range p.Samples {
			switch sample.(type) {
			case sflow.FlowSample, sflow.ExpandedFlowSample:
				n++
			}
		}
	}
	for _, set := range sets {
		if s, ok := set.(netflow.DataFlowSet); ok {
			n += len(s.Records)
		}
	}
	return n
}
