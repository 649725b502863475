package niltest

import (
	"fmt"
	"reflect"
	"regexp"

	"github.com/hotpb/hotpb/go/schema"
)

// Why a method may panic.
const (
	generated = "it serves generated code: its arguments, and its receiver, are the runtime's own"
	tests     = "it is generated for tests alone"
	stock     = "it is of protoc-gen-go"
	handed    = "values of the type are handed out or declared, and never by a nil pointer"
	index     = "it takes an index below Len, as a slice does"
	made      = "values are made by a function or method of the package; a zero or nil one is a mistake that shows at once"
)

// verbs begin the names of methods that change what they are called on.
var verbs = regexp.MustCompile(`^(Set|Clear|Mutable|Add|Append|Put|Delete|Edit|New|Remove|Reset|Reserve|WellKnown|Start$|Decode)`)

// changes reports the methods that change the message: a nil one has no memory for that, so that they panic as an assignment to a
// field of it does, and as setters of google.golang.org/protobuf do. Columns are added to messages of a schema, and the zero
// Schema has no message: New makes it.
func changes(t reflect.Type, method reflect.Method, isNil bool) bool {
	isSchema := t == reflect.TypeFor[schema.Schema]()
	if !isNil && !isSchema {
		return false
	}
	adds := t.PkgPath() == reflect.TypeFor[schema.Schema]().PkgPath() && method.Type.NumOut() == 1 &&
		regexp.MustCompile(`(Column|List|Handle)$`).MatchString(method.Type.Out(0).Name())
	return adds || verbs.MatchString(method.Name)
}

// exceptions are the methods that need something real.
var exceptions = []Exception{
	{"", "UnmarshalJSON", false, stock}, {"", "EqualAnyHot", false, tests}, {"", "Rewrite*", false, tests}, {"", "DecodeHot", false, generated}, {"", "EncodeHot", false, generated},
	{"", "PutHot", false, generated},
	{"Edit", "Lend", false, generated}, {"Edit", "TakeBack", false, generated},
	{"codec.Records", "", false, generated},
	{"codec.Slabs", "", false, generated}, {"codec.Table", "", false, generated},
	{"codec.Guard", "", true, generated}, {"reflect.Field", "", false, generated}, {"codec.Decoder", "", false, generated}, {"codec.Encoder", "", false, generated},
	{"pool.Decoder", "", false, generated}, {"pool.Encoder", "", false, generated}, {"pool.Memory", "", false, generated}, {"pool.Layout", "", false, generated}, {"pool.Ref", "", false, generated}, {"pool.Of", "", true, generated},
	{"pool.MapOf", "", true, generated}, {"pool.SortedOf", "", true, generated}, {"pool.Field", "", true, generated}, {"pool.Part", "", true, generated},
	{"pool.Slab", "", false, generated}, {"pool.Children", "", false, generated}, {"pool.SortedSlab", "", false, generated}, {"pool.Walk", "", false, generated},
	{"view.Edit", "", false, generated}, {"view.Editor", "", false, generated}, {"view.Layout", "", false, generated}, {"view.Field", "", true, generated},
	{"view.Handle", "", true, generated}, {"view.Base", "", false, generated}, {"view.Raw", "", false, generated}, {"view.Choice", "", true, generated},
	{"view.Run", "", true, generated}, {"view.Span", "", true, generated}, {"view.Sub", "", true, generated},
	{"writer.Message", "Put*", false, generated},

	{"", "*Next", true, handed}, {"", "*Value", true, handed}, {"view.Entries", "", true, handed}, {"view.Messages", "", true, handed},
	{"UnknownFields", "", true, handed}, {"Error", "", true, handed}, {"wire.Decoder", "", true, handed}, {"wire.Encoder", "", true, handed},
	{"wire.DelimitedReader", "", true, handed}, {"wire.EnumTable", "", true, handed}, {"wire.FieldTable", "", true, handed},
	{"wire.MessageTable", "", true, handed}, {"chunk.IOSource", "", true, handed}, {"schema.Vector", "", true, handed},
	{"clickhouse.Tables", "", true, handed}, {"lock.Lock", "", true, handed}, {"schema.Column", "", true, handed},

	{"Values", "At", false, index}, {"schema.Messages", "At", false, index}, {"schema.Vector", "TextAt", false, index},
	{"pool.SortedMap", "At", false, index}, {"pool.BoolMap", "At", false, index},

	{"schema.Record", "", true, made}, {"schema.Batch", "", true, made}, {"schema.Binding", "", true, made},
	{"template.Template", "", true, made},
}

// Main calls the methods of all types, and returns the status of the program.
func Main(types []reflect.Type) int {
	calls, failures := 0, 0
	for _, t := range types {
		made, panics := Calls(t, exceptions)
		calls += made
		failures += len(panics)
		for _, p := range panics {
			fmt.Println(p)
		}
	}
	fmt.Printf("%d types, %d calls, %d panics\n", len(types), calls, failures)
	if failures > 0 {
		return 1
	}
	return 0
}
