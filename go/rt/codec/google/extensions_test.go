//lint:file-ignore SA1019 the deprecated fields create an extension without a file

package google

import (
	"bytes"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/gofeaturespb"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// onlyExtensions is a message of which only the extensions are written.
type onlyExtensions struct{ fields protoimpl.ExtensionFields }

func (m *onlyExtensions) SizeHot() int { return 0 }

func (m *onlyExtensions) EncodeHot(e *codec.Encoder, i int) int {
	return EncodeExtensions(e, i, m.fields)
}
func (m *onlyExtensions) UnmarshalHotOptions([]byte, codec.UnmarshalOptions) error { return nil }

func extensions(t protoreflect.ExtensionType, v any) *onlyExtensions {
	var field protoimpl.ExtensionFieldV1
	field.Set(t, t.ValueOf(v))
	return &onlyExtensions{protoimpl.ExtensionFields{int32(t.TypeDescriptor().Number()): field}}
}

func TestExtensionsAreWrittenByTheRuntime(t *testing.T) {
	value := &gofeaturespb.GoFeatures{ApiLevel: gofeaturespb.GoFeatures_API_OPAQUE.Enum()}
	features := new(descriptorpb.FeatureSet)
	proto.SetExtension(features, gofeaturespb.E_Go, value)
	want, err := proto.Marshal(features)
	if err != nil {
		t.Fatal(err)
	}
	m := extensions(gofeaturespb.E_Go, value)
	for range 2 {
		got, err := codec.Marshal(m)
		if err != nil || !bytes.Equal(got, want) || SizeExtensions(m.fields) != len(want) {
			t.Errorf("%x of size %d, want %x: %v", got, SizeExtensions(m.fields), want, err)
		}
	}
}

func TestRequiredFieldsOfExtensionsAreChecked(t *testing.T) {
	m := extensions(&protoimpl.ExtensionInfo{
		ExtendedType:  (*descriptorpb.FileOptions)(nil),
		ExtensionType: (*descriptorpb.UninterpretedOption_NamePart)(nil),
		Field:         1000,
		Name:          "part",
		Tag:           "bytes,1000,opt,name=part",
	}, new(descriptorpb.UninterpretedOption_NamePart))
	if _, err := codec.Marshal(m); !errors.Is(err, wire.MissingRequired) {
		t.Error(err)
	}
	if _, err := codec.MarshalWith(nil, m, codec.MarshalOptions{AllowPartial: true}); err != nil {
		t.Error(err)
	}
}

func TestCarrierIsInNoRegistry(t *testing.T) {
	name := carrierType().Desc.FullName()
	if _, err := protoregistry.GlobalTypes.FindMessageByName(name); err == nil {
		t.Error(name, "is a registered type")
	}
	if _, err := protoregistry.GlobalFiles.FindDescriptorByName(name); err == nil {
		t.Error(name, "is registered")
	}
}
