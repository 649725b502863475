package hotpb_test

import (
	"reflect"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	hotpb "github.com/hotpb/hotpb/go"
)

// callback is a runtime that calls a function when it is asked for an extension's number.
type callback struct {
	toy
	do func()
}

func (r callback) ExtensionNumber(any) (int32, bool) { r.do(); return 0, false }

// A runtime that is registered while others are being asked does not change which ones are asked; run with -race,
// too.
func TestRegisteringLeavesTheRuntimesThatAreBeingAskedAlone(t *testing.T) {
	later := toy{name: "b/second"}
	before, after := 0, 0
	hotpb.RegisterRuntime(callback{later, func() { before++ }})
	hotpb.RegisterRuntime(callback{toy{name: "a/first"}, func() {
		hotpb.RegisterRuntime(callback{later, func() { after++ }})
	}})
	defer hotpb.RegisterRuntime(toy{name: "a/first"})
	defer hotpb.RegisterRuntime(later)
	if _, err := hotpb.ExtensionFieldNumber(3); err == nil || before != 1 || after != 0 {
		t.Errorf("%v, asked: %d, the one that came meanwhile: %d", err, before, after)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 100 {
			hotpb.RegisterRuntime(callback{later, func() {}})
		}
	}()
	for range 100 {
		hotpb.ExtensionFieldNumber(3)
	}
	<-done
}

// inner and outer are handwritten messages; outer encodes inner.
type (
	inner byHand
	outer struct{ In inner }
)

func (*inner) Reset()         {}
func (*inner) String() string { return "" }
func (*inner) ProtoMessage()  {}
func (*outer) Reset()         {}
func (*outer) String() string { return "" }
func (*outer) ProtoMessage()  {}
func (m *outer) Size() int    { return hotpb.Size(&m.In) }
func (m *outer) Marshal() ([]byte, error) {
	return hotpb.MarshalAppend(make([]byte, 0, hotpb.Size(m)), &m.In)
}

// A type's own methods may call the package, for types it has not seen yet and for the type itself.
func TestMethodsMayCallThePackageThatFindsThem(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		m := &outer{inner{Name: "n"}}
		if b, err := hotpb.Marshal(m); err != nil || string(b) != "\x0a\x01n" {
			t.Errorf("%q, %v", b, err)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("waits for itself")
	}
}

// registrar is a runtime that registers another one when it is asked for a type.
type registrar struct {
	toy
	sibling toy
}

func (r registrar) Knows(msg any) bool {
	if reflect.TypeOf(msg) == r.sibling.knows {
		hotpb.RegisterRuntime(r)
		hotpb.RegisterRuntime(r.sibling)
	}
	return false
}

type late struct{ X int }

func TestARuntimeRegisteredMeanwhileIsAsked(t *testing.T) {
	latecomer := toy{name: "a/first", knows: reflect.TypeOf(&late{})}
	hotpb.RegisterRuntime(registrar{toy{name: "b/second"}, latecomer})
	defer hotpb.RegisterRuntime(toy{name: "a/first"})
	defer hotpb.RegisterRuntime(toy{name: "b/second"})
	if b, err := hotpb.Marshal(&late{}); err != nil || string(b) != "a/first" {
		t.Errorf("%s, %v", b, err)
	}
}

// unreflected is a message with methods of vtprotobuf's, and without a reflection as long as broken is set.
type unreflected struct{ *structpb.Value }

var broken = true

func (m unreflected) ProtoReflect() protoreflect.Message {
	if broken {
		panic("no reflection")
	}
	return m.Value.ProtoReflect()
}
func (unreflected) SizeVT() int                                { return 1 }
func (unreflected) MarshalVT() ([]byte, error)                 { return []byte("v"), nil }
func (unreflected) MarshalToSizedBufferVT([]byte) (int, error) { return 1, nil }
func (unreflected) UnmarshalVT([]byte) error                   { return nil }

// A property of a type that cannot be determined is asked for at each call.
func TestATypeThatCannotBeEnteredFailsAgain(t *testing.T) {
	m := unreflected{structpb.NewStringValue("x")}
	for range 2 {
		for name, call := range map[string]func(){
			"Marshal":   func() { _, _ = hotpb.Marshal(m) },
			"Size":      func() { hotpb.Size(m) },
			"Unmarshal": func() { _ = hotpb.Unmarshal(nil, m) },
		} {
			func() {
				defer func() {
					if why := recover(); why != "no reflection" {
						t.Errorf("%s: %v", name, why)
					}
				}()
				call()
			}()
		}
	}
	broken = false
	if b, err := hotpb.Marshal(m); err != nil || string(b) != "v" {
		t.Errorf("%q, %v", b, err)
	}
}
