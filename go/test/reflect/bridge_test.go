package reflect_test

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	dropped "github.com/hotpb/hotpb/go/internal/testgen/dropped_p3/dropped_p3hot"
	droppedreflect "github.com/hotpb/hotpb/go/internal/testgen/dropped_p3/dropped_p3hot/dropped_p3hotreflect"
	sorted "github.com/hotpb/hotpb/go/internal/testgen/sorted_p3/sorted_p3hot"
	sortedreflect "github.com/hotpb/hotpb/go/internal/testgen/sorted_p3/sorted_p3hot/sorted_p3hotreflect"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/vectors"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	p3reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot/vectorshotreflect"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	p2reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot/vectors_proto2hotreflect"
	protobridge "github.com/hotpb/hotpb/go/view/reflect"
	"github.com/hotpb/hotpb/go/wire"
)

// full returns the encoding of a message with all sorts of fields.
func full(t testing.TB, name string) []byte {
	t.Helper()
	m := stockType(t, name).New()
	fill(m, 2)
	b, err := proto.Marshal(m.Interface())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fill sets all fields, and puts two elements into lists and maps.
func fill(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if fd.Message() != nil && depth == 0 {
			continue
		}
		switch {
		case fd.IsMap():
			entries := m.Mutable(fd).Map()
			for _, key := range []string{"", "x"} {
				var k protoreflect.MapKey
				switch fd.MapKey().Kind() {
				case protoreflect.StringKind:
					k = protoreflect.ValueOfString(key).MapKey()
				case protoreflect.BoolKind:
					k = protoreflect.ValueOfBool(key != "").MapKey()
				default:
					k = protoreflect.ValueOf(number(fd.MapKey(), int64(len(key)))).MapKey()
				}
				if fd.MapValue().Message() != nil {
					fill(entries.Mutable(k).Message(), 0)
				} else {
					entries.Set(k, scalar(fd.MapValue()))
				}
			}
		case fd.IsList():
			list := m.Mutable(fd).List()
			for range 2 {
				if fd.Message() != nil {
					fill(list.AppendMutable().Message(), depth-1)
				} else {
					list.Append(scalar(fd))
				}
			}
		case fd.Message() != nil:
			fill(m.Mutable(fd).Message(), depth-1)
		default:
			m.Set(fd, scalar(fd))
		}
	}
}

func scalar(fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(string(fd.Name()))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(fd.Name()))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(fd.Enum().Values().Get(fd.Enum().Values().Len() - 1).Number())
	}
	return protoreflect.ValueOf(number(fd, int64(fd.Number())))
}

func number(fd protoreflect.FieldDescriptor, n int64) any {
	switch fd.Kind() {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return int32(n)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return uint32(n)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return n
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return uint64(n)
	case protoreflect.FloatKind:
		return float32(n)
	}
	return float64(n)
}

func TestFullMessagesAreTheStockRuntimes(t *testing.T) {
	for name, f := range messages {
		if strings.HasSuffix(name, "MessageSet") {
			continue
		}
		b := full(t, name)
		want := stockType(t, name).New().Interface()
		if err := proto.Unmarshal(b, want); err != nil {
			t.Fatal(err)
		}
		if set, _ := holds(want); set && !legacy {
			want = nil
		}
		for face, read := range map[string]face{"pool": f.pool, "view": f.view} {
			got, err := read(b, wire.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if want != nil {
				if difference := differ(want, got); difference != "" {
					t.Errorf("%s %s: %s", name, face, difference)
				}
			}
		}
	}
}

// A write panics with a message that says what to do instead.
func TestMessagesAreReadOnly(t *testing.T) {
	for face, read := range map[string]face{"pool": messages["hotpb.vectors.p3.All"].pool, "view": messages["hotpb.vectors.p3.All"].view} {
		shown, err := read(full(t, "hotpb.vectors.p3.All"), wire.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := shown.ProtoReflect()
		field := m.Descriptor().Fields().ByName
		list, entries := m.Get(field("repeated_int32")).List(), m.Get(field("key_string")).Map()
		children := m.Get(field("repeated_child")).List()
		key := protoreflect.ValueOfString("x").MapKey()
		value := protoreflect.ValueOfInt32(1)
		for name, write := range map[string]func(){
			"Clear":               func() { m.Clear(field("single_int32")) },
			"Set":                 func() { m.Set(field("single_int32"), value) },
			"Mutable":             func() { m.Mutable(field("single_child")) },
			"SetUnknown":          func() { m.SetUnknown(nil) },
			"Set of a list":       func() { list.Set(0, value) },
			"Append":              func() { list.Append(value) },
			"AppendMutable":       func() { children.AppendMutable() },
			"Truncate":            func() { list.Truncate(0) },
			"Clear of an entry":   func() { entries.Clear(key) },
			"Set of an entry":     func() { entries.Set(key, protoreflect.ValueOfString("")) },
			"Mutable of an entry": func() { entries.Mutable(key) },
			"proto.Reset":         func() { proto.Reset(shown) },
			"proto.Unmarshal":     func() { _ = proto.Unmarshal([]byte{8, 1}, shown) },
		} {
			func() {
				defer func() {
					if text, _ := recover().(string); !strings.Contains(text, "read-only") || !strings.Contains(text, "proto.Clone") {
						t.Errorf("%s %s panics with %q", face, name, text)
					}
				}()
				write()
			}()
		}
		// New messages can be changed.
		fresh := m.New()
		fresh.Set(field("single_int32"), value)
		fresh.Set(field("single_child"), m.NewField(field("single_child")))
		elements := m.NewField(field("repeated_child")).List()
		elements.Append(children.NewElement())
		fresh.Set(field("repeated_child"), protoreflect.ValueOfList(elements))
		if values := m.Get(field("value_child")).Map(); !values.NewValue().Message().IsValid() || entries.NewValue().String() != "" {
			t.Error("new values of maps")
		}
		if list.NewElement().Int() != 0 || elements.Len() != 1 || proto.Size(fresh.Interface()) == 0 {
			t.Error("new elements")
		}
		for name, ask := range map[string]func(){
			"another's oneof": func() { m.WhichOneof(stockType(t, "hotpb.vectors.p2.All").Descriptor().Oneofs().Get(0)) },
			"another's field": func() { m.Has(stockType(t, "hotpb.vectors.p2.All").Descriptor().Fields().Get(0)) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: asking for %s does not panic", face, name)
					}
				}()
				ask()
			}()
		}
	}
}

