package protobridge

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/pool"
)

// Pool makes messages of a pool's type readable through reflection, P being the pointer to it.
// Generated code has one for each message.
type Pool[P poolMessage] struct{ Fields Fields }

// poolMessage is what generated messages have.
type poolMessage interface {
	comparable
	pool.Message
}

// Reflect gives m as a read-only message. It shows m as it is: m must not be
// changed, or decoded into, while it is in use. Extensions are checked first; nothing else in m can be damaged.
// The descriptor is that of the linked stock package.
func (t Pool[P]) Reflect(m P) (proto.Message, error) { return t.ReflectWith(m, nil) }

// ReflectWith is Reflect with descriptors and types of the caller's.
func (t Pool[P]) ReflectWith(m P, from *Resolver) (proto.Message, error) {
	if m == *new(P) {
		return root(t.Fields, nil, from)
	}
	return root(t.Fields, m, from)
}
