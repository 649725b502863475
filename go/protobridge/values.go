package protobridge

import (
	"iter"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Enum is an enum's value.
func Enum[E ~int32](e E) protoreflect.Value {
	return protoreflect.ValueOfEnum(protoreflect.EnumNumber(e))
}

// List makes a list of values; value makes the elements.
func List[E any](f Field, elements []E, value func(E) protoreflect.Value) protoreflect.Value {
	return protoreflect.ValueOfList(&list{f, len(elements), func(i int) protoreflect.Value { return value(elements[i]) }})
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

// NewElement makes an element for a list of a stock message.
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

// new makes a value of the field for a stock message.
func (f *Field) new() protoreflect.Value { return f.zero.New().NewField(f.descriptor) }

func (f *Field) refuse(method string) { panic(readOnly(method, f.descriptor.FullName())) }

// Entries are those of a map: Go's own, and the sorted ones of package pool.
type Entries[K comparable, V any] interface {
	Len() int
	Get(K) (V, bool)
	All() iter.Seq2[K, V]
}

// GoMap is a Go map as Entries.
type GoMap[K comparable, V any] map[K]V

// Len is the number of entries.
func (m GoMap[K, V]) Len() int { return len(m) }

// Get gives the value of a key, and whether there is one.
func (m GoMap[K, V]) Get(key K) (V, bool) {
	v, has := m[key]
	return v, has
}

// All iterates in Go's order.
func (m GoMap[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for key, value := range m {
			if !yield(key, value) {
				return
			}
		}
	}
}

// Map makes a map of Go's; value makes the values.
func Map[K comparable, V any](f Field, m map[K]V, value func(V) protoreflect.Value) protoreflect.Value {
	return MapOf(f, GoMap[K, V](m), value)
}

// MapOf makes a map.
func MapOf[K comparable, V any](f Field, entries Entries[K, V], value func(V) protoreflect.Value) protoreflect.Value {
	return protoreflect.ValueOfMap(&mapping[K, V]{f, entries, value})
}

// mapping is a map that cannot be changed.
type mapping[K comparable, V any] struct {
	field   Field
	entries Entries[K, V]
	value   func(V) protoreflect.Value
}

func (m *mapping[K, V]) Len() int      { return m.entries.Len() }
func (m *mapping[K, V]) IsValid() bool { return true }

func (m *mapping[K, V]) Range(f func(protoreflect.MapKey, protoreflect.Value) bool) {
	for key, value := range m.entries.All() {
		if !f(protoreflect.ValueOf(key).MapKey(), m.value(value)) {
			return
		}
	}
}

func (m *mapping[K, V]) Has(key protoreflect.MapKey) bool {
	_, has := m.entries.Get(key.Interface().(K))
	return has
}

func (m *mapping[K, V]) Get(key protoreflect.MapKey) (_ protoreflect.Value) {
	if value, has := m.entries.Get(key.Interface().(K)); has {
		return m.value(value)
	}
	return
}

// NewValue makes a value for a map of a stock message.
func (m *mapping[K, V]) NewValue() protoreflect.Value { return m.field.new().Map().NewValue() }

func (m *mapping[K, V]) Clear(protoreflect.MapKey)                   { m.field.refuse("Clear") }
func (m *mapping[K, V]) Set(protoreflect.MapKey, protoreflect.Value) { m.field.refuse("Set") }
func (m *mapping[K, V]) Mutable(protoreflect.MapKey) (_ protoreflect.Value) {
	m.field.refuse("Mutable")
	return
}