func TestNilIsTheEmptyMessage(t *testing.T) {
	for _, reflect := range []func() (proto.Message, error){
		func() (proto.Message, error) { return p3reflect.All.Reflect(nil) },
		func() (proto.Message, error) { return p3reflect.AllView.Reflect(nil) },
	} {
		m, err := reflect()
		if err != nil || m.ProtoReflect().IsValid() || proto.Size(m) != 0 {
			t.Error(m, err)
		}
	}
	var zero p3.AllView
	if m, err := p3reflect.AllView.Reflect(&zero); err != nil || proto.Size(m) != 0 || !m.ProtoReflect().IsValid() {
		t.Error(m, err)
	}
}

func TestANilMessageInAMapIsTheEmptyMessage(t *testing.T) {
	pool := &p3.All{ValueChild: map[int32]*p3.Child{1: nil, 2: {Id: 5}}}
	want := &vectors.All{ValueChild: map[int32]*vectors.Child{1: {}, 2: {Id: 5}}}
	shown, err := p3reflect.All.Reflect(pool)
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(shown, want) || !proto.Equal(proto.Clone(shown), want) {
		t.Errorf("%v, want %v", shown, want)
	}
	if text, err := protojson.Marshal(shown); err != nil || !strings.Contains(string(text), `"1":{}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// Damage at any depth is found when the message is created.
func TestDamagedMessagesAreErrors(t *testing.T) {
	var v p3.AllView
	damaged := []byte{0x9a, 1, 4, 0x9a, 1, 1, 0x08} // single_all { single_all { truncated
	if err := v.Decode(damaged); err != nil {
		t.Fatal(err)
	}
	if _, err := p3reflect.AllView.Reflect(&v); !errors.Is(err, wire.Truncated) {
		t.Error(err)
	}
	// An extension is not decoded before someone reads it; the bridge does.
	ext := wire.AppendBytes(wire.AppendTag(nil, 1018, wire.BytesType), []byte{0x08}) // ext_child
	nested := wire.AppendBytes(wire.AppendTag(nil, 19, wire.BytesType), ext)         // single_all
	nested = wire.AppendBytes(wire.AppendTag(nil, 319, wire.BytesType), nested)      // repeated_all
	for _, b := range [][]byte{ext, nested} {
		var m p2.All
		var v p2.AllView
		if err := errors.Join(m.Unmarshal(b), v.Decode(b)); err != nil {
			t.Fatal(err)
		}
		if _, err := p2reflect.All.Reflect(&m); err == nil || !strings.Contains(err.Error(), "hotpb.vectors.p2.All") {
			t.Errorf("pool %x: %v", b, err)
		}
		if _, err := p2reflect.AllView.Reflect(&v); err == nil {
			t.Errorf("view %x: no error", b)
		}
	}
}

// Descriptors that are not linked can be passed in.
func TestDescriptorsCanBeHandedIn(t *testing.T) {
	const name = "hotpb.vectors.p3.All"
	b := full(t, name)
	none := protobridge.NewResolver(new(protoregistry.Files), nil)
	_, err := messages[name].pool(b, wire.Options{}, none)
	if err == nil || !strings.Contains(err.Error(), "protoc-gen-go generates from hotpb/vectors.proto") ||
		!strings.Contains(err.Error(), "NewResolver") || !errors.Is(err, protoregistry.NotFound) {
		t.Error(err)
	}
	linked, err := protoregistry.GlobalFiles.FindFileByPath("hotpb/vectors.proto")
	if err != nil {
		t.Fatal(err)
	}
	described := protodesc.ToFileDescriptorProto(linked)
	file := func() *protoregistry.Files {
		files := new(protoregistry.Files)
		fd, err := protodesc.NewFile(described, nil)
		if err == nil {
			err = files.RegisterFile(fd)
		}
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	files := file()
	from := protobridge.NewResolver(files, dynamicpb.NewTypes(files))
	for _, read := range []face{messages[name].pool, messages[name].view} {
		got, err := read(b, wire.Options{}, from)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := files.FindDescriptorByName(name)
		want := dynamicpb.NewMessage(d.(protoreflect.MessageDescriptor))
		if err := proto.Unmarshal(b, want); err != nil || !proto.Equal(want, got) {
			t.Errorf("%v: %v", err, got)
		}
		if _, dynamic := proto.Clone(got).(*dynamicpb.Message); !dynamic {
			t.Errorf("its clone is a %T", proto.Clone(got))
		}
	}
	// A descriptor of another schema is rejected.
	for _, change := range []func(m *descriptorpb.DescriptorProto){
		func(m *descriptorpb.DescriptorProto) { m.Field = m.Field[1:] },
		func(m *descriptorpb.DescriptorProto) {
			m.Field[0].Type = descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()
		},
	} {
		kept := proto.CloneOf(described)
		change(described.MessageType[0])
		if _, err := messages[name].pool(b, wire.Options{}, protobridge.NewResolver(file(), nil)); err == nil || !strings.Contains(err.Error(), "different schema") {
			t.Error(err)
		}
		described = kept
	}
}

// VIW-42. Fields that were left out are absent, and dropped ones are not unknown fields.
func TestFieldsLeftOutAreAbsent(t *testing.T) {
	b := full(t, "hotpb.vectors.p3.All")
	var m dropped.All
	var v dropped.AllView
	if err := errors.Join(m.Unmarshal(b), v.Decode(b)); err != nil {
		t.Fatal(err)
	}
	pooled, err := droppedreflect.All.Reflect(&m)
	if err != nil {
		t.Fatal(err)
	}
	viewed, err := droppedreflect.AllView.Reflect(&v)
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(pooled, viewed) {
		t.Errorf("pool %v\nview %v", pooled, viewed)
	}
	r := pooled.ProtoReflect()
	out, kept := r.Descriptor().Fields().ByName("single_int32"), r.Descriptor().Fields().ByName("single_string")
	if r.Has(out) || r.Get(out).Int() != 0 || !r.Has(kept) || len(r.GetUnknown()) != 0 {
		t.Errorf("it is %v", pooled)
	}
	// Such a message has no encoder, so it is converted field by field.
	dst := r.New().Interface()
	if err := droppedreflect.All.ToProto(dst, &m); err != nil || !proto.Equal(dst, pooled) {
		t.Errorf("%v: %v", err, dst)
	}
}

func TestSortedMapsAreMaps(t *testing.T) {
	b := full(t, "hotpb.vectors.p3.All")
	var m sorted.All
	if err := m.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	got, err := sortedreflect.All.Reflect(&m)
	if err != nil {
		t.Fatal(err)
	}
	want := stockType(t, "hotpb.vectors.p3.All").New()
	if err := proto.Unmarshal(b, want.Interface()); err != nil {
		t.Fatal(err)
	}
	maps := 0
	got.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.IsMap() {
			maps++
			if fd.MapValue().Message() != nil { // other fields are left out in these
				if v.Map().Len() != want.Get(fd).Map().Len() {
					t.Errorf("%s has %d entries", fd.Name(), v.Map().Len())
				}
			} else if difference := differAt(fd, want.Get(fd), v); difference != "" {
				t.Error(difference)
			}
		}
		return true
	})
	if maps < 11 {
		t.Errorf("only %d maps", maps)
	}
}

// VIW-5. Readers share a message; lists and messages of a view are created once.
func TestReadersShareAMessage(t *testing.T) {
	for _, name := range []string{"hotpb.vectors.p3.All", "hotpb.vectors.p2.All"} {
		b := full(t, name)
		if name == "hotpb.vectors.p2.All" { // and extensions: ext_int32, ext_child
			b = append(wire.AppendTag(b, 1001, wire.VarintType), 5)
			b = wire.AppendBytes(wire.AppendTag(b, 1018, wire.BytesType), []byte{8, 1})
		}
		for _, read := range []face{messages[name].pool, messages[name].view} {
			shared, err := read(b, wire.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var wait sync.WaitGroup
			texts := make([][]byte, 4)
			for i := range texts {
				wait.Add(1)
				go func() {
					defer wait.Done()
					texts[i], _ = protojson.Marshal(shared)
					if copied := proto.Clone(shared); !proto.Equal(shared, copied) {
						t.Error("not equal to its clone")
					}
					walk(shared)
				}()
			}
			wait.Wait()
			for _, text := range texts {
				if !bytes.Equal(text, texts[0]) {
					t.Errorf("%s and %s", text, texts[0])
				}
			}
		}
	}
}
