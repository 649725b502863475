package wire_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotpb/hotpb/go/wire"
)

// BenchmarkDecodeString decodes a string of 14 bytes, as a copy and as the input's own bytes. csproto's README has
// the same pair of benchmarks.
func BenchmarkDecodeString(b *testing.B) {
	input := protowire.AppendString([]byte{0x12}, "this is a test")
	d := wire.NewDecoder(input)
	for _, mode := range []wire.Mode{wire.Safe, wire.Fast} {
		for name, decode := range map[string]func() (string, error){"": d.DecodeString, "_unchecked": d.DecodeStringUnchecked} {
			b.Run(mode.String()+name, func(b *testing.B) {
				d.SetMode(mode)
				b.ReportAllocs()
				for b.Loop() {
					d.Reset()
					d.DecodeTag()
					text, err := decode()
					if err != nil || len(text) != 14 {
						b.Fatal(text, err)
					}
				}
			})
		}
	}
	b.Run("protowire", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _, n := protowire.ConsumeTag(input)
			text, n := protowire.ConsumeString(input[n:])
			if n < 0 || len(text) != 14 {
				b.Fatal(text)
			}
		}
	})
}
