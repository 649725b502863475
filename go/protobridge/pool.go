package protobridge

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/pool"
)

// Pool makes messages of the pool type T readable through reflection, and
// converts them. Generated code has one for each message.
type Pool[F Fields[T], T any, P poolMessage[T]] struct{ fields F }

// poolMessage is what generated messages have.
type poolMessage[T any] interface {
	*T
	pool.Message
}

// Reflect gives m as a read-only message. It shows m as it is: m must not be
// changed, or decoded into, while it is in use. Extensions are checked first; nothing else in m can be damaged.
// The descriptor is that of the linked stock package.
func (t Pool[F, T, P]) Reflect(m P) (proto.Message, error) { return t.ReflectWith(m, nil) }

// ReflectWith is Reflect with descriptors and types of the caller's.
func (t Pool[F, T, P]) ReflectWith(m P, from *Resolver) (proto.Message, error) {
	return root(t, (*T)(m), from)
}

// Schema, Has and Get are those of the generated code.
func (t Pool[F, T, P]) Schema() Schema { return t.fields.Schema() }
func (t Pool[F, T, P]) Has(m *T, number protoreflect.FieldNumber) bool {
	return t.fields.Has(m, number)
}
func (t Pool[F, T, P]) Get(f Field, m *T) protoreflect.Value { return t.fields.Get(f, m) }

func (t Pool[F, T, P]) keeps() bool { return false }

func (t Pool[F, T, P]) unknown(m *T) []byte { return P(m).HiddenHot().AppendUnknown(nil) }

// Value is a nested message, for generated code.
func (t Pool[F, T, P]) Value(f Field, m *T) protoreflect.Value { return child(t, m, f) }

// Values gives what makes the values of a map, for generated code.
func (t Pool[F, T, P]) Values(f Field) func(*T) protoreflect.Value {
	return func(m *T) protoreflect.Value { return child(t, m, f) }
}

// List makes a list of nested messages, for generated code.
func (t Pool[F, T, P]) List(f Field, elements []T) protoreflect.Value {
	return protoreflect.ValueOfList(&list{f, len(elements), func(i int) protoreflect.Value { return child(t, &elements[i], f) }})
}
