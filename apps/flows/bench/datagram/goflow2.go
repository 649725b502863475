package datagram

import (
	"bytes"

	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"
	"google.golang.org/protobuf/encoding/protodelim"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// newGoflow2 is goflow2 as its pipe uses it: its decoder, its producer with its pool of messages, protodelim. The
// only difference is one buffer for all output, where the pipe allocates a buffer for each flow.
func newGoflow2(in *input) (converter, error) {
	e, err := truth.NewExporter()
	if err != nil {
		return converter{}, err
	}
	var out bytes.Buffer
	write := func(m *protoproducer.ProtoProducerMessage) error {
		_, err := protodelim.MarshalTo(&out, m)
		return err
	}
	convert := func(dg *flow.Datagram) ([]byte, error) {
		out.Reset()
		err := e.Produce(dg, write)
		return out.Bytes(), err
	}
	for i := range in.templates {
		if _, err := convert(&in.templates[i]); err != nil {
			return converter{}, err
		}
	}
	return converter{
		convert:  func() ([]byte, error) { return convert(&in.data) },
		messages: goflow2Messages,
		note:     "its decoder and producer, protodelim; one buffer",
	}, nil
}
