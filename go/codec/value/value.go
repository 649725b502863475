package value

import (
	"google.golang.org/protobuf/proto"

	rt "github.com/hotpb/hotpb/go/rt/codec/value"
)

// RefusedError is what a custom type answers that refuses to be written or read, and a number that its type does not hold:
// Field is the field's full name, and Err the reason.
type RefusedError = rt.RefusedError

// MarshalJSON is protojson.Marshal, which returns a custom type's error where protojson panics.
func MarshalJSON(m proto.Message) ([]byte, error) { return rt.MarshalJSON(m) }

// MarshalText is prototext.Marshal, which returns a custom type's error where prototext panics.
func MarshalText(m proto.Message) ([]byte, error) { return rt.MarshalText(m) }

// UnmarshalJSON is protojson.Unmarshal, which returns a custom type's error where protojson panics.
func UnmarshalJSON(b []byte, m proto.Message) error { return rt.UnmarshalJSON(b, m) }

// UnmarshalText is prototext.Unmarshal, which returns a custom type's error where prototext panics.
func UnmarshalText(b []byte, m proto.Message) error { return rt.UnmarshalText(b, m) }
