package codectest

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/growth"
)

// Grows tests that the fast methods of hotpb.vectors.p2.All take time in proportion to the input, whatever it is, damaged or
// not (FCE-2).
func Grows(t *testing.T) {
	var works []growth.Work
	for shape, input := range growth.Shapes {
		works = append(works, growth.Work{Name: shape, Prepare: func(n int) func() {
			b := input(n)
			damaged := growth.Damaged(slices.Clone(b))
			m := New("hotpb.vectors.p2.All")
			return func() {
				if m.UnmarshalHotOptions(b, codec.UnmarshalOptions{AllowPartial: true}) == nil {
					_ = m.UnmarshalHotOptions(b, codec.UnmarshalOptions{AllowPartial: true, Merge: true, Alias: true})
					_ = m.(marshaler).SizeHot()
					_, _ = m.(marshaler).MarshalHotOptions(nil, codec.MarshalOptions{AllowPartial: true, Deterministic: true})
				}
				proto.Reset(m)
				_ = m.UnmarshalHotOptions(damaged, codec.UnmarshalOptions{AllowPartial: true})
			}
		}})
	}
	growth.Test(t, works)
}
