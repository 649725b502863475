package schema

import "fmt"

// featureSet has the features that matter to bytes, with the numbers that descriptor.proto gives them. 0 inherits.
type featureSet struct{ presence, enum, repeated, utf8, encoding uint8 }

// The values that are asked for.
const (
	presenceImplicit = 2
	presenceRequired = 3
	enumClosed       = 2
	repeatedPacked   = 1
	utf8Verify       = 2
	encodingGroup    = 2 // DELIMITED
)

// The features that syntaxes and editions start from. 2023 and 2024 do not differ in these.
var (
	proto2Features  = featureSet{presence: 1, enum: enumClosed, repeated: 2, utf8: 3, encoding: 1}
	proto3Features  = featureSet{presence: presenceImplicit, enum: 1, repeated: repeatedPacked, utf8: utf8Verify, encoding: 1}
	editionFeatures = featureSet{presence: 1, enum: 1, repeated: repeatedPacked, utf8: utf8Verify, encoding: 1}
)

// readOptions reads the features from a message of options that has them under this number.
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

// over lays an element's own features over those it inherits.
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

// problem names a feature whose value is none that is known.
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

// start gives the features that a file starts from, and whether its elements may have others.
func (d *fileDescriptor) start() (_ featureSet, editions bool, problem string) {
	switch {
	case d.syntax == "" || d.syntax == "proto2":
		return proto2Features, false, ""
	case d.syntax == "proto3":
		return proto3Features, false, ""
	case d.syntax == "editions" && (d.edition == 1000 || d.edition == 1001):
		return editionFeatures, true, ""
	case d.syntax == "editions":
		return featureSet{}, false, fmt.Sprintf("edition %d is not known here", d.edition)
	}
	return featureSet{}, false, fmt.Sprintf("syntax %q is not known here", d.syntax)
}
