package google

import (
	"bytes"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/gofeaturespb"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// byRuntime is a message that is written by EncodeByRuntime.
type byRuntime struct{ proto.Message }

func (m *byRuntime) SizeHot() int                                             { return SizeByRuntime(m.Message) }
func (m *byRuntime) EncodeHot(e *codec.Encoder, i int) int                    { return EncodeByRuntime(e, i, m.Message) }
func (m *byRuntime) UnmarshalHotOptions([]byte, codec.UnmarshalOptions) error { return nil }

func TestRuntimeWritesItsMessages(t *testing.T) {
	features := &descriptorpb.FeatureSet{FieldPresence: descriptorpb.FeatureSet_IMPLICIT.Enum()}
	proto.SetExtension(features, gofeaturespb.E_Go, &gofeaturespb.GoFeatures{ApiLevel: gofeaturespb.GoFeatures_API_OPAQUE.Enum()})
	for _, m := range []proto.Message{features, (*descriptorpb.FileOptions)(nil), &descriptorpb.FileOptions{Features: features}} {
		got, err := codec.MarshalWith(nil, &byRuntime{m}, codec.MarshalOptions{Deterministic: true})
		want, _ := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%x, want %x: %v", got, want, err)
		}
	}
}

func TestErrorsOfTheRuntimeHaveCodes(t *testing.T) {
	partial := &descriptorpb.UninterpretedOption_NamePart{}
	if _, err := codec.Marshal(&byRuntime{partial}); !errors.Is(err, wire.MissingRequired) {
		t.Error(err)
	}
	if _, err := codec.MarshalWith(nil, &byRuntime{partial}, codec.MarshalOptions{AllowPartial: true}); err != nil {
		t.Error(err)
	}
}
