package hotpb_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/compat/lazyproto"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/compat"
	"github.com/hotpb/hotpb/go/wire"
)

// A message with the methods of compat=csproto has each of csproto's interfaces under its name.
var (
	_ hotpb.Sizer       = (*compat.Plain)(nil)
	_ hotpb.Marshaler   = (*compat.Plain)(nil)
	_ hotpb.MarshalerTo = (*compat.Plain)(nil)
	_ hotpb.Unmarshaler = (*compat.Plain)(nil)
)

// name is a name that csproto's packages and ours have both: our type, that of csproto, and, if they differ, the words
// with which the guide says so.
type name struct {
	name        string
	hot, theirs reflect.Type
	guide       string
}

func function(full string, hot, theirs any, guide ...string) name {
	return name{full, reflect.TypeOf(hot), reflect.TypeOf(theirs), strings.Join(guide, "")}
}

func method[T any](methodName string, theirs any, guide ...string) name {
	found, _ := reflect.TypeFor[T]().MethodByName(methodName) // no type at all: the test fails
	n := function(reflect.TypeFor[T]().String()+"."+methodName, nil, theirs, guide...)
	switch {
	case found.Type == nil:
	case reflect.TypeFor[T]().Kind() == reflect.Interface:
		n.hot = found.Type
	default:
		n.hot = withoutReceiver(found.Type)
	}
	return n
}

func withoutReceiver(t reflect.Type) reflect.Type {
	var in, out []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return reflect.FuncOf(in, out, t.IsVariadic())
}

// Sentences of the guide about many names at once.
const (
	numbers  = "field numbers are `uint32`"
	appends  = "`DecodePackedInt32(dst)` appends"
	failures = "an `error` in place of nothing"
)

type result = lazyproto.DecodeResult

