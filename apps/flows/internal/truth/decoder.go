// Package truth reads datagrams with goflow2, an independent program. The acceptance tests and the benchmarks
// compare the collector with it.
package truth

import (
	"bytes"
	"fmt"

	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/decoders/netflowlegacy"
	"github.com/netsampler/goflow2/v2/decoders/sflow"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Decoder is goflow2's decoder for one exporter.
type Decoder struct {
	templates netflow.NetFlowTemplateSystem

	// It fills one of these. The decoders allocate their contents again each time.
	v5    netflowlegacy.PacketNetFlowV5
	v9    netflow.NFv9Packet
	ipfix netflow.IPFIXPacket
	sflow sflow.Packet
}

// NewDecoder returns a decoder that knows no templates yet.
func NewDecoder() *Decoder { return &Decoder{templates: netflow.CreateTemplateSystem()} }

// Decode returns the packet of a datagram. It is valid until the next call.
func (d *Decoder) Decode(payload []byte) (packet any, err error) {
	buffer := bytes.NewBuffer(payload)
	switch p := flow.Detect(payload); p {
	case flow.NetFlow5:
		return &d.v5, netflowlegacy.DecodeMessageVersion(buffer, &d.v5)
	case flow.NetFlow9:
		return &d.v9, netflow.DecodeMessageVersion(buffer, d.templates, &d.v9, nil)
	case flow.IPFIX:
		return &d.ipfix, netflow.DecodeMessageVersion(buffer, d.templates, nil, &d.ipfix)
	case flow.SFlow5:
		return &d.sflow, sflow.DecodeMessageVersion(buffer, &d.sflow)
	default:
		return nil, fmt.Errorf("a datagram of protocol %v", p)
	}
}
