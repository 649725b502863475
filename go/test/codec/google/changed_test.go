package google_test

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoiface"

	"github.com/hotpb/hotpb/go/internal/testgen/stock/raft"
	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/codec/google"
)

// restless is a message whose encoding differs in size from the size it reported before, like one that another
// goroutine changes.
type restless struct {
	protoreflect.Message
	size, length int
}

func (r restless) ProtoReflect() protoreflect.Message   { return r }
func (r restless) Interface() protoreflect.ProtoMessage { return r }

func (r restless) ProtoMethods() *protoiface.Methods {
	return &protoiface.Methods{
		Size: func(protoiface.SizeInput) protoiface.SizeOutput { return protoiface.SizeOutput{Size: r.size} },
		Marshal: func(in protoiface.MarshalInput) (protoiface.MarshalOutput, error) {
			return protoiface.MarshalOutput{Buf: append(in.Buf, bytes.Repeat([]byte{0xee}, r.length)...)}, nil
		},
		CheckInitialized: func(protoiface.CheckInitializedInput) (out protoiface.CheckInitializedOutput, _ error) {
			return out, nil
		},
	}
}

// holder encodes a message of another package, as generated code does, between two bytes of its own.
type holder struct{ m proto.Message }

func (h *holder) SizeHot() int { return 0 }

func (h *holder) EncodeHot(e *codec.Encoder, i int) int {
	i = e.Raw(i, []byte{0x02})
	i = google.Encode(e, i, h.m)
	return e.Raw(i, []byte{0x01})
}

func (*holder) UnmarshalHotOptions([]byte, codec.UnmarshalOptions) error { return nil }

// A message that is longer or shorter than the size it reported is an error: it does not overwrite other fields, and
// no bytes of an earlier message appear in its place.
func TestMessagesThatChangeMeanwhileAreRefused(t *testing.T) {
	for _, lengths := range [][2]int{{7, 7}, {7, 6}, {7, 0}, {7, 8}, {7, 10_000}, {0, 9}, {0, 0}} {
		h := &holder{restless{new(raft.Entry).ProtoReflect(), lengths[0], lengths[1]}}
		b, err := codec.Marshal(h)
		if good := lengths[0] == lengths[1]; (err == nil) != good || good && (len(b) != lengths[0]+2 || b[0] != 1 || b[len(b)-1] != 2) {
			t.Errorf("size %d, length %d: %x, %v", lengths[0], lengths[1], b, err)
		}
		room := bytes.Repeat([]byte{0xaa}, 200)
		if _, err := codec.MarshalAppend(room[:3:100], h); (err == nil) != (lengths[0] == lengths[1]) {
			t.Error(err)
		}
		if !bytes.Equal(room[:3], []byte{0xaa, 0xaa, 0xaa}) || !bytes.Equal(room[100:], bytes.Repeat([]byte{0xaa}, 100)) {
			t.Errorf("around the room it is %x", room)
		}
	}
}
