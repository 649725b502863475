package codec

import "github.com/hotpb/hotpb/go/codec"

// The declarations of package codec that generated code and this package use.
const (
	MinGenerated          = codec.MinGenerated
	MaxGenerated          = codec.MaxGenerated
	DefaultRecursionLimit = codec.DefaultRecursionLimit
	CountFrom             = codec.CountFrom
	MaxScratch            = codec.MaxScratch
)

type (
	Message          = codec.Message
	Unmarshaler      = codec.Unmarshaler
	MarshalOptions   = codec.MarshalOptions
	UnmarshalOptions = codec.UnmarshalOptions
	StaleError       = codec.StaleError
)
