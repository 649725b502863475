package growth

import (
	"math"
	"strings"
	"testing"
)

func TestGrowthIsSeen(t *testing.T) {
	var sink int
	linear := func(n int) func() {
		return func() {
			for i := range n {
				sink += i
			}
		}
	}
	Test(t, []Work{
		{"linear", linear},
		{"n log n", func(n int) func() {
			return func() {
				for i := range n {
					for k := i; k > 0; k /= 2 {
						sink += k
					}
				}
			}
		}},
	})
}

func TestQuadraticGrowthIsAnError(t *testing.T) {
	for name, count := range map[string]func(n int) (uint64, error){
		"alone":               func(n int) (uint64, error) { return uint64(n * n), nil },
		"beside linear work":  func(n int) (uint64, error) { return uint64(400*n + 4*n*n), nil },
		"half of the pairs":   func(n int) (uint64, error) { return uint64(100*n + n*n), nil },
		"beside a fixed part": func(n int) (uint64, error) { return uint64(10_000_000 + n*n), nil },
	} {
		if err := grows(count); err == nil || !strings.Contains(err.Error(), "instructions") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, count := range map[string]func(n int) (uint64, error){
		"constant": func(n int) (uint64, error) { return 1_000_000, nil },
		"linear":   func(n int) (uint64, error) { return uint64(1_000_000 + 3*n), nil },
		"less":     func(n int) (uint64, error) { return uint64(10_000 - n), nil },
		"n log n":  func(n int) (uint64, error) { return uint64(float64(n) * math.Log(float64(n+1))), nil },
	} {
		if err := grows(count); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
