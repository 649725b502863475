package main

import (
	"errors"

	"github.com/CrowdStrike/csproto"
	"github.com/CrowdStrike/csproto/lazyproto"
)

// filter knows the causes without decoding the rest.
type filter struct{ decoder *lazyproto.Decoder }

func newFilter() (*filter, error) {
	def := lazyproto.NewDef(1)
	def.NestedTag(5, 1)
	decoder, err := lazyproto.NewDecoder(def, lazyproto.WithMode(csproto.DecoderModeFast), lazyproto.WithMaxBufferSize(1<<10))
	return &filter{decoder}, err
}

func (f *filter) cause(b []byte) (string, error) {
	result, err := f.decoder.Decode(b)
	if err != nil {
		return "", err
	}
	defer result.Close()
	field, err := result.FieldData(5, 1)
	if errors.Is(err, lazyproto.ErrTagNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	cause, err := field.StringValue()
	return string(append([]byte(nil), cause...)), err
}
