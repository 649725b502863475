package google_test

import (
	"flag"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/test/codectest"
)

// FuzzDecode reads any bytes as any message, alone and merged with earlier contents: the result, or the error, is the
// same as the runtime's.
func FuzzDecode(f *testing.F) {
	names := codectest.Names()
	for _, file := range []string{"wire", "invalid"} {
		for i, v := range vectors.Read(f, file) {
			if i%10 != 0 || flag.Lookup("test.fuzz").Value.String() == "" && i%50 != 0 {
				continue // the vectors have tests of their own, and many seeds start slowly
			}
			if n, ok := slices.BinarySearch(names, v.Message); ok {
				f.Add(uint16(n), uint8(i), []byte(v.Input), []byte("\x08\x05"))
			}
		}
	}
	f.Fuzz(func(t *testing.T, n uint16, flags uint8, input, before []byte) {
		name := names[int(n)%len(names)]
		codectest.Decode(t, name, input, codec.UnmarshalOptions{
			Alias: flags&1 != 0, AllowPartial: flags&2 != 0, DiscardUnknown: flags&4 != 0,
		})
		codectest.Merge(t, name, before, input)
	})
}
