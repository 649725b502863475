package plan

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// features are the resolved features that affect the encoding (PLN-6).
type features struct {
	presence  descriptorpb.FeatureSet_FieldPresence
	enum      descriptorpb.FeatureSet_EnumType
	repeated  descriptorpb.FeatureSet_RepeatedFieldEncoding
	utf8      descriptorpb.FeatureSet_Utf8Validation
	encoding  descriptorpb.FeatureSet_MessageEncoding
	inherited bool // editions: elements may change them
}

// The fixed features of PLN-5. Editions 2023 and 2024 do not differ in these five.
var (
	proto2Features = features{
		presence: descriptorpb.FeatureSet_EXPLICIT,
		enum:     descriptorpb.FeatureSet_CLOSED,
		repeated: descriptorpb.FeatureSet_EXPANDED,
		utf8:     descriptorpb.FeatureSet_NONE,
		encoding: descriptorpb.FeatureSet_LENGTH_PREFIXED,
	}
	proto3Features = features{
		presence: descriptorpb.FeatureSet_IMPLICIT,
		enum:     descriptorpb.FeatureSet_OPEN,
		repeated: descriptorpb.FeatureSet_PACKED,
		utf8:     descriptorpb.FeatureSet_VERIFY,
		encoding: descriptorpb.FeatureSet_LENGTH_PREFIXED,
	}
	editionFeatures = features{
		presence:  descriptorpb.FeatureSet_EXPLICIT,
		enum:      descriptorpb.FeatureSet_OPEN,
		repeated:  descriptorpb.FeatureSet_PACKED,
		utf8:      descriptorpb.FeatureSet_VERIFY,
		encoding:  descriptorpb.FeatureSet_LENGTH_PREFIXED,
		inherited: true,
	}
)

// syntaxOf returns a file's syntax, edition and the features it starts from.
func syntaxOf(file *descriptorpb.FileDescriptorProto) (syntax, edition string, start features, problem string) {
	switch file.GetSyntax() {
	case "", "proto2":
		return "proto2", "", proto2Features, ""
	case "proto3":
		return "proto3", "", proto3Features, ""
	case "editions":
		switch file.GetEdition() {
		case descriptorpb.Edition_EDITION_2023:
			return "editions", "2023", editionFeatures, ""
		case descriptorpb.Edition_EDITION_2024:
			return "editions", "2024", editionFeatures, ""
		}
		return "", "", features{}, fmt.Sprintf("edition %v is not supported", file.GetEdition())
	}
	return "", "", features{}, fmt.Sprintf("syntax %q is not supported", file.GetSyntax())
}

// merge applies the features of one element to the features that it inherits. It returns the name of a feature
// whose value descriptor.proto does not define.
func (f features) merge(own *descriptorpb.FeatureSet) (_ features, unknown string) {
	if !f.inherited || own == nil {
		return f, ""
	}
	for _, unknown = range []string{
		set(&f.presence, own.GetFieldPresence(), "field_presence"),
		set(&f.enum, own.GetEnumType(), "enum_type"),
		set(&f.repeated, own.GetRepeatedFieldEncoding(), "repeated_field_encoding"),
		set(&f.utf8, own.GetUtf8Validation(), "utf8_validation"),
		set(&f.encoding, own.GetMessageEncoding(), "message_encoding"),
	} {
		if unknown != "" {
			return f, unknown
		}
	}
	return f, ""
}

// set copies a value unless it is 0, which means inherited.
func set[T interface {
	~int32
	protoreflect.Enum
}](to *T, value T, name string) (unknown string) {
	switch {
	case value == 0:
	case value.Descriptor().Values().ByNumber(value.Number()) == nil:
		return fmt.Sprintf("feature %s has the unknown value %d", name, value.Number())
	default:
		*to = value
	}
	return ""
}
