// Package lazyproto has signatures only, as package csproto.
package lazyproto

import (
	"errors"

	"github.com/CrowdStrike/csproto"
)

const unusable = "this package is for type checking"

var ErrTagNotFound = errors.New(unusable)

type (
	Def          map[int]Def
	Option       func(*Decoder) error
	Decoder      struct{}
	DecodeResult struct{}
	FieldData    struct{}
)

func NewDef(...int) Def                                    { panic(unusable) }
func (Def) NestedTag(int, ...int) Def                      { panic(unusable) }
func NewDecoder(Def, ...Option) (*Decoder, error)          { panic(unusable) }
func WithMode(csproto.DecoderMode) Option                  { panic(unusable) }
func WithMaxBufferSize(int) Option                         { panic(unusable) }
func (*Decoder) Decode([]byte) (*DecodeResult, error)      { panic(unusable) }
func (*DecodeResult) Close() error                         { panic(unusable) }
func (*DecodeResult) FieldData(...int) (*FieldData, error) { panic(unusable) }
func (*FieldData) StringValue() (string, error)            { panic(unusable) }
