package writer_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strconv"
	"strings"

	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	e23 "github.com/hotpb/hotpb/go/internal/testgen/vectors_2023/vectors_2023hot"
	elsewhere "github.com/hotpb/hotpb/go/internal/testgen/vectors_elsewhere/vectors_elsewherehot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/rt/writer"
)

// call is a step of a script (vectors/README.md).
type call struct {
	Call   string
	On     int
	Handle int
	Field  string
	Key    json.RawMessage
	Value  json.RawMessage
	Values []json.RawMessage
	Calls  []call
}

// player runs scripts on generated writers, which it finds by the names of messages and fields.
type player struct {
	root func(out writer.Output) any
	out  interface {
		writer.Output
		Delimited() writer.Output
	}
	handles map[int]reflect.Value
	last    int
}

var (
	roots      = joined(p3.Writers_vectors, p2.Writers_vectors_proto2, e23.Writers_vectors_2023)
	extensions = joined(p3.Extensions_vectors, p2.Extensions_vectors_proto2, e23.Extensions_vectors_2023, elsewhere.Extensions_vectors_elsewhere)
)

func joined[V any](tables ...map[string]V) map[string]V {
	all := map[string]V{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

func (p *player) play(calls []call) {
	for _, c := range calls {
		switch c.Call {
		case "root":
			p.hold(c, reflect.ValueOf(p.root(p.out)))
		case "delimited":
			p.hold(c, reflect.ValueOf(p.root(p.out.Delimited())))
		case "flush":
			p.out.(*writer.ChunkWriter).Flush()
		case "end":
			p.leave(c.On)
		case "finish":
			p.handles[c.On].MethodByName("End").Call(nil)
		case "fields":
			p.handles[c.On].MethodByName("AppendRaw").Call([]reflect.Value{p.value(c.Value, reflect.TypeFor[[]byte]())})
		case "element":
			add := p.handles[c.On].MethodByName("Add")
			add.Call([]reflect.Value{p.value(c.Value, add.Type().In(0))})
		default:
			p.field(c)
		}
	}
}

// leave handles a handle whose scope ends. In Go nothing happens then, but a script expects that the handle ends.
func (p *player) leave(handle int) {
	if h, held := p.handles[handle]; held && isOpen(h) {
		h.MethodByName("End").Call(nil)
	}
	delete(p.handles, handle)
}

// isOpen reports whether a generated writer or the handle of a packed field is open.
func isOpen(handle reflect.Value) bool {
	return handle.Convert(reflect.TypeFor[writer.Message]()).Interface().(writer.Message).IsOpen()
}

func (p *player) leaveFrom(first int) {
	for handle := p.last; handle >= first; handle-- {
		p.leave(handle)
	}
}

func (p *player) hold(c call, handle reflect.Value) {
	p.handles[c.Handle] = handle
	p.last = max(p.last, c.Handle)
}

// field runs a call on a field.
func (p *player) field(c call) {
	var arguments []reflect.Value
	var method reflect.Value
	find := func(names ...string) {
		on := p.handles[c.On]
		receiver := on
		if strings.Contains(c.Field, ".") {
			receiver, arguments = reflect.ValueOf(extensions[c.Field]), []reflect.Value{on}
		}
		for _, name := range names {
			if method = receiver.MethodByName(name); method.IsValid() {
				return
			}
		}
		panic(fmt.Sprintf("%v has none of %v", receiver.Type(), names))
	}
	next := func(value json.RawMessage) {
		arguments = append(arguments, p.value(value, method.Type().In(len(arguments))))
	}
	name := goName(c.Field)
	switch c.Call {
	case "put":
		find("Set"+name, "Add"+name, "Write")
		next(c.Value)
	case "entry":
		find("Add" + name)
		next(c.Key)
		next(c.Value)
	case "ranges":
		find("Set"+name+"Parts", "Add"+name+"Parts", "WriteParts")
		for _, value := range c.Values {
			arguments = append(arguments, p.value(value, reflect.TypeFor[[]byte]()))
		}
	case "span":
		find("Add"+name, "Write")
		kind := method.Type().In(len(arguments))
		span := reflect.MakeSlice(kind, 0, len(c.Values))
		for _, value := range c.Values {
			span = reflect.Append(span, p.value(value, kind.Elem()))
		}
		arguments = append(arguments, span)
	case "raw", "open", "with", "packed":
		switch c.Call {
		case "raw":
			find("Set"+name+"Raw", "Add"+name+"Raw", "WriteRaw")
		case "with":
			find("Set"+name+"With", "Add"+name+"With", "WriteWith")
		case "open":
			find("Set"+name, "Add"+name, "Open")
		case "packed":
			find("Packed"+name, "Open")
		}
		if c.Key != nil {
			next(c.Key)
		}
		if c.Call == "raw" {
			next(c.Value)
		}
		if c.Call == "with" {
			arguments = append(arguments, reflect.MakeFunc(method.Type().In(len(arguments)), func(child []reflect.Value) []reflect.Value {
				p.hold(c, child[0])
				p.play(c.Calls)
				p.leaveFrom(c.Handle)
				return nil
			}))
		}
	default:
		panic("no such call: " + c.Call)
	}
	if results := method.Call(arguments); len(results) > 0 {
		p.hold(c, results[0])
	}
}

func goName(field string) (name string) {
	for part := range strings.SplitSeq(field, "_") {
		name += strings.ToUpper(part[:1]) + part[1:]
	}
	return name
}

// value converts a JSON value to the type that a setter accepts.
func (p *player) value(raw json.RawMessage, kind reflect.Type) reflect.Value {
	var text string
	var repeated struct {
		Repeat string
		Count  int
	}
	if json.Unmarshal(raw, &text) != nil {
		must(json.Unmarshal(raw, &repeated))
	}
	v := reflect.New(kind).Elem()
	switch kind.Kind() {
	case reflect.Bool:
		v.SetBool(text == "true")
	case reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		must(err)
		v.SetInt(n)
	case reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		must(err)
		v.SetUint(n)
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(unhex(text)))))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(unhex(text))))
	default:
		bytes := unhex(text)
		if repeated.Count > 0 {
			bytes = []byte(strings.Repeat(string(unhex(repeated.Repeat)), repeated.Count))
		}
		v.Set(reflect.ValueOf(bytes).Convert(kind))
	}
	return v
}

func unhex(text string) []byte {
	b, err := hex.DecodeString(text)
	must(err)
	return b
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
