package codec

// MarshalOptions are the rules of one encoding.
type MarshalOptions struct {
	// Deterministic writes maps by key: equal messages give equal bytes.
	Deterministic bool
	// AllowPartial writes messages whose required fields are not all there.
	AllowPartial bool
}
