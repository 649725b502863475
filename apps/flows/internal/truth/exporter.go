package truth

import (
	flowmessage "github.com/netsampler/goflow2/v2/pb"
	"github.com/netsampler/goflow2/v2/producer"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Exporter is goflow2's decoder and producer for one exporter.
type Exporter struct {
	*Decoder
	producer producer.ProducerInterface
}

// NewExporter returns an exporter without templates and sampling rates.
func NewExporter() (*Exporter, error) {
	config, err := (&protoproducer.ProducerConfig{}).Compile()
	if err != nil {
		return nil, err
	}
	p, err := protoproducer.CreateProtoProducer(config, protoproducer.CreateSamplingSystem)
	return &Exporter{NewDecoder(), p}, err
}

// Produce passes the messages of a datagram to each, one after the other. Then they return to goflow2's pool.
func (e *Exporter) Produce(dg *flow.Datagram, each func(*protoproducer.ProtoProducerMessage) error) error {
	packet, err := e.Decode(dg.Payload)
	if err != nil {
		return err
	}
	all, err := e.producer.Produce(packet, &producer.ProduceArgs{
		Src: dg.From, SamplerAddress: dg.From.Addr(), TimeReceived: dg.Received,
	})
	if err != nil {
		return err
	}
	defer e.producer.Commit(all)
	for _, m := range all {
		if err := each(m.(*protoproducer.ProtoProducerMessage)); err != nil {
			return err
		}
	}
	return nil
}

// Sum adds up any number of flows. Bytes and packets are as exported, not multiplied by the sampling rate.
type Sum struct{ Flows, Bytes, Packets uint64 }

// Add adds another sum.
func (s *Sum) Add(o Sum) {
	s.Flows += o.Flows
	s.Bytes += o.Bytes
	s.Packets += o.Packets
}

// Of sums up the flows of a datagram.
func (e *Exporter) Of(dg *flow.Datagram) (sum Sum, err error) {
	err = e.Produce(dg, func(m *protoproducer.ProtoProducerMessage) error {
		sum.Add(SumOf(&m.FlowMessage))
		return nil
	})
	return sum, err
}

// SumOf returns the sum of one flow.
func SumOf(m *flowmessage.FlowMessage) Sum { return Sum{1, m.Bytes, m.Packets} }
