package codec

import (
	"bytes"
	"math"
	"testing"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// packed checks a Pack function on a list, on parts of it and on a long one.
func packed[T any](t *testing.T, pack func(*Encoder, int, []T) int, single func([]byte, T) []byte, list ...T) {
	t.Helper()
	for range 9 {
		list = append(list, list...)
	}
	for _, n := range []int{1, 2, 3, 5, 30, len(list)} {
		var want []byte
		for _, v := range list[:n] {
			want = single(want, v)
		}
		want = wire.InsertLength(want, 0)
		var e Encoder
		i := pack(&e, e.Raw(0, []byte("behind")), list[:n])
		if got := e.whole(i); !bytes.Equal(got, append(want, "behind"...)) {
			t.Errorf("%v:\n%x\n%x", list[:min(n, 8)], got, want)
		}
	}
}

func TestPack(t *testing.T) {
	packed(t, PackVarints, wire.AppendInt32, 0, -1, math.MaxInt32, math.MinInt32, 127, 128, 1)
	packed(t, PackVarints, wire.AppendVarint, 0, 1<<63, math.MaxUint64, 300, 1<<56-1, 1<<56)
	packed(t, PackSint32s, wire.AppendSint32, 0, -1, 1, math.MaxInt32, math.MinInt32)
	packed(t, PackSint64s, wire.AppendSint64, 0, -1, 1, math.MaxInt64, math.MinInt64)
	packed(t, PackBools, wire.AppendBool, true, false, true)
	packed(t, PackFixed32s, wire.AppendFixed32, 0, 1, math.MaxUint32)
	packed(t, PackFixed64s, wire.AppendFixed64, 0, 1, math.MaxUint64)
	packed(t, PackFixed32s, wire.AppendFloat, 0, -1.5, float32(math.Inf(1)))
	packed(t, PackFixed64s, wire.AppendDouble, 0, -1.5, math.Inf(1))
}
