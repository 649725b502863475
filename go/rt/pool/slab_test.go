package pool_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/rt/pool"
)

// For tests inside package pool all generated code would be compiled once more, for that package. These tests
// therefore inspect the slab's chunk by reflection.
func chunkOf[T any](s *pool.Slab[T]) reflect.Value {
	buf := reflect.ValueOf(s).Elem().FieldByName("buf")
	return buf.Slice(0, buf.Cap())
}

const minChunk = 256 // of a slab, in elements of one byte at least

// Lists that are opened, grown and closed in turns keep their elements, whatever follows them, and need no more than
// a few times their own size.
func TestListsByTurnsKeepTheirElements(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var s pool.Slab[int]
		lists := make([][]int, 1+r.IntN(4))
		want := make([][]int, len(lists))
		total := 0
		for range 300 {
			k := r.IntN(len(lists))
			list := s.Open(lists[k])
			for range r.IntN(4) {
				n := 1 + r.IntN(3)
				list = s.Grow(list, n)
				for range n {
					total++
					list = append(list, total)
					want[k] = append(want[k], total)
				}
			}
			lists[k] = s.Close(list)
		}
		for k := range lists {
			if !slices.Equal(lists[k], want[k]) {
				t.Fatalf("seed %d: list %d of %d is damaged", seed, k, len(lists))
			}
		}
		if chunk := chunkOf(&s).Len(); chunk > 16*total+minChunk {
			t.Fatalf("seed %d: a chunk of %d for %d elements", seed, chunk, total)
		}
	}
}

// Two lists of one slab that grow by one element in turns cost no more work than lists that double.
func TestTurnsAreNotQuadratic(t *testing.T) {
	var s pool.Slab[int]
	var a, b []int
	for range 100_000 {
		a = s.Close(append(s.Grow(s.Open(a), 1), 1))
		b = s.Close(append(s.Grow(s.Open(b), 1), 2))
	}
	if len(a) != 100_000 || len(b) != len(a) || chunkOf(&s).Len() > 16*len(a) {
		t.Error(len(a), len(b), chunkOf(&s).Len())
	}
}

func TestElementsOfTheMessageBeforeTheLastOneAreLetGo(t *testing.T) {
	var s pool.Slab[*int]
	fill := func(n int) {
		s.Rewind()
		list := s.Grow(s.Open(nil), n)
		for range n {
			list = append(list, new(int))
		}
		s.Close(list)
	}
	fill(10)
	fill(3)
	s.Rewind()
	chunk := chunkOf(&s)
	if chunk.Len() < 10 || chunk.Index(2).IsNil() {
		t.Fatal("the elements are not where the test looks for them")
	}
	for i := 3; i < chunk.Len(); i++ {
		if !chunk.Index(i).IsNil() {
			t.Fatal("element", i, "is still held")
		}
	}
}
