package plan

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"
)

// GoAPI is the API of the stock structs, the value of the feature (pb.go).api_level.
type GoAPI uint8

// The values of the feature.
const (
	GoAPIUnset  GoAPI = 0 // the options of protoc-gen-go decide
	GoAPIOpen   GoAPI = 1
	GoAPIHybrid GoAPI = 2
	GoAPIOpaque GoAPI = 3
)

// The extension (pb.go) of FeatureSet, and its field api_level.
const (
	goFeatures       = 1002
	goFeaturesAPI    = 2
	maxGoAPI         = uint64(GoAPIOpaque)
	firstOpaqueByDef = descriptorpb.Edition_EDITION_2024
)

// goAPIOf returns the level that a file starts from.
func goAPIOf(file *descriptorpb.FileDescriptorProto) GoAPI {
	level := GoAPIUnset
	if file.GetSyntax() == "editions" && file.GetEdition() >= firstOpaqueByDef {
		level = GoAPIOpaque
	}
	return level.merge(file.GetOptions().GetFeatures())
}

// merge applies the features of one element to the level that it inherits. Descriptors are read without
// extensions, so the Go features are among the unknown fields.
func (level GoAPI) merge(own *descriptorpb.FeatureSet) GoAPI {
	if own == nil {
		return level
	}
	eachField(own.ProtoReflect().GetUnknown(), func(number protowire.Number, value []byte, _ uint64) {
		if number != goFeatures {
			return
		}
		eachField(value, func(number protowire.Number, _ []byte, v uint64) {
			if number == goFeaturesAPI && v != 0 && v <= maxGoAPI {
				level = GoAPI(v)
			}
		})
	})
	return level
}

// eachField visits the length-delimited and varint fields of a message, as far as it is well-formed.
func eachField(b []byte, do func(number protowire.Number, payload []byte, v uint64)) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return
		}
		b = b[n:]
		switch kind {
		case protowire.BytesType:
			payload, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return
			}
			do(number, payload, 0)
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return
			}
			do(number, nil, v)
		}
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return
		}
		b = b[n:]
	}
}
