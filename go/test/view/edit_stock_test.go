package view_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	edition2023 "github.com/hotpb/hotpb/go/internal/testgen/test_messages_edition2023/test_messages_edition2023hot"
	proto2 "github.com/hotpb/hotpb/go/internal/testgen/test_messages_proto2/test_messages_proto2hot"
	proto3 "github.com/hotpb/hotpb/go/internal/testgen/test_messages_proto3/test_messages_proto3hot"
	"github.com/hotpb/hotpb/go/view"
)

// newOf returns a new message of a stock type.
func newOf(d protoreflect.MessageDescriptor) protoreflect.Message { return dynamicpb.NewMessage(d) }

// editors are the editors of the stock messages.
var editors = map[string]reflect.Type{
	stockMessages[0].name: reflect.TypeFor[proto3.TestAllTypesProto3Edit](),
	stockMessages[1].name: reflect.TypeFor[edition2023.TestAllTypesEdition2023Edit](),
	stockMessages[2].name: reflect.TypeFor[proto2.TestAllTypesProto2Edit](),
}

// runs is the number of repetitions of a random test: quick by default.
func runs(quick int) int {
	if n, err := strconv.Atoi(os.Getenv("HOTPB_EDIT_RUNS")); err == nil {
		return n
	}
	return quick
}

// VIW-12, VIW-15 to VIW-24. TestRandomEditsMeanTheSameToTheStockRuntime makes the same random edits with the
// generated methods and with the stock runtime's reflection. After each edit the messages are equal, and the editor's
// slots equal those of a fresh decode.
func TestRandomEditsMeanTheSameToTheStockRuntime(t *testing.T) {
	for _, m := range stockMessages {
		kind := stockType(t, m.set, m.name)
		for seed := range runs(150) {
			x := &randomEdits{r: rand.New(rand.NewPCG(7, uint64(seed))), kind: kind, editor: editors[m.name], name: m.name, seed: seed}
			x.run(t)
		}
	}
}

// randomEdits is one sequence of edits.
type randomEdits struct {
	r      *rand.Rand
	kind   protoreflect.MessageType
	editor reflect.Type
	name   string
	seed   int
	log    []string
	buf    view.Buffer
	path   []opened
	child  opened // the child that was edited last, until its parent is edited
}

// opened is an open message, and its expected value.
type opened struct {
	editor reflect.Value
	want   protoreflect.Message
}

// pick returns a random message of the path, and its view: values read from it are a part of the buffer.
func (x *randomEdits) pick() (v reflect.Value, want protoreflect.Message) {
	at := x.path[x.r.IntN(len(x.path))]
	if x.child.want != nil && x.r.IntN(2) == 0 {
		at = x.child
	}
	return at.editor.MethodByName("View").Call(nil)[0], at.want
}

// scalar returns a random value; now and then a text that is read from the buffer.
func (x *randomEdits) scalar(f protoreflect.FieldDescriptor) (argument any, want protoreflect.Value) {
	want = scalar(x.r, f)
	argument = plain(want)
	if f.Kind() != protoreflect.StringKind && f.Kind() != protoreflect.BytesKind || x.r.IntN(2) == 0 {
		return argument, want
	}
	v, from := x.pick()
	var sources []protoreflect.FieldDescriptor
	for i := range from.Descriptor().Fields().Len() {
		if field := from.Descriptor().Fields().Get(i); field.Kind() == f.Kind() && !field.IsMap() && from.Has(field) {
			sources = append(sources, field)
		}
	}
	if len(sources) == 0 {
		return argument, want
	}
	source := sources[x.r.IntN(len(sources))]
	name := camel(string(source.Name()))
	if !source.IsList() {
		return v.MethodByName(name).Call(nil)[0].Interface(), from.Get(source)
	}
	list := from.Get(source).List()
	i := x.r.IntN(list.Len())
	return v.MethodByName(name + "Nth").Call([]reflect.Value{reflect.ValueOf(i)})[0].Interface(), list.Get(i)
}

func (x *randomEdits) run(t *testing.T) {
	want := x.kind.New()
	root := reflect.New(x.editor)
	var input []byte
	switch x.seed % 3 {
	case 1:
		input = x.encoded(want.Descriptor(), 2)
	case 2: // split messages, repeated singular fields
		input = append(x.encoded(want.Descriptor(), 1), x.encoded(want.Descriptor(), 2)...)
		input = append(input, x.encoded(want.Descriptor(), 1)...)
	}
	defer func() {
		if p := recover(); p != nil {
			if os.Getenv("HOTPB_PANIC") != "" {
				panic(p)
			}
			t.Fatalf("%s, seed %d: panic: %v\nedits %v", x.name, x.seed, p, x.log)
		}
	}()
	if input == nil {
		root.MethodByName("Start").Call([]reflect.Value{reflect.ValueOf(&x.buf)})
	} else {
		if err := proto.Unmarshal(input, want.Interface()); err != nil {
			t.Fatal(err)
		}
		out := root.MethodByName("Decode").Call([]reflect.Value{reflect.ValueOf(&x.buf), reflect.ValueOf(input)})
		if err := out[0].Interface(); err != nil {
			t.Fatal(err)
		}
	}
	for range 12 {
		x.edits(root, want, 3, 1)
		x.compare(t, root, want)
	}
}

