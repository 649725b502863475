package reflect

import (
	"iter"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/rt/view"
)

// View makes views of a type readable through reflection; P is the pointer to the type. Generated code has one for
// each view.
type View[P interface {
	comparable
	ViewMessage
}] struct{ Fields Fields }

// ViewMessage is the interface that generated views implement.
type ViewMessage interface {
	Validate() error
	OpenMessage(view.Message) error
	UnknownFields() view.UnknownFields
}

// Reflect returns m, a decoded view, as a read-only message. It first checks the whole tree, as Validate does, and
// extensions: no message in it can fail afterwards. m's bytes stay borrowed. The descriptor is that of the linked
// stock package.
func (t View[P]) Reflect(m P) (proto.Message, error) { return t.ReflectWith(m, nil) }

// ReflectWith is Reflect with the caller's descriptors and types.
func (t View[P]) ReflectWith(m P, from *Resolver) (proto.Message, error) {
	if m == *new(P) {
		return root(t.Fields, nil, from)
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return root(t.Fields, m, from)
}

// Open opens a nested message as v, for generated code.
func (f Field) Open(fields Fields, v ViewMessage, m view.Message) protoreflect.Value {
	// The tree was checked: this fails only if the bytes have changed since, and then v is empty.
	_ = v.OpenMessage(m)
	return f.Message(fields, v)
}

// Unopened keeps the n elements of a repeated message field, for generated code. They are opened when they are read,
// because a view is many times as large as the shortest message.
func Unopened(n int, messages view.Messages) []view.Message {
	return Collect(n, messages.All())
}

// Collect keeps the n elements of a repeated field, for generated code: to read an index a view would walk over all
// preceding elements.
func Collect[E any](n int, elements iter.Seq[E]) []E {
	return slices.AppendSeq(make([]E, 0, n), elements)
}

// CollectMap keeps the entries of a map; of several with the same key, the last one.
func CollectMap[K comparable, V any](entries iter.Seq2[K, V]) map[K]V {
	m := make(map[K]V) // not of the size that the input claims: all its entries may have one key
	for key, value := range entries {
		m[key] = value
	}
	return m
}
