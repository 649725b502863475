package pool

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Lists that are opened, grown and closed by turns keep what they had, whoever
// stands behind them, and take no more than a few times their own size.
func TestListsByTurnsKeepTheirElements(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var s Slab[int]
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
		if cap(s.buf) > 16*total+minChunk {
			t.Fatalf("seed %d: a chunk of %d for %d elements", seed, cap(s.buf), total)
		}
	}
}

// Two lists of one slab, one element each by turns: no more work than with lists that double.
func TestTurnsAreNotQuadratic(t *testing.T) {
	var s Slab[int]
	var a, b []int
	for range 100_000 {
		a = s.Close(append(s.Grow(s.Open(a), 1), 1))
		b = s.Close(append(s.Grow(s.Open(b), 1), 2))
	}
	if len(a) != 100_000 || len(b) != len(a) || cap(s.buf) > 16*len(a) {
		t.Error(len(a), len(b), cap(s.buf))
	}
}

func TestElementsOfTheMessageBeforeTheLastOneAreLetGo(t *testing.T) {
	var s Slab[*int]
	fill := func(n int) {
		s.visit(&Walk{what: rewind})
		list := s.Grow(s.Open(nil), n)
		for range n {
			list = append(list, new(int))
		}
		s.Close(list)
	}
	fill(10)
	fill(3)
	s.visit(&Walk{what: rewind})
	for i, p := range s.buf[:cap(s.buf)] {
		if i >= 3 && p != nil {
			t.Fatal("element", i, "is still held")
		}
	}
}