func (x *randomEdits) compare(t *testing.T, root reflect.Value, want protoreflect.Message) {
	if err := x.buf.Err(); err != nil {
		t.Fatalf("%s, seed %d: %v\nedits %v", x.name, x.seed, err, x.log)
	}
	got := x.kind.New().Interface()
	if err := proto.Unmarshal(x.buf.Bytes(), got); err != nil {
		t.Fatalf("%s, seed %d: the stock runtime rejects the result: %v\nedits %v\n%x", x.name, x.seed, err, x.log, x.buf.Bytes())
	}
	if !proto.Equal(want.Interface(), got) {
		t.Fatalf("%s, seed %d: not equal\nedits %v\n got %v\nwant %v", x.name, x.seed, x.log, got, want.Interface())
	}
	shown := root.MethodByName("View").Call(nil)[0]
	fresh := reflect.New(shown.Type().Elem())
	if err := fresh.MethodByName("Decode").Call([]reflect.Value{reflect.ValueOf(x.buf.Bytes())})[0].Interface(); err != nil {
		t.Fatal(err)
	}
	if !debugBuild && !reflect.DeepEqual(shown.Interface(), fresh.Interface()) {
		t.Fatalf("%s, seed %d: the slots differ from those of a fresh decode\nedits %v\n got %+v\nwant %+v", x.name, x.seed, x.log, shown, fresh)
	}
}

// encoded returns a random encoded message.
func (x *randomEdits) encoded(d protoreflect.MessageDescriptor, depth int) []byte {
	m := newOf(d)
	populate(x.r, m, depth)
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m.Interface())
	if err != nil {
		panic(err)
	}
	return b
}

// edits makes n random edits to a message.
func (x *randomEdits) edits(e reflect.Value, want protoreflect.Message, n, depth int) {
	fields := want.Descriptor().Fields()
	if fields.Len() == 0 { // a message set
		return
	}
	x.path = append(x.path, opened{e, want})
	defer func() { x.path = x.path[:len(x.path)-1] }()
	for range n {
		f := fields.Get(x.r.IntN(fields.Len()))
		if x.r.IntN(2) == 0 { // often the same few fields, so that edits collide
			f = fields.Get(x.r.IntN(min(8, fields.Len())))
		}
		x.edit(e, want, f, depth)
	}
}

