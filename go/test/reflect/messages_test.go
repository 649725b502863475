package reflect_test

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_2023"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_2024"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	p3reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot/vectorshotreflect"
	e23 "github.com/hotpb/hotpb/go/internal/testgen/vectors_2023/vectors_2023hot"
	e23reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors_2023/vectors_2023hot/vectors_2023hotreflect"
	e24 "github.com/hotpb/hotpb/go/internal/testgen/vectors_2024/vectors_2024hot"
	e24reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors_2024/vectors_2024hot/vectors_2024hotreflect"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	p2reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot/vectors_proto2hotreflect"
	"github.com/hotpb/hotpb/go/pool"
	protobridge "github.com/hotpb/hotpb/go/rt/reflect"
	"github.com/hotpb/hotpb/go/wire"
)

// face decodes bytes and returns the message through the bridge. A nil resolver means the linked one.
type face func(b []byte, o wire.Options, from *protobridge.Resolver) (proto.Message, error)

// faces are the ways to read one message.
type faces struct {
	pool, view face
	// canonical returns the pool's re-encoding.
	canonical func(b []byte, o wire.Options) ([]byte, error)
	// convert converts the pool's message into dst, and returns the pool's re-encoding of dst converted back.
	convert func(b []byte, o wire.Options, dst proto.Message) ([]byte, error)
}

type poolMessage interface {
	comparable
	pool.Message
	AppendCanonicalHot([]byte) ([]byte, error)
}

type viewMessage interface {
	comparable
	protobridge.ViewMessage
	DecodeWith([]byte, wire.Options) error
}

func newFaces[P poolMessage, V viewMessage](p protobridge.Pool[P], newPool func() P, v protobridge.View[V], newView func() V) faces {
	decode := func(b []byte, o wire.Options) (P, error) {
		m := newPool()
		err := pool.Unmarshal(m, b, pool.Options{Strict: o.Strict, MaxDepth: o.MaxDepth, MaxSize: o.MaxSize, AllowPartial: true})
		return m, err
	}
	return faces{
		pool: func(b []byte, o wire.Options, from *protobridge.Resolver) (proto.Message, error) {
			m, err := decode(b, o)
			if err != nil {
				return nil, err
			}
			return p.ReflectWith(m, from)
		},
		view: func(b []byte, o wire.Options, from *protobridge.Resolver) (proto.Message, error) {
			m := newView()
			if err := m.DecodeWith(b, o); err != nil {
				return nil, err
			}
			return v.ReflectWith(m, from)
		},
		canonical: func(b []byte, o wire.Options) ([]byte, error) {
			m, err := decode(b, o)
			if err != nil {
				return nil, err
			}
			return m.AppendCanonicalHot(nil)
		},
		convert: func(b []byte, o wire.Options, dst proto.Message) ([]byte, error) {
			m, err := decode(b, o)
			if err != nil {
				return nil, err
			}
			if err := p.ToProto(dst, m); err != nil {
				return nil, err
			}
			reencoded := newPool()
			if err := p.FromProtoWith(reencoded, dst, pool.Options{Mode: pool.Alias, MaxDepth: 1000, AllowPartial: true}); err != nil {
				return nil, err
			}
			return reencoded.AppendCanonicalHot(nil)
		},
	}
}

func made[T any]() *T { return new(T) }

