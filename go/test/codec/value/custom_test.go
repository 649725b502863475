package value_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/internal/testgen/values/kinds"
	"github.com/hotpb/hotpb/go/rt/codec/value"
	"github.com/hotpb/hotpb/go/test/kindstest"
)

// COD-104: a change of any part of a mutable message is one of the custom type.
func TestAMutableCustomTypeWritesBack(t *testing.T) {
	m := &kinds.OfStored{Value: kinds.Stored{Encoding: "\x08\x05"}}
	in := func() *kinds.Leaf {
		leaf := new(kinds.Leaf)
		if err := leaf.Unmarshal([]byte(m.Value.Encoding)); err != nil {
			t.Fatal(err)
		}
		return leaf
	}
	r := m.ProtoReflect()
	leaf := r.Mutable(r.Descriptor().Fields().ByName("value")).Message()
	fields := leaf.Descriptor().Fields()
	id, words, next, byName, more := fields.ByName("id"), fields.ByName("words"), fields.ByName("next"), fields.ByName("by_name"), fields.ByName("more")
	check := func(subject string, want *kinds.Leaf) {
		t.Helper()
		if got := in(); !proto.Equal(got, want) {
			t.Errorf("%s: %v, want %v", subject, got, want)
		}
	}
	text := protoreflect.ValueOfString
	leaf.Set(id, protoreflect.ValueOfInt32(6))
	check("Set", &kinds.Leaf{Id: 6})
	leaf.Clear(id)
	check("Clear", &kinds.Leaf{})
	list := leaf.Mutable(words).List()
	list.Append(text("a"))
	list.Append(text("b"))
	list.Set(0, text("c"))
	check("lists", &kinds.Leaf{Words: []string{"c", "b"}})
	list.Truncate(1)
	check("Truncate", &kinds.Leaf{Words: []string{"c"}})
	leaf.Set(words, protoreflect.ValueOfList(list)) // its own list
	check("Set of a list", &kinds.Leaf{Words: []string{"c"}})
	leaf.Clear(words)
	inner := leaf.Mutable(next).Message()
	check("Mutable", &kinds.Leaf{Next: &kinds.Leaf{}})
	inner.Mutable(next).Message().Set(id, protoreflect.ValueOfInt32(7))
	check("nested", &kinds.Leaf{Next: &kinds.Leaf{Next: &kinds.Leaf{Id: 7}}})
	leaf.Set(next, protoreflect.ValueOfMessage(inner.Mutable(next).Message()))
	check("Set of a message", &kinds.Leaf{Next: &kinds.Leaf{Id: 7}})
	leaf.Clear(next)
	entries := leaf.Mutable(byName).Map()
	entries.Mutable(text("k").MapKey()).Message().Set(id, protoreflect.ValueOfInt32(8))
	check("maps", &kinds.Leaf{ByName: map[string]*kinds.Leaf{"k": {Id: 8}}})
	leaf.Set(byName, protoreflect.ValueOfMap(entries))
	entries = leaf.Mutable(byName).Map()
	entries.Set(text("l").MapKey(), entries.NewValue())
	entries.Clear(text("k").MapKey())
	check("Clear of a map", &kinds.Leaf{ByName: map[string]*kinds.Leaf{"l": {}}})
	leaf.Clear(byName)
	leaf.Mutable(more).List().AppendMutable().Message().Mutable(words).List().Append(text("d"))
	check("AppendMutable", &kinds.Leaf{More: []*kinds.Leaf{{Words: []string{"d"}}}})
	leaf.Clear(more)
	leaf.SetUnknown([]byte("\xf2\xac\x04\x01u"))
	check("SetUnknown", &kinds.Leaf{XXX_unrecognized: []byte("\xf2\xac\x04\x01u")})
	proto.Reset(leaf.Interface())
	check("Reset", &kinds.Leaf{})
	if err := proto.Unmarshal([]byte("\x08\x09"), leaf.Interface()); err != nil {
		t.Error(err)
	}
	check("Unmarshal", &kinds.Leaf{Id: 9})

	// A map with values in place of pointers.
	v := new(kinds.ByValue)
	r = v.ProtoReflect()
	entry := r.Mutable(r.Descriptor().Fields().ByName("by_name")).Map().Mutable(text("k").MapKey()).Message()
	entry.Mutable(next).Message().Set(id, protoreflect.ValueOfInt32(3))
	entry.Mutable(words).List().Append(text("w"))
	if want := (kinds.Leaf{Next: &kinds.Leaf{Id: 3}, Words: []string{"w"}}); !reflect.DeepEqual(v.ByName["k"], want) {
		t.Errorf("%v, want %v", v.ByName, want)
	}
}