func (x *randomEdits) edit(e reflect.Value, want protoreflect.Message, f protoreflect.FieldDescriptor, depth int) {
	name := camel(string(f.Name()))
	call := func(method string, arguments ...any) []reflect.Value {
		x.log = append(x.log, fmt.Sprint(depth, " ", method))
		m := e.MethodByName(method)
		if !m.IsValid() {
			panic("no method " + method)
		}
		var in []reflect.Value
		for i, argument := range arguments {
			v := reflect.ValueOf(argument)
			if at := m.Type(); !at.IsVariadic() || i < at.NumIn()-1 {
				v = v.Convert(at.In(i))
			} else {
				v = v.Convert(at.In(at.NumIn() - 1).Elem())
			}
			in = append(in, v)
		}
		x.child = opened{}
		return m.Call(in)
	}
	// child calls a method that opens a message and edits that message.
	child := func(method string, m protoreflect.Message, arguments ...any) {
		target := e.MethodByName(method)
		if !target.IsValid() {
			panic("no method " + method)
		}
		c := reflect.New(target.Type().In(target.Type().NumIn() - 1).Elem())
		for _, result := range call(method, append(arguments, c.Interface())...) {
			if err := result.Interface(); err != nil {
				panic(fmt.Sprint(method, ": ", err))
			}
		}
		if depth < 5 {
			x.edits(c, m, x.r.IntN(4), depth+1)
			x.child = opened{c, m}
		}
	}
	// whole returns a view of a random message, and the message.
	whole := func(method string, in int, d protoreflect.MessageDescriptor) (any, protoreflect.Message) {
		target := e.MethodByName(method)
		if !target.IsValid() {
			panic("no method " + method)
		}
		if own, m := x.pick(); own.Type() == target.Type().In(in) && len(x.buf.Bytes()) < 5000 {
			return own.Interface(), proto.Clone(m.Interface()).ProtoReflect()
		}
		v, m := reflect.New(target.Type().In(in).Elem()), newOf(d)
		b := x.encoded(d, 1)
		if err := v.MethodByName("Decode").Call([]reflect.Value{reflect.ValueOf(b)})[0].Interface(); err != nil {
			panic(err)
		}
		if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, m.Interface()); err != nil {
			panic(err)
		}
		return v.Interface(), m
	}
	pick := x.r.IntN(10)
	if pick == 0 {
		call("Clear" + name)
		want.Clear(f)
		return
	}
	switch {
	case f.IsMap():
		m := want.Mutable(f).Map()
		given, key := x.scalar(f.MapKey())
		if f.MapKey().Kind() != protoreflect.StringKind && x.r.IntN(2) == 0 {
			key = small(x.r, f.MapKey())
			given = plain(key)
		}
		k := key.MapKey()
		switch d := f.MapValue().Message(); {
		case pick < 3:
			call("Delete"+name, given)
			m.Clear(k)
		case d == nil:
			argument, value := x.scalar(f.MapValue())
			call("Put"+name, given, argument)
			m.Set(k, value)
		case pick < 5:
			v, value := whole("Put"+name, 1, d)
			call("Put"+name, given, v)
			m.Set(k, protoreflect.ValueOfMessage(value))
		case pick < 7:
			m.Clear(k)
			child("New"+name+"Into", m.Mutable(k).Message(), given)
		default:
			child("Edit"+name+"Into", m.Mutable(k).Message(), given)
		}
	case f.IsList():
		list := want.Mutable(f).List()
		n := list.Len()
		switch d := f.Message(); {
		case pick < 3 && n > 0:
			from := x.r.IntN(n)
			to := from + x.r.IntN(n-from+1)
			call("Remove"+name, from, to)
			for i := to; i < n; i++ {
				list.Set(from+i-to, list.Get(i))
			}
			list.Truncate(n - (to - from))
		case d == nil && pick < 6 && n > 0:
			argument, v := x.scalar(f)
			i := x.r.IntN(n)
			call("Set"+name+"At", i, argument)
			list.Set(i, v)
		case d == nil:
			var values []any
			var added []protoreflect.Value
			for range x.r.IntN(4) {
				argument, v := x.scalar(f)
				values, added = append(values, argument), append(added, v)
			}
			call("Add"+name, values...)
			for _, v := range added {
				list.Append(v)
			}
		case pick < 4 && n > 0:
			i := x.r.IntN(n)
			v, m := whole("Set"+name+"At", 1, d)
			call("Set"+name+"At", i, v)
			list.Set(i, protoreflect.ValueOfMessage(m))
		case pick < 6 && n > 0:
			i := x.r.IntN(n)
			child("Edit"+name+"AtInto", list.Get(i).Message(), i)
		case pick < 7:
			v, m := whole("Append"+name, 0, d)
			call("Append"+name, v)
			list.Append(protoreflect.ValueOfMessage(m))
		default:
			child("Add"+name+"Into", list.AppendMutable().Message())
		}
	case f.Message() != nil:
		switch {
		case pick < 3:
			v, m := whole("Set"+name, 0, f.Message())
			call("Set"+name, v)
			want.Set(f, protoreflect.ValueOfMessage(m))
		case pick < 5:
			want.Clear(f)
			child("New"+name+"Into", want.Mutable(f).Message())
		default:
			child("Edit"+name+"Into", want.Mutable(f).Message())
		}
	default:
		argument, v := x.scalar(f)
		call("Set"+name, argument)
		want.Set(f, v)
	}
}

// small returns a number from a small range, so that keys repeat.
func small(r *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	if f.Kind() == protoreflect.BoolKind {
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	}
	n := int64(r.IntN(3))
	switch scalar(r, f).Interface().(type) {
	case int32:
		return protoreflect.ValueOfInt32(int32(n))
	case int64:
		return protoreflect.ValueOfInt64(n)
	case uint32:
		return protoreflect.ValueOfUint32(uint32(n))
	}
	return protoreflect.ValueOfUint64(uint64(n))
}

// plain returns a value in the form that the generated methods accept; enums are converted later.
func plain(v protoreflect.Value) any {
	if n, ok := v.Interface().(protoreflect.EnumNumber); ok {
		return int32(n)
	}
	return v.Interface()
}

// camel returns the Go name of a field.
func camel(s string) string {
	lower := func(i int) bool { return i < len(s) && s[i] >= 'a' && s[i] <= 'z' }
	var b []byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '_' && i == 0:
			b = append(b, 'X')
		case c == '_' && lower(i+1):
		case c >= '0' && c <= '9':
			b = append(b, c)
		default:
			if lower(i) {
				c -= 'a' - 'A'
			}
			b = append(b, c)
			for ; lower(i + 1); i++ {
				b = append(b, s[i+1])
			}
		}
	}
	return string(b)
}
