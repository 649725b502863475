package sflow

import (
	"bytes"
	"testing"

	gosflow "github.com/netsampler/goflow2/v2/decoders/sflow"
	"github.com/netsampler/goflow2/v2/producer"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"
	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// BenchmarkDatagram goes from datagrams to length-prefixed messages: our decoder; goflow2's decoder and our encoding;
// with a record that stages look at; and goflow2 as its users have it. -benchmem shows what is allocated for each
// datagram.
func BenchmarkDatagram(b *testing.B) {
	for name, ds := range inputs(b) {
		for who, make := range map[string]func(testing.TB) func([]byte, *flow.Datagram) ([]byte, int){
			"hotpb": func(b testing.TB) func([]byte, *flow.Datagram) ([]byte, int) {
				return decoder(b, New, "../../flows.yaml", nil, &count.Counters{}).Append
			},
			"hotpb+record": func(b testing.TB) func([]byte, *flow.Datagram) ([]byte, int) {
				return decoder(b, New, "../../flows.yaml", idle{}, &count.Counters{}).Append
			},
			"goflow2+hotpb": func(b testing.TB) func([]byte, *flow.Datagram) ([]byte, int) {
				return decoder(b, NewGoflow2, "../../flows.yaml", nil, &count.Counters{}).Append
			},
			"goflow2":         stockAppend,
			"goflow2-decoder": stockDecode,
		} {
			b.Run(name+"/"+who, func(b *testing.B) {
				run := make(b)
				var out []byte
				i, flows := 0, 0
				b.ReportAllocs()
				for b.Loop() {
					var n int
					out, n = run(out[:0], &ds[i])
					flows += n
					if i++; i == len(ds) {
						i = 0
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(flows), "ns/flow")
			})
		}
	}
}

// stockAppend is goflow2 with its decoder, its producer and protodelim.
func stockAppend(b testing.TB) func([]byte, *flow.Datagram) ([]byte, int) {
	made := newProducer(b)
	var out bytes.Buffer
	return func(dst []byte, d *flow.Datagram) ([]byte, int) {
		flows := produce(b, made, d)
		out.Reset()
		for _, f := range flows {
			if _, err := protodelim.MarshalTo(&out, f.(proto.Message)); err != nil {
				b.Fatal(err)
			}
		}
		made.Commit(flows)
		return dst, len(flows)
	}
}

// stockDecode is goflow2's decoder alone.
func stockDecode(b testing.TB) func([]byte, *flow.Datagram) ([]byte, int) {
	return func(dst []byte, d *flow.Datagram) ([]byte, int) {
		var p gosflow.Packet
		if err := gosflow.DecodeMessageVersion(bytes.NewBuffer(d.Payload), &p); err != nil {
			b.Fatal(err)
		}
		return dst, len(protoproducer.GetSFlowFlowSamples(&p))
	}
}

func newProducer(t testing.TB) producer.ProducerInterface {
	config, err := (&protoproducer.ProducerConfig{}).Compile()
	if err != nil {
		t.Fatal(err)
	}
	made, err := protoproducer.CreateProtoProducer(config, protoproducer.CreateSamplingSystem)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// produce decodes a datagram with goflow2; its messages go back with Commit.
func produce(t testing.TB, made producer.ProducerInterface, d *flow.Datagram) []producer.ProducerMessage {
	var p gosflow.Packet
	if err := gosflow.DecodeMessageVersion(bytes.NewBuffer(d.Payload), &p); err != nil {
		t.Fatal(err)
	}
	args := producer.ProduceArgs{Src: d.From, SamplerAddress: d.From.Addr(), TimeReceived: d.Received}
	flows, err := made.Produce(&p, &args)
	if err != nil {
		t.Fatal(err)
	}
	return flows
}
