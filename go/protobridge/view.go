package protobridge

import (
	"iter"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/view"
)

// View makes messages of the view type T readable through reflection. Generated
// code has one for each view.
type View[F Fields[T], T any, P viewMessage[T]] struct{ fields F }

// viewMessage is what generated views have.
type viewMessage[T any] interface {
	*T
	Validate() error
	OpenMessage(view.Message) error
	UnknownFields() view.UnknownFields
}

// Reflect gives m, which was decoded, as a read-only message. The whole tree is checked first, as Validate does,
// and so are extensions: no message in it can fail afterwards. m's bytes stay borrowed.
// The descriptor is that of the linked stock package.
func (t View[F, T, P]) Reflect(m P) (proto.Message, error) { return t.ReflectWith(m, nil) }

// ReflectWith is Reflect with descriptors and types of the caller's.
func (t View[F, T, P]) ReflectWith(m P, from *Resolver) (proto.Message, error) {
	if m != nil {
		if err := m.Validate(); err != nil {
			return nil, err
		}
	}
	return root(t, (*T)(m), from)
}

// Schema, Has and Get are those of the generated code.
func (t View[F, T, P]) Schema() Schema { return t.fields.Schema() }
func (t View[F, T, P]) Has(m *T, number protoreflect.FieldNumber) bool {
	return t.fields.Has(m, number)
}
func (t View[F, T, P]) Get(f Field, m *T) protoreflect.Value { return t.fields.Get(f, m) }

func (t View[F, T, P]) keeps() bool { return true }

func (t View[F, T, P]) unknown(m *T) (b []byte) {
	for it := P(m).UnknownFields(); it.Next(); {
		b = it.Field().Append(b)
	}
	return b
}

// Open opens a nested message, for generated code.
func (t View[F, T, P]) Open(f Field, m view.Message) protoreflect.Value {
	v := new(T)
	// The tree was checked: this fails only when the bytes were changed since, and then v is empty.
	_ = P(v).OpenMessage(m)
	return child(t, v, f)
}

// List makes a list of nested messages, for generated code. They are opened when they are got.
func (t View[F, T, P]) List(f Field, n int, it view.Messages) protoreflect.Value {
	elements := make([]view.Message, 0, n)
	for it.Next() {
		elements = append(elements, it.Message())
	}
	return List(f, elements, func(m view.Message) protoreflect.Value { return t.Open(f, m) })
}

// Opens gives what opens the values of a map, for generated code.
func (t View[F, T, P]) Opens(f Field) func(view.Message) protoreflect.Value {
	return func(m view.Message) protoreflect.Value { return t.Open(f, m) }
}

// Collect keeps the n elements of a repeated field, for generated code: at an index a view would walk over
// what stands before.
func Collect[E any](n int, elements iter.Seq[E]) []E {
	return slices.AppendSeq(make([]E, 0, n), elements)
}

// CollectMap keeps the entries of a map, of those with one key the last.
func CollectMap[K comparable, V any](entries iter.Seq2[K, V]) map[K]V {
	m := make(map[K]V) // not of the size that the input says: all its entries may have one key
	for key, value := range entries {
		m[key] = value
	}
	return m
}
