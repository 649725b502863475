package pool

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// numbered stands for a message.
type numbered struct{ number, pad int }

const sizeOfNumbered = unsafe.Sizeof(numbered{})

// add appends n messages to a list in a slab, as generated code does. It reports whether there was memory for them.
func (s *Children) add(d *Decoder, list *[]numbered, own bool, n int, next *int) bool {
	var first unsafe.Pointer
	var have, room int
	if own {
		first, have, room = Opened(unsafe.Pointer(list))
	} else {
		first, have, room = s.Open(unsafe.Pointer(list), sizeOfNumbered)
	}
	for range n {
		if !d.Fits(have, room, sizeOfNumbered) {
			if first, room = s.More(d, first, have, room, 5, (*[]numbered)(nil), sizeOfNumbered, own); first == nil {
				return false
			}
		}
		message := (*numbered)(unsafe.Add(first, uintptr(have)*sizeOfNumbered))
		have++
		*next++
		*message = numbered{number: *next}
	}
	if own {
		Closed(unsafe.Pointer(list), first, have, room)
	} else {
		s.Close(unsafe.Pointer(list), first, have, room, sizeOfNumbered)
	}
	return true
}

// Lists of messages that are opened, grown and closed in turns keep their elements, with places of their own and without.
func TestListsOfMessagesByTurnsKeepTheirElements(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var s Children
		d := &Decoder{memory: 1 << 30}
		own := seed%2 == 1
		lists := make([][]numbered, 1+r.IntN(4))
		want := make([][]int, len(lists))
		next := 0
		for range 300 {
			k, before, n := r.IntN(len(lists)), next, 1+r.IntN(4)
			if !s.add(d, &lists[k], own, n, &next) {
				t.Fatalf("seed %d: no memory", seed)
			}
			for number := before + 1; number <= next; number++ {
				want[k] = append(want[k], number)
			}
		}
		for k, list := range lists {
			var got []int
			for _, message := range list {
				got = append(got, message.number)
			}
			if !slices.Equal(got, want[k]) {
				t.Fatalf("seed %d: list %d of %d is damaged", seed, k, len(lists))
			}
		}
		if s.buf.cap > 16*next+minChunk {
			t.Fatalf("seed %d: a chunk of %d for %d elements", seed, s.buf.cap, next)
		}
	}
}

// One message too many for the memory is refused, in a list and alone.
func TestMessagesAreChargedOneByOne(t *testing.T) {
	for most := range 4 {
		for _, own := range []bool{false, true} {
			var s Children
			var list []numbered
			next := 0
			d := &Decoder{memory: most*int(sizeOfNumbered) + int(sizeOfNumbered) - 1, exceeded: -1}
			if s.add(d, &list, own, most+1, &next) || next != most || d.exceeded != 5 {
				t.Errorf("memory for %d: %d messages in a list, exceeded at %d", most, next, d.exceeded)
			}
		}
		var s Children
		d := &Decoder{memory: most*int(sizeOfNumbered) + int(sizeOfNumbered) - 1, exceeded: -1}
		seen := map[unsafe.Pointer]bool{}
		for range most {
			message := s.New(d, 7, (*[]numbered)(nil), sizeOfNumbered)
			if message == nil || seen[message] {
				t.Fatal("no new message")
			}
			*(*numbered)(message), seen[message] = numbered{1, 1}, true
		}
		if s.New(d, 7, (*[]numbered)(nil), sizeOfNumbered) != nil || d.exceeded != 7 {
			t.Errorf("memory for %d: one more message, exceeded at %d", most, d.exceeded)
		}
	}
}