// A name of csproto's is here only with csproto's type, unless the guide names the difference.
var csprotoNames = []name{
	function("Size", hotpb.Size, (func(any) int)(nil)),
	function("Marshal", hotpb.Marshal, (func(any) ([]byte, error))(nil)),
	function("Unmarshal", hotpb.Unmarshal, (func([]byte, any) error)(nil)),
	function("Clone", hotpb.Clone, (func(any) any)(nil)),
	function("Equal", hotpb.Equal, (func(a, b any) bool)(nil)),
	function("Reset", hotpb.Reset, (func(any))(nil), failures),
	function("HasExtension", hotpb.HasExtension, (func(msg, ext any) bool)(nil)),
	function("GetExtension", hotpb.GetExtension, (func(msg, ext any) (any, error))(nil)),
	function("SetExtension", hotpb.SetExtension, (func(msg, ext, value any) error)(nil)),
	function("ClearExtension", hotpb.ClearExtension, (func(msg, ext any))(nil), failures),
	function("ClearAllExtensions", hotpb.ClearAllExtensions, (func(any))(nil), failures),
	function("RangeExtensions", hotpb.RangeExtensions, (func(any, func(any, string, int32) error) error)(nil)),
	function("ExtensionFieldNumber", hotpb.ExtensionFieldNumber, (func(any) (int, error))(nil)),
	function("MarshalText", hotpb.MarshalText, (func(any) (string, error))(nil), "`[]byte` in place of a `string`"),
	function("JSONMarshaler", hotpb.JSONMarshaler, (func(any, ...hotpb.JSONOption) json.Marshaler)(nil)),
	function("JSONUnmarshaler", hotpb.JSONUnmarshaler, (func(any, ...hotpb.JSONOption) json.Unmarshaler)(nil)),
	function("JSONIndent", hotpb.JSONIndent, (func(string) hotpb.JSONOption)(nil)),
	function("JSONUseEnumNumbers", hotpb.JSONUseEnumNumbers, (func(bool) hotpb.JSONOption)(nil)),
	function("JSONIncludeZeroValues", hotpb.JSONIncludeZeroValues, (func(bool) hotpb.JSONOption)(nil)),
	function("JSONAllowUnknownFields", hotpb.JSONAllowUnknownFields, (func(bool) hotpb.JSONOption)(nil)),
	function("JSONAllowPartialMessages", hotpb.JSONAllowPartialMessages, (func(bool) hotpb.JSONOption)(nil)),
	function("Bool", hotpb.Bool, (func(bool) *bool)(nil)),
	function("Int", hotpb.Int, (func(int) *int32)(nil)),
	function("Int32", hotpb.Int32, (func(int32) *int32)(nil)),
	function("Int64", hotpb.Int64, (func(int64) *int64)(nil)),
	function("Uint32", hotpb.Uint32, (func(uint32) *uint32)(nil)),
	function("Uint64", hotpb.Uint64, (func(uint64) *uint64)(nil)),
	function("Float32", hotpb.Float32, (func(float32) *float32)(nil)),
	function("Float64", hotpb.Float64, (func(float64) *float64)(nil)),
	function("String", hotpb.String, (func(string) *string)(nil)),

	method[hotpb.Sizer]("Size", (func() int)(nil)),
	method[hotpb.Marshaler]("Marshal", (func() ([]byte, error))(nil)),
	method[hotpb.MarshalerTo]("MarshalTo", (func([]byte) error)(nil)),
	method[hotpb.Unmarshaler]("Unmarshal", (func([]byte) error)(nil)),

	function("NewEncoder", wire.NewEncoder, (func([]byte) *wire.Encoder)(nil)),
	method[*wire.Encoder]("EncodeBool", (func(int, bool))(nil), numbers),
	method[*wire.Encoder]("EncodeBytes", (func(int, []byte))(nil), numbers),
	method[*wire.Encoder]("EncodeFixed32", (func(int, uint32))(nil), numbers),
	method[*wire.Encoder]("EncodeFixed64", (func(int, uint64))(nil), numbers),
	method[*wire.Encoder]("EncodeInt32", (func(int, int32))(nil), numbers),
	method[*wire.Encoder]("EncodeInt64", (func(int, int64))(nil), numbers),
	method[*wire.Encoder]("EncodeString", (func(int, string))(nil), numbers),
	method[*wire.Encoder]("EncodeNested", (func(int, any) error)(nil), "`EncodeNested(number, m)` takes a message with `Size` and `MarshalTo(b) error`"),
	method[*wire.Encoder]("EncodeRaw", (func([]byte))(nil)),
	method[*wire.Encoder]("EncodePackedBool", (func(int, []bool))(nil), numbers),
	method[*wire.Encoder]("EncodePackedFixed32", (func(int, []uint32))(nil), numbers),
	method[*wire.Encoder]("EncodePackedFixed64", (func(int, []uint64))(nil), numbers),
	method[*wire.Encoder]("EncodePackedInt32", (func(int, []int32))(nil), numbers),
	method[*wire.Encoder]("EncodePackedInt64", (func(int, []int64))(nil), numbers),

	function("NewDecoder", wire.NewDecoder, (func([]byte) *wire.Decoder)(nil)),
	method[*wire.Decoder]("Mode", (func() wire.Mode)(nil)),
	method[*wire.Decoder]("SetMode", (func(wire.Mode))(nil)),
	method[*wire.Decoder]("More", (func() bool)(nil)),
	method[*wire.Decoder]("Offset", (func() int)(nil)),
	method[*wire.Decoder]("Reset", (func())(nil)),
	method[*wire.Decoder]("Seek", (func(int64, int) (int64, error))(nil)),
	method[*wire.Decoder]("DecodeTag", (func() (int, wire.Type, error))(nil), numbers),
	method[*wire.Decoder]("Skip", (func(int, wire.Type) ([]byte, error))(nil), "`Skip()`: of the tag read last"),
	method[*wire.Decoder]("DecodeBool", (func() (bool, error))(nil)),
	method[*wire.Decoder]("DecodeBytes", (func() ([]byte, error))(nil)),
	method[*wire.Decoder]("DecodeFixed32", (func() (uint32, error))(nil)),
	method[*wire.Decoder]("DecodeFixed64", (func() (uint64, error))(nil)),
	method[*wire.Decoder]("DecodeInt32", (func() (int32, error))(nil)),
	method[*wire.Decoder]("DecodeInt64", (func() (int64, error))(nil)),
	method[*wire.Decoder]("DecodeString", (func() (string, error))(nil)),
	method[*wire.Decoder]("DecodeNested", (func(any) error)(nil), "for types that have `Unmarshal`"),
	method[*wire.Decoder]("DecodePackedBool", (func() ([]bool, error))(nil), appends),
	method[*wire.Decoder]("DecodePackedFixed32", (func() ([]uint32, error))(nil), appends),
	method[*wire.Decoder]("DecodePackedFixed64", (func() ([]uint64, error))(nil), appends),
	method[*wire.Decoder]("DecodePackedInt32", (func() ([]int32, error))(nil), appends),
	method[*wire.Decoder]("DecodePackedInt64", (func() ([]int64, error))(nil), appends),
	method[*wire.Decoder]("DecodePackedUint32", (func() ([]uint32, error))(nil), appends),
	method[*wire.Decoder]("DecodePackedUint64", (func() ([]uint64, error))(nil), appends),
	method[*wire.Decoder]("DecodePackedSint32", (func() ([]int32, error))(nil), appends),
	method[*wire.Decoder]("DecodePackedSint64", (func() ([]int64, error))(nil), appends),
	method[wire.Mode]("String", (func() string)(nil)),
	method[wire.Type]("String", (func() string)(nil)),

	function("lazyproto.NewDef", lazyproto.NewDef, (func(...int) lazyproto.Def)(nil), numbers),
	function("lazyproto.NewDecoder", lazyproto.NewDecoder, (func(lazyproto.Def, ...lazyproto.Option) (*lazyproto.Decoder, error))(nil)),
	function("lazyproto.Decode", lazyproto.Decode, (func([]byte, lazyproto.Def) (result, error))(nil)),
	function("lazyproto.WithMode", lazyproto.WithMode, (func(wire.Mode) lazyproto.Option)(nil)),
	function("lazyproto.WithMaxBufferSize", lazyproto.WithMaxBufferSize, (func(int) lazyproto.Option)(nil)),
	function("lazyproto.WithBufferFilterFunc", lazyproto.WithBufferFilterFunc, (func(func(int) int) lazyproto.Option)(nil)),
	method[lazyproto.Def]("Tags", (func(...int) lazyproto.Def)(nil), numbers),
	method[lazyproto.Def]("NestedTag", (func(int, ...int) lazyproto.Def)(nil), numbers),
	method[lazyproto.Def]("Get", (func(int) (lazyproto.Def, bool))(nil), numbers),
	method[lazyproto.Def]("Validate", (func() error)(nil)),
	method[*lazyproto.Decoder]("Decode", (func([]byte) (*result, error))(nil)),
	method[*result]("Close", (func() error)(nil)),
	method[*result]("FieldData", (func(...int) (*lazyproto.FieldData, error))(nil), numbers),
	method[*result]("GetFieldData", (func(int) (*lazyproto.FieldData, error))(nil), numbers),
	method[*result]("NestedResult", (func(int) (*result, error))(nil), numbers),
	method[*result]("NestedResults", (func(int) ([]*result, error))(nil), numbers),
	method[*result]("Range", (func(func(int, *lazyproto.FieldData) bool))(nil), numbers),
}

