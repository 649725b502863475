package value

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// list is a repeated field; v is the slice in the struct, invalid for one that can only be read.
type list struct {
	f *field
	v reflect.Value
}

func (l *list) IsValid() bool { return l.v.IsValid() && l.v.CanSet() }

func (l *list) Len() int {
	if !l.v.IsValid() {
		return 0
	}
	return l.v.Len()
}

func (l *list) Get(i int) protoreflect.Value {
	v := l.v.Index(i)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return l.f.element.zero()
	}
	return l.f.element.get(pointed(v))
}

func (l *list) Set(i int, value protoreflect.Value) { l.f.store(l.v.Index(i), value) }

// store sets a variable that may be a pointer.
func (f *field) store(v reflect.Value, value protoreflect.Value) {
	if v.Kind() != reflect.Pointer {
		f.element.set(v, value)
	} else if !f.element.share(v, value) {
		fresh := reflect.New(v.Type().Elem())
		f.element.set(fresh.Elem(), value)
		v.Set(fresh)
	}
}

func (l *list) Append(value protoreflect.Value) {
	element := reflect.New(l.v.Type().Elem()).Elem()
	l.f.store(element, value)
	l.v.Set(reflect.Append(l.v, element))
}

func (l *list) AppendMutable() protoreflect.Value {
	if l.f.fd.Message() == nil {
		panic(fmt.Sprintf("hotpb: %s has no mutable elements", l.f.fd.FullName()))
	}
	l.v.Set(reflect.Append(l.v, reflect.Zero(l.v.Type().Elem())))
	return l.f.element.mutable(place(l.v.Index(l.v.Len() - 1)))
}

// Truncate shortens the list, and clears what it leaves out.
func (l *list) Truncate(n int) {
	l.v.Slice(n, l.v.Len()).Clear()
	l.v.SetLen(n)
}

func (l *list) NewElement() protoreflect.Value {
	if l.f.fd.Message() != nil {
		return l.f.element.fresh()
	}
	return zeroOf(l.f.fd)
}

// zeroOf is the zero value of an element that is not a message.
func zeroOf(fd protoreflect.FieldDescriptor) protoreflect.Value {
	if fd.Kind() == protoreflect.EnumKind {
		return protoreflect.ValueOfEnum(fd.Enum().Values().Get(0).Number())
	}
	return protoreflect.ValueOf(reflect.Zero(baseTypes[fd.Kind()]).Interface())
}

// mapping is a map field; v is the map in the struct.
type mapping struct {
	f *field
	v reflect.Value
}

func (m *mapping) IsValid() bool { return m.v.IsValid() && !m.v.IsNil() }

func (m *mapping) Len() int {
	if !m.v.IsValid() {
		return 0
	}
	return m.v.Len()
}

func (m *mapping) key(key protoreflect.MapKey) reflect.Value {
	v := reflect.New(m.v.Type().Key()).Elem()
	m.f.key.set(v, key.Value())
	return v
}

func (m *mapping) Range(each func(protoreflect.MapKey, protoreflect.Value) bool) {
	if !m.v.IsValid() {
		return
	}
	for entries := m.v.MapRange(); entries.Next(); {
		if !each(m.f.key.get(entries.Key()).MapKey(), m.read(entries.Value())) {
			return
		}
	}
}

func (m *mapping) read(v reflect.Value) protoreflect.Value {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return m.f.element.zero()
	}
	return m.f.element.get(pointed(v))
}

func (m *mapping) Has(key protoreflect.MapKey) bool {
	return m.v.IsValid() && m.v.MapIndex(m.key(key)).IsValid()
}

func (m *mapping) Get(key protoreflect.MapKey) protoreflect.Value {
	if !m.Has(key) {
		return protoreflect.Value{}
	}
	return m.read(m.v.MapIndex(m.key(key)))
}

func (m *mapping) Set(key protoreflect.MapKey, value protoreflect.Value) {
	v := reflect.New(m.v.Type().Elem()).Elem()
	m.f.store(v, value)
	m.v.SetMapIndex(m.key(key), v)
}

func (m *mapping) Clear(key protoreflect.MapKey) {
	if m.v.IsValid() {
		m.v.SetMapIndex(m.key(key), reflect.Value{})
	}
}

// Mutable returns a message that changes the value. A value in place of a pointer is stored again at each change.
func (m *mapping) Mutable(key protoreflect.MapKey) protoreflect.Value {
	if m.f.fd.MapValue().Message() == nil {
		panic(fmt.Sprintf("hotpb: %s has no mutable values", m.f.fd.FullName()))
	}
	at, v := m.key(key), reflect.New(m.v.Type().Elem()).Elem()
	if had := m.v.MapIndex(at); had.IsValid() {
		v.Set(had)
	}
	element := m.f.element.mutable(place(v))
	m.v.SetMapIndex(at, v)
	if v.Kind() == reflect.Pointer {
		return element
	}
	return protoreflect.ValueOfMessage(&live{element.Message(), func() { m.v.SetMapIndex(at, v) }})
}

func (m *mapping) NewValue() protoreflect.Value {
	if m.f.fd.MapValue().Message() != nil {
		return m.f.element.fresh()
	}
	return zeroOf(m.f.fd.MapValue())
}
