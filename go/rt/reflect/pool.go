package reflect

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/rt/pool"
)

// Pool makes messages of a pool's type readable through reflection; P is the pointer to the type. Generated code has
// one for each message.
type Pool[P poolMessage] struct{ Fields Fields }

// poolMessage is the interface that generated messages implement.
type poolMessage interface {
	comparable
	pool.Message
}

// Reflect returns m as a read-only message. It shows m itself: do not change m, or decode into it, while the result
// is in use. Reflect checks extensions; nothing else in m can be damaged. The descriptor is that of the linked stock
// package.
func (t Pool[P]) Reflect(m P) (proto.Message, error) { return t.ReflectWith(m, nil) }

// ReflectWith is Reflect with the caller's descriptors and types.
func (t Pool[P]) ReflectWith(m P, from *Resolver) (proto.Message, error) {
	if m == *new(P) {
		return root(t.Fields, nil, from)
	}
	return root(t.Fields, m, from)
}
