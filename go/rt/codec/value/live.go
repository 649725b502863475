package value

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoiface"
)

// live is a message whose changes, and those of everything in it, are written to a place that does not store messages:
// changed does so.
type live struct {
	protoreflect.Message
	changed func()
}

func (l *live) Interface() protoreflect.ProtoMessage { return l }
func (l *live) ProtoReflect() protoreflect.Message   { return l }

// ProtoMethods merges all fields before the place is written, which may refuse a message with only some of them.
func (l *live) ProtoMethods() *protoiface.Methods { return &liveMethods }

var liveMethods = protoiface.Methods{
	Merge: func(in protoiface.MergeInput) protoiface.MergeOutput {
		l := in.Destination.(*live)
		proto.Merge(l.Message.Interface(), in.Source.Interface())
		l.changed()
		return protoiface.MergeOutput{Flags: protoiface.MergeComplete}
	},
}

func (l *live) Set(fd protoreflect.FieldDescriptor, value protoreflect.Value) {
	l.Message.Set(fd, stored(value))
	l.changed()
}

func (l *live) Clear(fd protoreflect.FieldDescriptor) {
	l.Message.Clear(fd)
	l.changed()
}

func (l *live) SetUnknown(b protoreflect.RawFields) {
	l.Message.SetUnknown(b)
	l.changed()
}

func (l *live) Mutable(fd protoreflect.FieldDescriptor) protoreflect.Value {
	had := l.Message.Has(fd)
	value := l.Message.Mutable(fd)
	if !had && l.Message.Has(fd) { // an empty message
		l.changed()
	}
	return liveValue(fd, value, l.changed)
}

// liveValue is the mutable value of a field of a live message.
func liveValue(fd protoreflect.FieldDescriptor, value protoreflect.Value, changed func()) protoreflect.Value {
	switch {
	case fd.IsMap():
		return protoreflect.ValueOfMap(&liveMap{value.Map(), changed})
	case fd.IsList():
		return protoreflect.ValueOfList(&liveList{value.List(), changed})
	}
	return protoreflect.ValueOfMessage(&live{value.Message(), changed})
}

// stored is a value without what makes it live: a message accepts only its own lists and maps.
func stored(value protoreflect.Value) protoreflect.Value {
	switch wrapped := value.Interface().(type) {
	case *live:
		return protoreflect.ValueOfMessage(wrapped.Message)
	case *liveList:
		return protoreflect.ValueOfList(wrapped.List)
	case *liveMap:
		return protoreflect.ValueOfMap(wrapped.Map)
	}
	return value
}

// liveList is a list in a live message.
type liveList struct {
	protoreflect.List
	changed func()
}

func (l *liveList) Set(i int, value protoreflect.Value) {
	l.List.Set(i, stored(value))
	l.changed()
}

func (l *liveList) Append(value protoreflect.Value) {
	l.List.Append(stored(value))
	l.changed()
}

func (l *liveList) AppendMutable() protoreflect.Value {
	value := l.List.AppendMutable()
	l.changed()
	return protoreflect.ValueOfMessage(&live{value.Message(), l.changed})
}

func (l *liveList) Truncate(n int) {
	l.List.Truncate(n)
	l.changed()
}

// liveMap is a map in a live message.
type liveMap struct {
	protoreflect.Map
	changed func()
}

func (m *liveMap) Set(key protoreflect.MapKey, value protoreflect.Value) {
	m.Map.Set(key, stored(value))
	m.changed()
}

func (m *liveMap) Clear(key protoreflect.MapKey) {
	m.Map.Clear(key)
	m.changed()
}

func (m *liveMap) Mutable(key protoreflect.MapKey) protoreflect.Value {
	had := m.Map.Has(key)
	value := m.Map.Mutable(key)
	if !had {
		m.changed()
	}
	return protoreflect.ValueOfMessage(&live{value.Message(), m.changed})
}