// COD-105: a value that is refused leaves the struct as it was.
func TestARefusedChangeLeavesTheStruct(t *testing.T) {
	good := func() *kinds.OfStrict {
		leaf := kinds.Leaf{Id: 1, Words: []string{"w"}}
		return &kinds.OfStrict{
			Value: kinds.Strict{Leaf: leaf}, Pointer: &kinds.Strict{Leaf: leaf}, Values: []kinds.Strict{{Leaf: leaf}}, Pointers: map[string]*kinds.Strict{"k": {Leaf: leaf}},
			ByName: map[string]kinds.Strict{"k": {Leaf: leaf}}, Choice: &kinds.OfStrict_Other{Other: 5},
		}
	}
	fields := new(kinds.OfStrict).ProtoReflect().Descriptor().Fields()
	field := func(name protoreflect.Name) protoreflect.FieldDescriptor { return fields.ByName(name) }
	key := protoreflect.ValueOfString("k").MapKey()
	for name, change := range map[string]func(r protoreflect.Message){
		"Set":              func(r protoreflect.Message) { r.Set(field("value"), r.NewField(field("value"))) },
		"Set of a pointer": func(r protoreflect.Message) { r.Set(field("pointer"), r.NewField(field("pointer"))) },
		"Set of a oneof":   func(r protoreflect.Message) { r.Set(field("chosen"), r.NewField(field("chosen"))) },
		"Append": func(r protoreflect.Message) {
			list := r.Mutable(field("values")).List()
			list.Append(list.NewElement())
		},
		"Set of a list": func(r protoreflect.Message) {
			list := r.Mutable(field("values")).List()
			list.Set(0, list.NewElement())
		},
		"Set of a map": func(r protoreflect.Message) {
			entries := r.Mutable(field("by_name")).Map()
			entries.Set(key, entries.NewValue())
		},
		"Set of a map of pointers": func(r protoreflect.Message) {
			entries := r.Mutable(field("pointers")).Map()
			entries.Set(key, entries.NewValue())
		},
		"Mutable": func(r protoreflect.Message) {
			leaf := r.Mutable(field("value")).Message()
			leaf.Clear(leaf.Descriptor().Fields().ByName("id"))
		},
		"Mutable of a map": func(r protoreflect.Message) {
			leaf := r.Mutable(field("by_name")).Map().Mutable(key).Message()
			leaf.Clear(leaf.Descriptor().Fields().ByName("id"))
		},
	} {
		m := good()
		func() {
			defer func() {
				if err, is := recover().(error); !is || !errors.As(err, new(*value.RefusedError)) {
					t.Errorf("%s: the panic is %v", name, err)
				}
			}()
			change(m.ProtoReflect())
		}()
		if !reflect.DeepEqual(m, good()) {
			t.Errorf("%s: it is %v", name, m)
		}
	}
}

// COD-105: no function hides what a custom type's method does, and none fails later because of it.
func TestACustomTypeThatRefusesOrPanics(t *testing.T) {
	refused, panics := kinds.Code{0xee}, kinds.Code{0xff}
	places := func(c kinds.Code) map[string]kindstest.Message {
		return map[string]kindstest.Message{
			"value": &kinds.OfCode{Value: c}, "pointer": &kinds.OfCode{Pointer: &c}, "list": &kinds.OfCode{Values: []kinds.Code{{}, c}},
			"map": &kinds.OfCode{ByName: map[string]kinds.Code{"k": c}}, "pointers": &kinds.OfCode{Pointers: map[string]*kinds.Code{"k": &c}},
			"oneof": &kinds.OfCode{Choice: &kinds.OfCode_Chosen{Chosen: c}}, "declared": &kinds.Declared{Code: c},
			"inside": &kinds.Holder{One: &kinds.Declared{Code: c}}, "inside a list": &kinds.Holder{List: []kinds.Declared{{Code: c}}},
		}
	}
	// Set of a list, map or pointer does not look into it.
	sharedBySet := map[string]bool{"list": true, "map": true, "pointers": true, "inside": true, "inside a list": true}
	for place, m := range places(refused) {
		for range 2 {
			for _, call := range copies {
				if call.name == "Set" && sharedBySet[place] {
					continue
				}
				err := error(nil)
				func() {
					defer func() {
						if why := recover(); why != nil {
							err, _ = why.(error)
						}
					}()
					err = call.copied(m.ProtoReflect().New().Interface().(kindstest.Message), m)
				}()
				if err == nil || err.Error() == "" {
					t.Errorf("%s: %s accepts it", place, call.name)
				}
			}
			if !proto.Equal(m, places(refused)[place]) || proto.Equal(m, m.ProtoReflect().New().Interface()) || value.String(m)[0] != '<' {
				t.Errorf("%s: Equal or String is wrong", place)
			}
		}
	}
	for place, m := range places(panics) {
		for range 2 {
			for _, call := range copies {
				if call.name == "Set" && sharedBySet[place] {
					continue
				}
				if why := panicOf(func() { _ = call.copied(m.ProtoReflect().New().Interface().(kindstest.Message), m) }); why != "kinds: a Code that panics" {
					t.Errorf("%s: %s: the panic is %q", place, call.name, why)
				}
			}
		}
	}
	// The memory of encoders and decoders that a panic has interrupted is not used again as it is.
	for _, message := range []kindstest.Message{new(kinds.OfCode), new(kinds.OfStored)} {
		for _, s := range kindstest.Samples(t, message) {
			everyFunction(t, s)
		}
	}
}