var messages = map[string]faces{
	"hotpb.vectors.p3.All":         newFaces(p3reflect.All, made[p3.All], p3reflect.AllView, made[p3.AllView]),
	"hotpb.vectors.p3.Empty":       newFaces(p3reflect.Empty, made[p3.Empty], p3reflect.EmptyView, made[p3.EmptyView]),
	"hotpb.vectors.p3.Numbers":     newFaces(p3reflect.Numbers, made[p3.Numbers], p3reflect.NumbersView, made[p3.NumbersView]),
	"hotpb.vectors.p2.All":         newFaces(p2reflect.All, made[p2.All], p2reflect.AllView, made[p2.AllView]),
	"hotpb.vectors.p2.Empty":       newFaces(p2reflect.Empty, made[p2.Empty], p2reflect.EmptyView, made[p2.EmptyView]),
	"hotpb.vectors.p2.Numbers":     newFaces(p2reflect.Numbers, made[p2.Numbers], p2reflect.NumbersView, made[p2.NumbersView]),
	"hotpb.vectors.p2.Needs":       newFaces(p2reflect.Needs, made[p2.Needs], p2reflect.NeedsView, made[p2.NeedsView]),
	"hotpb.vectors.p2.Must":        newFaces(p2reflect.Must, made[p2.Must], p2reflect.MustView, made[p2.MustView]),
	"hotpb.vectors.p2.MustAll":     newFaces(p2reflect.MustAll, made[p2.MustAll], p2reflect.MustAllView, made[p2.MustAllView]),
	"hotpb.vectors.p2.MessageSet":  newFaces(p2reflect.MessageSet, made[p2.MessageSet], p2reflect.MessageSetView, made[p2.MessageSetView]),
	"hotpb.vectors.e23.All":        newFaces(e23reflect.All, made[e23.All], e23reflect.AllView, made[e23.AllView]),
	"hotpb.vectors.e23.Empty":      newFaces(e23reflect.Empty, made[e23.Empty], e23reflect.EmptyView, made[e23.EmptyView]),
	"hotpb.vectors.e23.Numbers":    newFaces(e23reflect.Numbers, made[e23.Numbers], e23reflect.NumbersView, made[e23.NumbersView]),
	"hotpb.vectors.e23.Needs":      newFaces(e23reflect.Needs, made[e23.Needs], e23reflect.NeedsView, made[e23.NeedsView]),
	"hotpb.vectors.e23.Must":       newFaces(e23reflect.Must, made[e23.Must], e23reflect.MustView, made[e23.MustView]),
	"hotpb.vectors.e23.MustAll":    newFaces(e23reflect.MustAll, made[e23.MustAll], e23reflect.MustAllView, made[e23.MustAllView]),
	"hotpb.vectors.e23.MessageSet": newFaces(e23reflect.MessageSet, made[e23.MessageSet], e23reflect.MessageSetView, made[e23.MessageSetView]),
	"hotpb.vectors.e24.All":        newFaces(e24reflect.All, made[e24.All], e24reflect.AllView, made[e24.AllView]),
	"hotpb.vectors.e24.Empty":      newFaces(e24reflect.Empty, made[e24.Empty], e24reflect.EmptyView, made[e24.EmptyView]),
	"hotpb.vectors.e24.Numbers":    newFaces(e24reflect.Numbers, made[e24.Numbers], e24reflect.NumbersView, made[e24.NumbersView]),
	"hotpb.vectors.e24.Needs":      newFaces(e24reflect.Needs, made[e24.Needs], e24reflect.NeedsView, made[e24.NeedsView]),
	"hotpb.vectors.e24.Must":       newFaces(e24reflect.Must, made[e24.Must], e24reflect.MustView, made[e24.MustView]),
	"hotpb.vectors.e24.MustAll":    newFaces(e24reflect.MustAll, made[e24.MustAll], e24reflect.MustAllView, made[e24.MustAllView]),
	"hotpb.vectors.e24.MessageSet": newFaces(e24reflect.MessageSet, made[e24.MessageSet], e24reflect.MessageSetView, made[e24.MessageSetView]),
}

func facesOf(t testing.TB, name string) faces {
	t.Helper()
	f, has := messages[name]
	if !has {
		t.Fatalf("the tests have no code for %s", name)
	}
	return f
}

// stockType returns the type of the stock runtime.
func stockType(t testing.TB, name string) protoreflect.MessageType {
	t.Helper()
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		t.Fatal(err)
	}
	return kind
}
