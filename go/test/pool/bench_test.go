package pool_test

import (
	"fmt"
	"math"
	"testing"
	_ "unsafe" // for a name of pool's own

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/pool"
)

// BenchmarkDecode decodes a request again and again, for each place of the strings, with and without checking them.
//
//	go test -run '^$' -bench Decode -cpu 1 ./pool
func BenchmarkDecode(b *testing.B) {
	input := madeRequest(2000)
	for _, c := range []struct {
		name   string
		decode func(m pool.Message, b []byte, o pool.Options) error
		mode   pool.Mode
	}{
		{"own", pool.Unmarshal, pool.Reuse},
		{"alias", pool.Unmarshal, pool.Alias},
		{"alias, unchecked", pool.UnmarshalUnchecked, pool.Alias},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			var m prometheushot.WriteRequest
			for b.Loop() {
				if err := c.decode(&m, input, pool.Options{Mode: c.mode}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// countFrom is the pool's own threshold, bound by its name: for a test inside that package all generated code would
// be compiled once more.
//
//go:linkname countFrom github.com/hotpb/hotpb/go/rt/pool.countFrom
var countFrom int

// BenchmarkOwned finds the size from which it pays to count the elements of a message before it is decoded into fresh
// memory: a pass over the input against chunks that are outgrown. The pool's threshold is where "counted" overtakes
// "grown".
//
//	go test -run '^$' -bench Owned -cpu 1 ./pool
func BenchmarkOwned(b *testing.B) {
	for size := 256; size <= 1<<20; size *= 4 {
		series := 1
		for len(madeRequest(series+1)) <= size {
			series += max(1, series/16)
		}
		input := madeRequest(series)
		for _, c := range []struct {
			name string
			from int
		}{{"grown", math.MaxInt}, {"counted", 0}} {
			b.Run(fmt.Sprintf("%d/%s", size, c.name), func(b *testing.B) {
				defer func(usual int) { countFrom = usual }(countFrom)
				countFrom = c.from
				b.SetBytes(int64(len(input)))
				b.ReportAllocs()
				for b.Loop() {
					if err := new(prometheushot.WriteRequest).UnmarshalOwned(input); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
