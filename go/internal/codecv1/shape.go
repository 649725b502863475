package codecv1

import (
	"reflect"
	"sync"

	"github.com/hotpb/hotpb/go/codec"
)

// The runtimes have no limit of nesting: an input of a few megabytes makes them overflow the stack, which ends the program.
// So the codec checks a message before it hands it over to them.
var (
	shaping sync.Mutex
	shapes  = map[reflect.Type]codec.Shape{}
)

// shapeOf is the shape of the messages of a struct type.
func shapeOf(r Runtime, t reflect.Type) codec.Shape {
	shaping.Lock()
	defer shaping.Unlock()
	return shape(r, t)
}

func shape(r Runtime, t reflect.Type) codec.Shape {
	if known, is := shapes[t]; is {
		return known
	}
	made := codec.Shape{}
	shapes[t] = made // for those that hold themselves
	for field := range fieldsOf(r, t) {
		_, number := tagLine(field.Tag.Get("protobuf"))
		addShape(r, made, number, field.Type)
	}
	return made
}

// messageType is proto.Message of either runtime.
var messageType = reflect.TypeFor[interface {
	Reset()
	String() string
	ProtoMessage()
}]()

// addShape adds a field to a shape, if it holds messages.
func addShape(r Runtime, to codec.Shape, number int, t reflect.Type) {
	if t.Kind() == reflect.Map {
		entry := codec.Shape{}
		addShape(r, entry, 2, t.Elem())
		to[uint32(number)] = entry
		return
	}
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(messageType) {
		to[uint32(number)] = shape(r, t)
	}
}
