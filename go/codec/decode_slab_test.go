package codec

import "testing"

// A count may be too low, if it stopped at something that the decoder accepts: even then no message is handed out
// twice.
func TestListsThatOutgrowTheCountShareNothing(t *testing.T) {
	for _, counted := range []int{0, 1, 3, 8} {
		var c Children[int]
		c.count = counted
		c.reserve(0)
		seen := map[*int]bool{}
		for parent := range 4 {
			list := c.Open(nil)
			n := 0
			for range 5 {
				if n == len(list) { // as generated code does
					list = More(list, 2)
				}
				*list[n] = parent
				n++
			}
			own := c.Close(list, n)
			for _, child := range own {
				if seen[child] || *child != parent {
					t.Fatalf("counted %d: a message of parent %d is another one's", counted, parent)
				}
				seen[child] = true
			}
			// A list that already has elements stays where it is, and uses no free ones.
			if again := c.Close(c.Open(own), len(own)); &again[0] != &own[0] || len(again) != 5 {
				t.Fatal("the list moved")
			}
		}
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
