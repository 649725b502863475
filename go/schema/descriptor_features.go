package schema

import "fmt"

// featureSet has the features that affect the encoding, with the numbers of descriptor.proto. 0 inherits.
type featureSet struct{ presence, enum, repeated, utf8, encoding uint8 }

// The values that the importer asks for.
const (
	presenceImplicit = 2
	presenceRequired = 3
	enumClosed       = 2
	repeatedPacked   = 1
	utf8Verify       = 2
	encodingGroup    = 2 // DELIMITED
)

// The initial features of syntaxes and editions. 2023 and 2024 do not differ in these.
var (
	proto2Features  = featureSet{presence: 1, enum: enumClosed, repeated: 2, utf8: 3, encoding: 1}
	proto3Features  = featureSet{presence: presenceImplicit, enum: 1, repeated: repeatedPacked, utf8: utf8Verify, encoding: 1}
	editionFeatures = featureSet{presence: 1, enum: 1, repeated: repeatedPacked, utf8: utf8Verify, encoding: 1}
)

// readOptions reads the features from a message of options, in which they have this number.
func (s *featureSet) readOptions(b []byte, number uint32) error {
	return eachField(b, func(f descriptorField) error {
		if f.number != number {
			return nil
		}
		return eachField(f.bytes, func(f descriptorField) error {
			switch f.number {
			case 1:
				s.presence = small(f.value)
			case 2:
				s.enum = small(f.value)
			case 3:
				s.repeated = small(f.value)
			case 4:
				s.utf8 = small(f.value)
			case 5:
				s.encoding = small(f.value)
			}
			return nil
		})
	})
}

// over applies an element's own features to those that it inherits.
func (s featureSet) over(inherited featureSet) featureSet {
	for _, f := range []struct{ own, inherited *uint8 }{
		{&s.presence, &inherited.presence}, {&s.enum, &inherited.enum}, {&s.repeated, &inherited.repeated},
		{&s.utf8, &inherited.utf8}, {&s.encoding, &inherited.encoding},
	} {
		if *f.own == 0 {
			*f.own = *f.inherited
		}
	}
	return s
}

// problem names a feature with an unknown value.
func (s featureSet) problem() string {
	for _, f := range []struct {
		name       string
		value, max uint8
	}{
		{"field_presence", s.presence, 3}, {"enum_type", s.enum, 2}, {"repeated_field_encoding", s.repeated, 2},
		{"utf8_validation", s.utf8, 3}, {"message_encoding", s.encoding, 2},
	} {
		if f.value > f.max || f.name == "utf8_validation" && f.value == 1 {
			return fmt.Sprintf("the feature %s has the unknown value %d", f.name, f.value)
		}
	}
	return ""
}

// start returns the initial features of a file, and whether its elements may have others.
func (d *fileDescriptor) start() (_ featureSet, editions bool, problem string) {
	switch {
	case d.syntax == "" || d.syntax == "proto2":
		return proto2Features, false, ""
	case d.syntax == "proto3":
		return proto3Features, false, ""
	case d.syntax == "editions" && (d.edition == 1000 || d.edition == 1001):
		return editionFeatures, true, ""
	case d.syntax == "editions":
		return featureSet{}, false, fmt.Sprintf("edition %d is not supported", d.edition)
	}
	return featureSet{}, false, fmt.Sprintf("syntax %q is not supported", d.syntax)
}
