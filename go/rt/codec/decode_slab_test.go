package codec

import (
	"slices"
	"testing"
)

// A count may be too low, if it stopped at something that the decoder accepts: even then no message is handed out
// twice.
func TestListsThatOutgrowTheCountShareNothing(t *testing.T) {
	for _, counted := range []int{0, 1, 3, 8} {
		s := newSlabs([]SlabField{{List: (*[]int)(nil)}})
		s.fields[0].count = counted
		s.reserve(0)
		seen := map[*int]bool{}
		for parent := range 4 {
			list := Open(s, 0, []*int(nil))
			n := 0
			for range 5 {
				if n == len(list) { // as generated code does
					list = moreNew(list, 2)
				}
				*list[n] = parent
				n++
			}
			own := Close(s, 0, list, n)
			for _, child := range own {
				if seen[child] || *child != parent {
					t.Fatalf("counted %d: a message of parent %d is another one's", counted, parent)
				}
				seen[child] = true
			}
			// A list that already has elements stays where it is, and uses no free ones.
			if same := Close(s, 0, Open(s, 0, own), len(own)); &same[0] != &own[0] || len(same) != 5 {
				t.Fatal("the list moved")
			}
		}
	}
}

// Records of other fields may lie between any two elements of a list. The list still grows within the slab, and no
// other list gets its messages.
func TestAListGrowsWithinTheSlabUntilTheNextIsOpened(t *testing.T) {
	s := newSlabs([]SlabField{{List: (*[]int)(nil)}})
	s.fields[0].count = 7
	s.reserve(0)
	slab := Open(s, 0, []*int(nil))
	add := func(own []*int, value int) []*int {
		list, n := Open(s, 0, own), len(own)
		if n == len(list) {
			list = moreNew(list, 1)
		}
		*list[n] = value
		return Close(s, 0, list, n+1)
	}
	var a, b []*int
	for i := range 3 {
		a = add(a, i)
	}
	for i := range 3 {
		b = add(b, 10+i)
	}
	if !slices.Equal(a, slab[:3]) || !slices.Equal(b, slab[3:6]) {
		t.Error("a list left the slab")
	}
	a = add(a, 3) // no longer the list that was closed last
	for i := range 3 {
		b = add(b, 13+i) // more than were counted
	}
	for i, element := range a {
		if *element != i {
			t.Errorf("element %d of a is %d", i, *element)
		}
	}
	for i, element := range b {
		if *element != 10+i {
			t.Errorf("element %d of b is %d", i, *element)
		}
	}
	if len(a) != 4 || len(b) != 6 {
		t.Errorf("%d and %d elements", len(a), len(b))
	}
}

func TestRunsOfVarintsAreCountedAsFarAsTheyGo(t *testing.T) {
	for _, c := range []struct {
		input, tag string
		want       int
	}{
		{"\x01", "\x18", 1}, {"\x01\x18\x02\x18\x80\x01\x18", "\x18", 4}, {"\x01\x18\x02\x20\x03", "\x18", 2},
		{"\x80\x80", "\x18", 1}, {"", "\x18", 1}, {"\x01\x88\x01\x05\x88\x02\x05", "\x88\x01", 2}, {"\x01\x88", "\x88\x01", 1},
	} {
		if got := CountVarintRun([]byte(c.input), 0, c.tag); got != c.want {
			t.Errorf("%q after %q: %d, want %d", c.input, c.tag, got, c.want)
		}
	}
}