// values adds the getters of a type that package lazyproto has for results and for fields.
func values[T any](prefix string) []name {
	return []name{
		method[*lazyproto.FieldData](prefix+"Value", (func() (T, error))(nil)),
		method[*lazyproto.FieldData](prefix+"Values", (func() ([]T, error))(nil)),
		method[*result](prefix+"Value", (func(int) (T, error))(nil), numbers),
		method[*result](prefix+"Values", (func(int) ([]T, error))(nil), numbers),
	}
}

func TestNamesOfCsprotoMeanTheSame(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/migrate-from-csproto.md")
	if err != nil {
		t.Fatal(err)
	}
	names := csprotoNames
	for _, more := range [][]name{
		values[bool]("Bool"), values[[]byte]("Bytes"), values[string]("String"), values[uint32]("Fixed32"), values[uint64]("Fixed64"),
		values[float32]("Float32"), values[float64]("Float64"), values[int32]("Int32"), values[int64]("Int64"), values[int32]("SInt32"),
		values[int64]("SInt64"), values[uint32]("UInt32"), values[uint64]("UInt64"),
	} {
		names = append(names, more...)
	}
	for _, n := range names {
		switch same := n.hot == n.theirs; {
		case n.hot == nil:
			t.Errorf("%s: hotpb has no such name", n.name)
		case same != (n.guide == ""):
			t.Errorf("%s is a %v, csproto's a %v, but the difference that the guide names is %q", n.name, n.hot, n.theirs, n.guide)
		case !strings.Contains(string(guide), n.guide):
			t.Errorf("%s is a %v, csproto's a %v: the guide does not say %q", n.name, n.hot, n.theirs, n.guide)
		}
	}
}
