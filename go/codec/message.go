package codec

// MinGenerated and MaxGenerated are the versions of generated code that this
// runtime works with; generated code compiles with no other.
const (
	MinGenerated = 3
	MaxGenerated = 3
)

// Message is what faces=codec adds to a stock struct.
type Message interface {
	// SizeHot is the number of bytes that MarshalHot makes.
	SizeHot() int
	// MarshalHot encodes the message.
	MarshalHot() ([]byte, error)
	// MarshalAppendHot appends the encoded message to b, as append does: nothing after the result is touched, and
	// nothing at all on an error. MarshalScratchHot, which is no part of this interface, uses all of b's capacity.
	MarshalAppendHot(b []byte) ([]byte, error)
	// MarshalHotOptions appends the encoded message to b, as MarshalAppendHot does.
	MarshalHotOptions(b []byte, o MarshalOptions) ([]byte, error)
	Unmarshaler
}

// Unmarshaler is the half of Message that reads.
type Unmarshaler interface {
	// UnmarshalHot decodes b into the message, in place of what it held.
	UnmarshalHot(b []byte) error
	// UnmarshalHotOptions decodes b into the message.
	UnmarshalHotOptions(b []byte, o UnmarshalOptions) error
}

// MarshalOptions are the rules of one encode. The zero value has the defaults.
type MarshalOptions struct {
	// Deterministic writes maps by ascending key.
	Deterministic bool
	// AllowPartial accepts messages whose required fields are not all there.
	AllowPartial bool
}

// UnmarshalOptions are the rules of one decode. The zero value has the defaults.
type UnmarshalOptions struct {
	// Merge decodes on top of what the message holds, instead of resetting it first.
	Merge bool
	// AllowPartial accepts messages whose required fields are not all there.
	AllowPartial bool
	// DiscardUnknown drops unknown fields.
	DiscardUnknown bool
	// Alias lets strings and bytes stand in the input: it must not change as long as the message is in use.
	Alias bool
	// RecursionLimit is how deeply messages may nest, the root and the entries of maps counted; 0 means 10000, as
	// in google.golang.org/protobuf.
	RecursionLimit int
	// Resolver finds extensions, for runtimes that decode them: a resolver of proto.UnmarshalOptions. nil is the
	// runtime's own registry.
	Resolver any
}

// DefaultRecursionLimit is that of google.golang.org/protobuf.
const DefaultRecursionLimit = 10000
