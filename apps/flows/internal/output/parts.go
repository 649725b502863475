package output

import (
	"iter"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/wire"
)

// parts cuts a chunk between messages into parts of at most limit bytes, each with its number of flows. A message
// that is larger is a part by itself.
func parts(c flow.Chunk, limit int) iter.Seq2[[]byte, int] {
	return func(yield func([]byte, int) bool) {
		start, end, flows, left := 0, 0, 0, c.Flows
		for len(c.Bytes)-start > limit {
			_, next, err := wire.CutDelimited(c.Bytes, end, wire.Options{})
			if err != nil || next == end {
				break // which chunks of the collector never have: the rest is one part
			}
			if flows > 0 && next-start > limit {
				if !yield(c.Bytes[start:end:end], flows) {
					return
				}
				start, left, flows = end, left-flows, 0
			}
			end = next
			flows++
		}
		if start < len(c.Bytes) {
			yield(c.Bytes[start:], left)
		}
	}
}
