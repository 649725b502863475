package reflect

import (
	"iter"
	"maps"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Enum returns an enum's value.
func Enum[E ~int32](e E) protoreflect.Value {
	return protoreflect.ValueOfEnum(protoreflect.EnumNumber(e))
}

// List returns a list of values; value converts the elements.
func List[E any](f Field, elements []E, value func(E) protoreflect.Value) protoreflect.Value {
	return f.List(len(elements), func(i int) protoreflect.Value { return value(elements[i]) })
}

// List returns a list of n values.
func (f Field) List(n int, at func(i int) protoreflect.Value) protoreflect.Value {
	return protoreflect.ValueOfList(&list{f, n, at})
}

// list is a list that cannot be changed.
type list struct {
	field Field
	len   int
	at    func(int) protoreflect.Value
}

func (l *list) Len() int      { return l.len }
func (l *list) IsValid() bool { return true }

func (l *list) Get(i int) protoreflect.Value { return l.at(i) }

// NewElement returns a new element for a list of a stock message.
func (l *list) NewElement() protoreflect.Value {
	return l.field.new().List().NewElement()
}

func (l *list) Set(int, protoreflect.Value) { l.field.refuse("Set") }
func (l *list) Append(protoreflect.Value)   { l.field.refuse("Append") }
func (l *list) Truncate(int)                { l.field.refuse("Truncate") }
func (l *list) AppendMutable() (_ protoreflect.Value) {
	l.field.refuse("AppendMutable")
	return
}

// new returns a new value of the field for a stock message.
func (f *Field) new() protoreflect.Value { return f.zero.New().NewField(f.descriptor) }

func (f *Field) refuse(method string) { panic(readOnly(method, f.descriptor.FullName())) }

// Map returns a Go map as a value; value converts the map's values.
func Map[K comparable, V any](f Field, m map[K]V, value func(V) protoreflect.Value) protoreflect.Value {
	get := func(key K) (V, bool) {
		v, has := m[key]
		return v, has
	}
	return MapOf(f, len(m), get, maps.All(m), value)
}

// MapOf returns a map of another sort as a value.
func MapOf[K comparable, V any](f Field, n int, get func(K) (V, bool), all iter.Seq2[K, V], value func(V) protoreflect.Value) protoreflect.Value {
	return protoreflect.ValueOfMap(&mapping{f, n, func(key protoreflect.MapKey) (none protoreflect.Value, has bool) {
		if v, has := get(key.Interface().(K)); has {
			return value(v), true
		}
		return none, false
	}, func(yield func(protoreflect.MapKey, protoreflect.Value) bool) {
		for key, v := range all {
			if !yield(protoreflect.ValueOf(key).MapKey(), value(v)) {
				return
			}
		}
	}})
}

// mapping is a map that cannot be changed.
type mapping struct {
	field Field
	len   int
	get   func(protoreflect.MapKey) (protoreflect.Value, bool)
	all   func(func(protoreflect.MapKey, protoreflect.Value) bool)
}

func (m *mapping) Len() int      { return m.len }
func (m *mapping) IsValid() bool { return true }

func (m *mapping) Range(f func(protoreflect.MapKey, protoreflect.Value) bool) { m.all(f) }

func (m *mapping) Has(key protoreflect.MapKey) bool {
	_, has := m.get(key)
	return has
}

func (m *mapping) Get(key protoreflect.MapKey) protoreflect.Value {
	value, _ := m.get(key)
	return value
}

// NewValue returns a new value for a map of a stock message.
func (m *mapping) NewValue() protoreflect.Value { return m.field.new().Map().NewValue() }

func (m *mapping) Clear(protoreflect.MapKey)                   { m.field.refuse("Clear") }
func (m *mapping) Set(protoreflect.MapKey, protoreflect.Value) { m.field.refuse("Set") }
func (m *mapping) Mutable(protoreflect.MapKey) (_ protoreflect.Value) {
	m.field.refuse("Mutable")
	return
}
