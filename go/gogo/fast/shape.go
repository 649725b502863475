package fast

import (
	"reflect"
	"sync"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
)

// The runtime has no limit of nesting: an input of a few megabytes makes it overflow the stack, which ends the program.
// So what is handed over to it is looked at before.
var (
	shaping sync.Mutex
	shapes  = map[reflect.Type]codec.Shape{}
)

// shapeOf gives the shape of the messages of a struct type.
func shapeOf(t reflect.Type) codec.Shape {
	shaping.Lock()
	defer shaping.Unlock()
	return shape(t)
}

func shape(t reflect.Type) codec.Shape {
	if known, is := shapes[t]; is {
		return known
	}
	made := codec.Shape{}
	shapes[t] = made // for those that hold themselves
	fields := proto.GetProperties(t)
	for i, field := range fields.Prop {
		addShape(made, field.Tag, t.Field(i).Type)
	}
	for _, member := range fields.OneofTypes {
		addShape(made, member.Prop.Tag, member.Type.Elem().Field(0).Type)
	}
	return made
}

var messageType = reflect.TypeFor[proto.Message]()

// addShape adds a field to a shape, if it holds messages.
func addShape(to codec.Shape, number int, t reflect.Type) {
	if t.Kind() == reflect.Map {
		entry := codec.Shape{}
		addShape(entry, 2, t.Elem())
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
		to[uint32(number)] = shape(t)
	}
}
