// Command go-pool lets the official conformance runner test the pool face.
package main

import (
	"github.com/hotpb/hotpb/go/conformance/testee"
	"github.com/hotpb/hotpb/go/pool"
)

func main() { testee.Main("go-pool", messages) }

// message is the interface that the generated messages have in common.
type message = interface {
	pool.Message
	AppendCanonicalHot(dst []byte) ([]byte, error)
	Unmarshal(b []byte) error
	UnmarshalAlias(b []byte) error
	MarshalToSizedBuffer(b []byte) (n int, err error)
	MarshalWith(dst []byte, o pool.MarshalOptions) ([]byte, error)
	Size() int
	UnknownFields() pool.UnknownFields
	EqualAnyHot(right any) bool
	CloneAnyHot() any
}

// reencode decodes, encodes with the encoder that users have, and decodes the result. Then it walks the public fields
// and accessors, because these read the extensions, which the encoder leaves among the unknown fields.
func reencode(m message, input []byte) (output []byte, unknown int, err error) {
	if err := m.Unmarshal(input); err != nil {
		return nil, 0, err
	}
	written, err := m.MarshalWith(nil, pool.MarshalOptions{})
	if err != nil {
		return nil, 0, err
	}
	if err := m.UnmarshalAlias(written); err != nil {
		return nil, 0, err
	}
	for unknowns := m.UnknownFields(); unknowns.Next(); {
		unknown += len(unknowns.Field().Raw())
	}
	output, err = m.AppendCanonicalHot(nil)
	return output, unknown, err
}
