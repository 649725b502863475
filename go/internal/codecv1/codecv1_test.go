package codecv1

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/wire"
)

// The tests of gogo/rt/fast and googlev1/rt/fast hold this package to the runtimes. The tests here need none.

// hot is a message with fast code: one byte, a field without contents.
type hot struct{ calls int }

func (h *hot) EncodeHot(e *codec.Encoder, i int) int {
	h.calls++
	return e.Raw(i, []byte{0x08, 0x01})
}
func (h *hot) SizeHot() int       { h.calls++; return 2 }
func (h *hot) MissingHot() string { h.calls++; return "path" }
func (h *hot) DecodeHot(d *codec.Decoder, b []byte, i, levels int) int {
	h.calls++
	return 0
}

func TestFastCodeIsReachedWithoutTheRuntime(t *testing.T) {
	var none Runtime // whose methods would panic
	m := new(hot)
	if n := Size(none, m); n != 2 {
		t.Errorf("Size: %d", n)
	}
	if path := Missing(none, m); path != "path" {
		t.Errorf("Missing: %q", path)
	}
	e := codec.Encoder{B: make([]byte, 8)}
	if i := Encode(none, &e, 8, m); i != 6 || e.B[6] != 0x08 || e.B[7] != 0x01 {
		t.Errorf("Encode: at %d, %x", i, e.B)
	}
	var d codec.Decoder
	Decode(none, &d, m, []byte{0}, 0, 5)
	if m.calls != 4 {
		t.Errorf("%d calls, not 4", m.calls)
	}
	if n := testing.AllocsPerRun(10, func() { Encode(none, &e, 8, m); Size(none, m) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// fake is a runtime that has one answer.
type fake struct {
	Runtime
	err     error
	members []reflect.Type
}

func (fake) Size(any) int                        { return 3 }
func (f fake) Marshal(any, bool) ([]byte, error) { return []byte("abc"), f.err }
func (f fake) Unmarshal(any, []byte) error       { return f.err }
func (f fake) Members(t reflect.Type) []reflect.Type {
	if t == reflect.TypeFor[outer]() {
		return f.members
	}
	return nil
}
func (fake) Ranges(any) [][2]int32 { return [][2]int32{{100, 199}} }

// byRuntime is a message that a runtime encodes.
type byRuntime struct{ runtime Runtime }

func (m *byRuntime) EncodeHot(e *codec.Encoder, i int) int {
	return EncodeByRuntime(m.runtime, e, i, m)
}
func (m *byRuntime) SizeHot() int                                           { return m.runtime.Size(m) }
func (*byRuntime) UnmarshalHotOptions([]byte, codec.UnmarshalOptions) error { return nil }

// refusal is an error with the methods that runtimes' errors have.
type refusal struct{ required bool }

func (refusal) Error() string          { return "what the runtime says" }
func (s refusal) RequiredNotSet() bool { return s.required }

type notText struct{ error }

func (notText) InvalidUTF8() bool { return true }

func TestErrorsOfTheRuntimeHaveCodes(t *testing.T) {
	plain := refusal{}
	for _, c := range []struct {
		err     error
		partial bool
		want    error // nil for a value that can be written
	}{
		{nil, false, nil},
		{refusal{required: true}, true, nil},
		{refusal{required: true}, false, wire.MissingRequired},
		{notText{errors.New("text")}, false, wire.InvalidUtf8},
		{plain, true, plain},
	} {
		_, err := codec.MarshalWith(nil, &byRuntime{runtime: fake{err: c.err}}, codec.MarshalOptions{AllowPartial: c.partial})
		if c.want == nil && err != nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%v: %v, not %v", c.err, err, c.want)
		}
	}
}

type inner struct {
	Name string `protobuf:"bytes,1,opt,name=name"`
}

func (*inner) Reset()         {}
func (*inner) String() string { return "" }
func (*inner) ProtoMessage()  {}

type outer struct {
	Text    string            `protobuf:"bytes,3,opt,name=text,def=a,packed,oneof"`
	Numbers []int32           `protobuf:"varint,2,rep,packed,name=numbers,proto3"`
	Self    *outer            `protobuf:"bytes,7,opt,name=self"`
	List    []*inner          `protobuf:"bytes,8,rep,name=list"`
	Map     map[string]*inner `protobuf:"bytes,9,rep,name=map" protobuf_key:"bytes,1,opt,name=key" protobuf_val:"bytes,2,opt,name=value"`

	XXX_unrecognized []byte
}

func (*outer) Reset()                  {}
func (*outer) String() string          { return "" }
func (*outer) ProtoMessage()           {}
func (*outer) XXX_MessageName() string { return "test.Outer" }

type member struct {
	Chosen *inner `protobuf:"group,4,opt,name=chosen,oneof"`
}

func TestStructsAreDescribedByTheirTags(t *testing.T) {
	d := Describe(fake{members: []reflect.Type{reflect.TypeFor[*member]()}}, (*outer)(nil))
	want := []string{
		"Numbers varint,2,rep,packed,proto3",
		"Text bytes,3,opt",
		"Chosen group,4,opt,oneof",
		"Self bytes,7,opt",
		"List bytes,8,rep",
		"Map bytes,9,rep bytes,1,opt bytes,2,opt",
		"extensions 100 200",
	}
	if d.Name != "test.Outer" || !slices.Equal(d.Lines, want) {
		t.Errorf("%s: %q", d.Name, d.Lines)
	}
}

func TestShapesAreThoseOfTheMessages(t *testing.T) {
	s := shapeOf(fake{members: []reflect.Type{reflect.TypeFor[*member]()}}, reflect.TypeFor[outer]())
	if len(s) != 4 || len(s[4]) != 0 || len(s[8]) != 0 || len(s[9]) != 1 || s[9][2] == nil || s[7] == nil {
		t.Fatalf("%v", s)
	}
	if reflect.ValueOf(s[7]).Pointer() != reflect.ValueOf(s).Pointer() {
		t.Error("a message that holds itself has two shapes")
	}
}

// A shape that cannot be built fails at each call, and no part of it stays: without the rest, no limit of nesting holds.
func TestAShapeThatCannotBeBuiltFailsAgain(t *testing.T) {
	type holder struct {
		Leaf *inner  `protobuf:"bytes,1,opt,name=leaf"`
		Self *nested `protobuf:"bytes,2,opt,name=self"`
	}
	wrong := broken{refused: reflect.TypeFor[nested]()}
	for range 2 {
		for _, typ := range []reflect.Type{reflect.TypeFor[holder](), reflect.TypeFor[nested]()} {
			func() {
				defer func() {
					if why := recover(); why != "no members" {
						t.Errorf("%v: %v", typ, why)
					}
				}()
				shapeOf(wrong, typ)
			}()
		}
	}
	if s := shapeOf(fake{}, reflect.TypeFor[holder]()); len(s) != 2 || s[1] == nil || len(s[2]) != 1 {
		t.Errorf("%v", s)
	}
}

type nested struct {
	Leaf *inner `protobuf:"bytes,1,opt,name=leaf"`
}

func (*nested) Reset()         {}
func (*nested) String() string { return "" }
func (*nested) ProtoMessage()  {}

// broken is a runtime that cannot say the members of a type.
type broken struct {
	fake
	refused reflect.Type
}

func (b broken) Members(t reflect.Type) []reflect.Type {
	if t == b.refused {
		panic("no members")
	}
	return nil
}
