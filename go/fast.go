package hotpb

// fastMessage is a message with generated fast methods.
type fastMessage interface {
	SizeHot() int
	MarshalHot() ([]byte, error)
	MarshalAppendHot(b []byte) ([]byte, error)
	UnmarshalHot(b []byte) error
}
