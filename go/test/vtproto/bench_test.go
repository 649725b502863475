package vtproto

import (
	"testing"

	hot "github.com/hotpb/hotpb/go/test/vtproto/internal/ours/prometheus"
	theirs "github.com/hotpb/hotpb/go/test/vtproto/internal/theirs/prometheus"
)

// BenchmarkVT is a remote-write request of 100 series through the methods of both generators.
func BenchmarkVT(b *testing.B) {
	input, err := request(100).MarshalVT()
	if err != nil {
		b.Fatal(err)
	}
	x, x2, y, y2 := new(hot.WriteRequest), new(hot.WriteRequest), new(theirs.WriteRequest), new(theirs.WriteRequest)
	for _, read := range []func([]byte) error{x.UnmarshalVT, x2.UnmarshalVT, y.UnmarshalVT, y2.UnmarshalVT} {
		if err := read(input); err != nil {
			b.Fatal(err)
		}
	}
	buf := make([]byte, len(input))
	for _, c := range []struct {
		name        string
		hot, theirs func() bool
	}{
		{"MarshalVT", func() bool { _, err := x.MarshalVT(); return err == nil }, func() bool { _, err := y.MarshalVT(); return err == nil }},
		{"MarshalToSizedBufferVT", func() bool { _, err := x.MarshalToSizedBufferVT(buf); return err == nil }, func() bool { _, err := y.MarshalToSizedBufferVT(buf); return err == nil }},
		{"UnmarshalVT", func() bool { return new(hot.WriteRequest).UnmarshalVT(input) == nil }, func() bool { return new(theirs.WriteRequest).UnmarshalVT(input) == nil }},
		{"Pool", func() bool {
			m := hot.WriteRequestFromVTPool()
			defer m.ReturnToVTPool()
			return m.UnmarshalVT(input) == nil
		}, func() bool {
			m := theirs.WriteRequestFromVTPool()
			defer m.ReturnToVTPool()
			return m.UnmarshalVT(input) == nil
		}},
		{"EqualVT", func() bool { return x.EqualVT(x2) }, func() bool { return y.EqualVT(y2) }},
		{"CloneVT", func() bool { return x.CloneVT() != nil }, func() bool { return y.CloneVT() != nil }},
	} {
		for side, run := range map[string]func() bool{"ours": c.hot, "theirs": c.theirs} {
			b.Run(c.name+"/"+side, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if !run() {
						b.Fatal("it failed")
					}
				}
			})
		}
	}
}
