package codec

// MinGenerated and MaxGenerated are the versions of generated code that this runtime works with. Generated code of
// any other version does not compile.
const (
	MinGenerated = 6
	MaxGenerated = 7
)

// Message has the methods that faces=codec adds to a stock struct.
type Message interface {
	// SizeHot returns the number of bytes of MarshalHot's result.
	SizeHot() int
	// MarshalHot encodes the message.
	MarshalHot() ([]byte, error)
	// MarshalAppendHot appends the encoded message to b, as append does: it changes nothing after the result, and
	// nothing at all on an error. MarshalScratchHot, which is not part of this interface, uses all of b's capacity.
	MarshalAppendHot(b []byte) ([]byte, error)
	// MarshalHotOptions appends the encoded message to b, as MarshalAppendHot does.
	MarshalHotOptions(b []byte, o MarshalOptions) ([]byte, error)
	Unmarshaler
}

// Unmarshaler is the half of Message that reads.
type Unmarshaler interface {
	// UnmarshalHot decodes b into the message and replaces its contents.
	UnmarshalHot(b []byte) error
	// UnmarshalHotOptions decodes b into the message.
	UnmarshalHotOptions(b []byte, o UnmarshalOptions) error
}

// MarshalOptions are the rules of one encode. The zero value has the defaults.
type MarshalOptions struct {
	// Deterministic writes maps by ascending key.
	Deterministic bool
	// AllowPartial accepts messages with missing required fields.
	AllowPartial bool
}

// UnmarshalOptions are the rules of one decode. The zero value has the defaults.
type UnmarshalOptions struct {
	// Merge merges the input with the contents of the message instead of resetting the message first.
	Merge bool
	// AllowPartial accepts messages with missing required fields.
	AllowPartial bool
	// DiscardUnknown drops unknown fields.
	DiscardUnknown bool
	// Alias lets strings, bytes and unknown fields point into the input, which must not change while the message is in
	// use.
	Alias bool
	// RecursionLimit is how deeply messages may nest, including the root and map entries; 0 means 10000, as in
	// google.golang.org/protobuf.
	RecursionLimit int
	// Resolver finds extensions, for runtimes that decode them: a resolver of proto.UnmarshalOptions. nil means the
	// runtime's own registry.
	Resolver any
}

// DefaultRecursionLimit is the limit of google.golang.org/protobuf.
const DefaultRecursionLimit = 10000
