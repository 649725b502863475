package codecv1

import (
	"maps"
	"reflect"
	"sync"

	"github.com/hotpb/hotpb/go/rt/codec"
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
	made := map[reflect.Type]codec.Shape{}
	built := shape(r, t, made)
	maps.Copy(shapes, made) // only now are all of them complete
	return built
}

func shape(r Runtime, t reflect.Type, made map[reflect.Type]codec.Shape) codec.Shape {
	if known, is := shapes[t]; is {
		return known
	}
	if open, is := made[t]; is { // it holds itself
		return open
	}
	built := codec.Shape{}
	made[t] = built
	for field := range fieldsOf(r, t) {
		_, number := tagLine(field.Tag.Get("protobuf"))
		addShape(r, built, number, field.Type, made)
	}
	return built
}

// messageType is proto.Message of either runtime.
var messageType = reflect.TypeFor[interface {
	Reset()
	String() string
	ProtoMessage()
}]()

// addShape adds a field to a shape, if it holds messages.
func addShape(r Runtime, to codec.Shape, number int, t reflect.Type, made map[reflect.Type]codec.Shape) {
	if t.Kind() == reflect.Map {
		entry := codec.Shape{}
		addShape(r, entry, 2, t.Elem(), made)
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
		to[uint32(number)] = shape(r, t, made)
	}
}
