package codec

import "testing"

// A count may fall short, where it met what the decode does not mind: no message is handed out twice.
func TestListsThatOutgrowTheCountShareNothing(t *testing.T) {
	for _, counted := range []int{0, 1, 3, 8} {
		var c Children[int]
		c.Count(counted)
		c.Reserve()
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
			// A list that has elements already stays where it is, and takes nothing that is free.
			if again := c.Close(c.Open(own), len(own)); &again[0] != &own[0] || len(again) != 5 {
				t.Fatal("the list moved")
			}
		}
	}
}