// Nil pointers to custom types and times are what nil pointers to messages are: empty in maps and lists, absent in oneofs.
func TestNilCustomTypesAreEmpty(t *testing.T) {
	for name, c := range map[string]struct{ m, want kindstest.Message }{
		"map":             {&kinds.OfStored{Pointers: map[string]*kinds.Stored{"k": nil}}, &kinds.OfStored{Pointers: map[string]*kinds.Stored{"k": {}}}},
		"map of values":   {&kinds.OfValued{Pointers: map[string]*kinds.Valued{"k": nil}}, &kinds.OfValued{Pointers: map[string]*kinds.Valued{"k": {}}}},
		"map of bytes":    {&kinds.OfBlob{Pointers: map[string]*kinds.Blob{"k": nil}}, &kinds.OfBlob{Pointers: map[string]*kinds.Blob{"k": {}}}},
		"oneof":           {&kinds.OfStored{Choice: &kinds.OfStored_Chosen{}}, &kinds.OfStored{}},
		"oneof of values": {&kinds.OfValued{Choice: &kinds.OfValued_Chosen{}}, &kinds.OfValued{}},
		"wrapper":         {&kinds.OfValued{Choice: (*kinds.OfValued_Chosen)(nil)}, &kinds.OfValued{}},
		"map of times":    {&kinds.StdMap{OfTimestamp: map[string]*time.Time{"k": nil}}, &kinds.StdMap{OfTimestamp: map[string]*time.Time{"k": ptr(time.Unix(0, 0))}}},
		"map of strings":  {&kinds.StdMap{OfStringvalue: map[string]*string{"k": nil}}, &kinds.StdMap{OfStringvalue: map[string]*string{"k": ptr("")}}},
		"oneof of times":  {&kinds.StdChoice{Choice: &kinds.StdChoice_OfTimestamp{}}, &kinds.StdChoice{}},
		"map of messages": {&kinds.Values{OfLeaf: map[int32]*kinds.Leaf{5: nil}}, &kinds.Values{OfLeaf: map[int32]*kinds.Leaf{5: {}}}},
	} {
		for _, call := range copies {
			to := c.m.ProtoReflect().New().Interface().(kindstest.Message)
			if err := call.copied(to, c.m); err != nil || !proto.Equal(to, c.m) || !proto.Equal(to, c.want) {
				t.Errorf("%s: %s: %v, %v, want %v", name, call.name, err, to, c.want)
			}
		}
	}
	list := &kinds.StdList{OfTimestamp: []*time.Time{nil}}
	if _, err := list.Marshal(); err == nil || !proto.Equal(list, proto.Clone(list)) {
		t.Errorf("a list with nil: %v", err)
	}
}

func ptr[T any](v T) *T { return &v }

// A number of a wider type is kept by the fast methods. Reflection refuses it if the field's type does not hold it.
func TestNumbersThatReflectionCannotShowAreRefused(t *testing.T) {
	for _, m := range []*kinds.CastWidth{{Wide: 1 << 40}, {Wide: -1 << 40}, {Wide: 1 << 31}, {Signed: -1}, {Signed: 1 << 32}, {List: []kinds.Wide{1, -1}}} {
		b, err := m.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		decoded := new(kinds.CastWidth)
		if err := decoded.Unmarshal(b); err != nil || !reflect.DeepEqual(decoded, m) {
			t.Errorf("%v is decoded to %v, %v", m, decoded, err)
		}
		var refused *value.RefusedError
		if _, err := value.MarshalJSON(m); !errors.As(err, &refused) {
			t.Errorf("MarshalJSON: %v", err)
		}
		if text := value.String(m); text[0] != '<' {
			t.Errorf("String: %s", text)
		}
		if !proto.Equal(m, decoded) || proto.Equal(m, new(kinds.CastWidth)) {
			t.Error("Equal is wrong")
		}
		if why := panicOf(func() { proto.Clone(m) }); why == "" {
			t.Error("Clone changes it")
		}
	}
	m := &kinds.CastWidth{Wide: -1 << 31, Signed: 1<<32 - 1, Narrow: -14, List: []kinds.Wide{1<<32 - 1}}
	if copied := proto.Clone(m); !reflect.DeepEqual(copied, m) {
		t.Errorf("the copy is %v", copied)
	}
}
