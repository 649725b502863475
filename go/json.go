package hotpb

import "encoding/json"

// JSONOptions are the options that the JSON encoders of all runtimes share.
type JSONOptions struct {
	Indent       string // of one level; empty: everything on one line
	ProtoNames   bool   // the names in the .proto instead of lowerCamelCase
	EnumNumbers  bool   // enums as numbers instead of names
	ZeroValues   bool   // write fields that are not set, too
	AllowPartial bool   // required fields may be absent (gogo and v1: always when they write, never when they read)
	AllowUnknown bool   // skip fields that the message does not have
}

// JSONOption changes one of the JSONOptions.
type JSONOption func(*JSONOptions)

// JSONIndent sets Indent.
func JSONIndent(indent string) JSONOption { return func(o *JSONOptions) { o.Indent = indent } }

// JSONUseProtoNames sets ProtoNames.
func JSONUseProtoNames(use bool) JSONOption { return func(o *JSONOptions) { o.ProtoNames = use } }

// JSONUseEnumNumbers sets EnumNumbers.
func JSONUseEnumNumbers(use bool) JSONOption { return func(o *JSONOptions) { o.EnumNumbers = use } }

// JSONIncludeZeroValues sets ZeroValues.
func JSONIncludeZeroValues(include bool) JSONOption {
	return func(o *JSONOptions) { o.ZeroValues = include }
}

// JSONAllowPartialMessages sets AllowPartial.
func JSONAllowPartialMessages(allow bool) JSONOption {
	return func(o *JSONOptions) { o.AllowPartial = allow }
}

// JSONAllowUnknownFields sets AllowUnknown.
func JSONAllowUnknownFields(allow bool) JSONOption {
	return func(o *JSONOptions) { o.AllowUnknown = allow }
}

func jsonOptions(options []JSONOption) (o JSONOptions) {
	for _, set := range options {
		set(&o)
	}
	return o
}

// MarshalJSON returns the message in protobuf's JSON encoding, as its runtime writes it: spaces and the order of
// fields are the runtime's, and may change.
func MarshalJSON(msg any, options ...JSONOption) ([]byte, error) {
	r, err := RuntimeOf(msg)
	if err != nil {
		return nil, err
	}
	return r.EncodeJSON(msg, jsonOptions(options))
}

// UnmarshalJSON resets the message and reads protobuf's JSON encoding into it.
func UnmarshalJSON(b []byte, msg any, options ...JSONOption) error {
	r, err := RuntimeOf(msg)
	if err != nil {
		return err
	}
	return r.DecodeJSON(b, msg, jsonOptions(options))
}

// JSONMarshaler returns the message as a json.Marshaler, for code that uses encoding/json.
func JSONMarshaler(msg any, options ...JSONOption) json.Marshaler {
	return jsonMessage{msg, options}
}

// JSONUnmarshaler returns the message as a json.Unmarshaler.
func JSONUnmarshaler(msg any, options ...JSONOption) json.Unmarshaler {
	return &jsonMessage{msg, options}
}

type jsonMessage struct {
	msg     any
	options []JSONOption
}

func (m jsonMessage) MarshalJSON() ([]byte, error) { return MarshalJSON(m.msg, m.options...) }
func (m jsonMessage) UnmarshalJSON(b []byte) error { return UnmarshalJSON(b, m.msg, m.options...) }

// MarshalText returns the message in the text format, one line per field, as its runtime writes it.
func MarshalText(msg any) ([]byte, error) {
	r, err := RuntimeOf(msg)
	if err != nil {
		return nil, err
	}
	return r.EncodeText(msg)
}

// UnmarshalText resets the message and reads the text format into it.
func UnmarshalText(b []byte, msg any) error {
	r, err := RuntimeOf(msg)
	if err != nil {
		return err
	}
	return r.DecodeText(b, msg)
}
