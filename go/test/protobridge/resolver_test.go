package protobridge_test

import (
	"sync"
	"testing"

	"google.golang.org/protobuf/reflect/protoregistry"

	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	p3reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot/vectorshotreflect"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/protobridge"
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
