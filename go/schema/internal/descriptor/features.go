package descriptor

import "fmt"

// Features has the features that affect the encoding, with the numbers of descriptor.proto. 0 inherits.
type Features struct{ Presence, Enum, Repeated, UTF8, Encoding uint8 }

// The settings that matter to a column.
const (
	PresenceImplicit = 2
	PresenceRequired = 3
	EnumClosed       = 2
	RepeatedPacked   = 1
	UTF8Verify       = 2
	EncodingGroup    = 2 // DELIMITED
)

// The numbers of the features in messages of options.
const (
	FileFeatures    = 50
	MessageFeatures = 12
	FieldFeatures   = 21
	OneofFeatures   = 1
	EnumFeatures    = 7
)

// The initial features of syntaxes and editions. 2023 and 2024 do not differ in these.
var (
	proto2Features  = Features{Presence: 1, Enum: EnumClosed, Repeated: 2, UTF8: 3, Encoding: 1}
	proto3Features  = Features{Presence: PresenceImplicit, Enum: 1, Repeated: RepeatedPacked, UTF8: UTF8Verify, Encoding: 1}
	editionFeatures = Features{Presence: 1, Enum: 1, Repeated: RepeatedPacked, UTF8: UTF8Verify, Encoding: 1}
)

// read reads the features from a message of options, in which they have this number.
func (s *Features) read(b []byte, number uint32) error {
	return eachField(b, func(f part) error {
		if f.number != number {
			return nil
		}
		return eachField(f.bytes, func(f part) error {
			switch f.number {
			case 1:
				s.Presence = small(f.value)
			case 2:
				s.Enum = small(f.value)
			case 3:
				s.Repeated = small(f.value)
			case 4:
				s.UTF8 = small(f.value)
			case 5:
				s.Encoding = small(f.value)
			}
			return nil
		})
	})
}

// Over applies an element's own features to those that it inherits.
func (s Features) Over(inherited Features) Features {
	for _, f := range []struct{ own, inherited *uint8 }{
		{&s.Presence, &inherited.Presence}, {&s.Enum, &inherited.Enum}, {&s.Repeated, &inherited.Repeated},
		{&s.UTF8, &inherited.UTF8}, {&s.Encoding, &inherited.Encoding},
	} {
		if *f.own == 0 {
			*f.own = *f.inherited
		}
	}
	return s
}

// Problem names a feature with an unknown value.
func (s Features) Problem() string {
	for _, f := range []struct {
		name       string
		value, max uint8
	}{
		{"field_presence", s.Presence, 3}, {"enum_type", s.Enum, 2}, {"repeated_field_encoding", s.Repeated, 2},
		{"utf8_validation", s.UTF8, 3}, {"message_encoding", s.Encoding, 2},
	} {
		if f.value > f.max || f.name == "utf8_validation" && f.value == 1 {
			return fmt.Sprintf("the feature %s has the unknown value %d", f.name, f.value)
		}
	}
	return ""
}

// Start returns the initial features of a file, and whether its elements may have others.
func (d *File) Start() (_ Features, editions bool, problem string) {
	switch {
	case d.Syntax == "" || d.Syntax == "proto2":
		return proto2Features, false, ""
	case d.Syntax == "proto3":
		return proto3Features, false, ""
	case d.Syntax == "editions" && (d.Edition == 1000 || d.Edition == 1001):
		return editionFeatures, true, ""
	case d.Syntax == "editions":
		return Features{}, false, fmt.Sprintf("edition %d is not supported", d.Edition)
	}
	return Features{}, false, fmt.Sprintf("syntax %q is not supported", d.Syntax)
}
