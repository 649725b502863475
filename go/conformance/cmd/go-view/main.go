// Command go-view lets the official conformance runner test the view face.
package main

import (
	"github.com/hotpb/hotpb/go/conformance/testee"
	"github.com/hotpb/hotpb/go/view"
)

func main() { testee.Main("go-view", messages) }

// message is the interface that the generated reencoders have in common.
type message = interface {
	DecodeWith(b []byte, o view.Options) error
	Validate() error
	CheckInitialized() error
	AppendCanonical(dst []byte) ([]byte, error)
}

func reencode(m message, input []byte) (output []byte, unknown int, err error) {
	if err := m.DecodeWith(input, view.Options{}); err != nil {
		return nil, 0, err
	}
	if err := m.Validate(); err != nil {
		return nil, 0, err
	}
	if err := m.CheckInitialized(); err != nil {
		return nil, 0, err
	}
	for unknowns := m.(interface{ UnknownFields() view.UnknownFields }).UnknownFields(); unknowns.Next(); {
		unknown += len(unknowns.Field().Append(nil))
	}
	output, err = m.AppendCanonical(nil)
	return output, unknown, err
}
