// Package csproto has the signatures of the public functions of csproto that the sample uses, so that the sample compiles before
// its move. csproto's own module cannot be fetched where the tests run. What the sample still calls after its move works.
package csproto

import "google.golang.org/protobuf/proto"

const unusable = "this package is for type checking"

func Size(interface{}) int                               { panic(unusable) }
func Marshal(m interface{}) ([]byte, error)              { return proto.Marshal(m.(proto.Message)) }
func Unmarshal([]byte, interface{}) error                { panic(unusable) }
func Clone(interface{}) interface{}                      { panic(unusable) }
func Equal(interface{}, interface{}) bool                { panic(unusable) }
func String(string) *string                              { panic(unusable) }
func PointerTo[T any](v T) *T                            { panic(unusable) }
func SizeOfTagKey(k int) int                             { panic(unusable) }
func SizeOfVarint(v uint64) int                          { panic(unusable) }
func SetExtension(m, e, v interface{}) error             { panic(unusable) }
func GetExtension(m, e interface{}) (interface{}, error) { panic(unusable) }

func HasExtension(m, e interface{}) bool { panic(unusable) }
func ClearExtension(m, e interface{})    { panic(unusable) }
func RangeExtensions(interface{}, func(interface{}, string, int32) error) error {
	panic(unusable)
}
func ExtensionFieldNumber(interface{}) (int, error) { panic(unusable) }
func MarshalText(interface{}) (string, error)       { panic(unusable) }
func Reset(interface{})                             { panic(unusable) }

type Encoder struct{}

func NewEncoder([]byte) *Encoder          { panic(unusable) }
func (*Encoder) EncodeString(int, string) { panic(unusable) }

type DecoderMode int

const (
	DecoderModeSafe DecoderMode = iota
	DecoderModeFast
)

type GrpcCodec struct{}

func (GrpcCodec) Marshal(interface{}) ([]byte, error) { panic(unusable) }
func (GrpcCodec) Unmarshal([]byte, interface{}) error { panic(unusable) }
func (GrpcCodec) Name() string                        { panic(unusable) }
