package reflect_test

import (
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	p3reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot/vectorshotreflect"
	"github.com/hotpb/hotpb/go/pool"
	protobridge "github.com/hotpb/hotpb/go/view/reflect"
)

// Whoever sees that a message is bound can look into it, even while another goroutine binds it.
func TestMessagesAreBoundTogetherWithThoseInThem(t *testing.T) {
	messages := make([]*p3.All, 8)
	for i := range messages {
		messages[i] = new(p3.All)
		if err := pool.Unmarshal(messages[i], full(t, "hotpb.vectors.p3.All"), pool.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 {
		from := protobridge.NewResolver(protoregistry.GlobalFiles, protoregistry.GlobalTypes)
		var group sync.WaitGroup
		for _, m := range messages {
			group.Add(1)
			go func() {
				defer group.Done()
				defer func() {
					if why := recover(); why != nil {
						t.Error(why)
					}
				}()
				r, err := p3reflect.All.ReflectWith(m, from)
				if err != nil {
					t.Error(err)
					return
				}
				all := r.ProtoReflect()
				child := all.Get(all.Descriptor().Fields().ByName("single_child")).Message()
				if !child.Has(child.Descriptor().Fields().ByName("name")) {
					t.Error("the child has no name")
				}
			}()
		}
		group.Wait()
		if t.Failed() {
			break
		}
	}
}

// brokenTypes panics when it is asked for a message.
type brokenTypes struct {
	protobridge.Types
	broken *bool
}

func (b brokenTypes) FindMessageByName(name protoreflect.FullName) (protoreflect.MessageType, error) {
	if *b.broken && name == "hotpb.vectors.p3.Child" {
		panic("no types")
	}
	return b.Types.FindMessageByName(name)
}

// A binding that fails is not kept: it fails again, and is complete when it does not.
func TestABindingThatFailsFailsAgain(t *testing.T) {
	m := new(p3.All)
	if err := pool.Unmarshal(m, full(t, "hotpb.vectors.p3.All"), pool.Options{}); err != nil {
		t.Fatal(err)
	}
	broken := true
	from := protobridge.NewResolver(protoregistry.GlobalFiles, brokenTypes{protoregistry.GlobalTypes, &broken})
	for range 2 {
		func() {
			defer func() {
				if why := recover(); why != "no types" {
					t.Errorf("%v", why)
				}
			}()
			_, err := p3reflect.All.ReflectWith(m, from)
			t.Errorf("no panic, %v", err)
		}()
	}
	broken = false
	r, err := p3reflect.All.ReflectWith(m, from)
	if err != nil {
		t.Fatal(err)
	}
	want, err := p3reflect.All.Reflect(m)
	if err != nil || !proto.Equal(r, want) || proto.Size(r) == 0 {
		t.Errorf("%v\nwant %v, %v", r, want, err)
	}
}
