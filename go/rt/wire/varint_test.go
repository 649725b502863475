package wire

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// values returns numbers of every length, edge cases included.
func values() []uint64 {
	all := []uint64{0, 1, math.MaxUint64, math.MaxInt64, 1 << 63, math.MaxUint32, 1 << 31}
	for bits := range 64 {
		all = append(all, 1<<bits, 1<<bits-1, 1<<bits+1)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		all = append(all, r.Uint64()>>r.IntN(64))
	}
	return all
}

func TestAppendedVarintsAreThoseOfTheStockRuntime(t *testing.T) {
	for _, v := range values() {
		got, want := AppendVarint(nil, v), protowire.AppendVarint(nil, v)
		if !slices.Equal(got, want) || SizeVarint(v) != len(want) {
			t.Fatalf("%d: got % x (size %d), want % x", v, got, SizeVarint(v), want)
		}
	}
}

func TestVarintsReadTheSameWithAndWithoutBytesBehindThem(t *testing.T) {
	for _, v := range values() {
		for padding := range 11 { // over-long forms up to ten bytes
			b := AppendVarint(nil, v)
			for n := range padding {
				if len(b) == MaxVarint {
					break
				}
				b[len(b)-1] |= 0x80
				b = append(b, 0)
				_ = n
			}
			for _, tail := range []int{0, 1, 7, 20} {
				input := append(slices.Clone(b), make([]byte, tail)...)
				got, next := ReadVarint(input, 0)
				if got != v || next != len(b) || SkipVarint(input, 0) != len(b) {
					t.Fatalf("% x: got %d up to %d, want %d up to %d", input, got, next, v, len(b))
				}
			}
		}
	}
}

func TestARandomVarintReadsAsInTheStockRuntime(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200_000 {
		b := make([]byte, r.IntN(14))
		for i := range b {
			b[i] = byte(r.UintN(256)) | byte(r.UintN(2)<<7)
		}
		want, n := protowire.ConsumeVarint(b)
		got, next := ReadVarint(b, 0)
		switch {
		case len(b) >= MaxVarint && allContinue(b[:MaxVarint-1]) && b[MaxVarint-1] > 1 && b[MaxVarint-1] < 0x80:
			// The known difference: the stock runtime rejects such a tenth byte.
			if n >= 0 || next != MaxVarint {
				t.Fatalf("% x: got up to %d, stock %d", b, next, n)
			}
		case n < 0:
			if next >= 0 {
				t.Fatalf("% x: got %d up to %d, stock rejects it", b, got, next)
			}
		case got != want || next != n:
			t.Fatalf("% x: got %d up to %d, want %d up to %d", b, got, next, want, n)
		}
		if skipped := SkipVarint(b, 0); skipped != next {
			t.Fatalf("% x: skipped to %d, read to %d", b, skipped, next)
		}
	}
}

func allContinue(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c < 0x80 })
}

func TestZigzagIsThatOfTheStockRuntime(t *testing.T) {
	for _, v := range values() {
		if got, want := DecodeZigzag(v), protowire.DecodeZigZag(v); got != want {
			t.Fatalf("%d: got %d, want %d", v, got, want)
		}
		if got := EncodeZigzag(DecodeZigzag(v)); got != v {
			t.Fatalf("%d comes back as %d", v, got)
		}
		if got, want := DecodeZigzag32(v), int32(protowire.DecodeZigZag(v&math.MaxUint32)); got != want {
			t.Fatalf("%d: got %d, want %d", v, got, want)
		}
		x := int32(v)
		if got, want := AppendSint32(nil, x), protowire.AppendVarint(nil, protowire.EncodeZigZag(int64(x))); !slices.Equal(got, want) {
			t.Fatalf("sint32 %d: got % x, want % x", x, got, want)
		}
	}
}

func TestCountVarintsCountsAndFindsTheFirstBadOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var b []byte
		n := r.IntN(40)
		for range n {
			b = AppendVarint(b, r.Uint64()>>r.IntN(64))
		}
		if count, _, code := CountVarints(b); count != n || code != 0 {
			t.Fatalf("% x: %d varints, %v; want %d", b, count, code, n)
		}
		start := len(b)
		if count, bad, code := CountVarints(append(b, 0x80)); count != n || bad != start || code != Truncated {
			t.Fatalf("% x 80: %d varints, bad at %d, %v", b, count, bad, code)
		}
		overflow := append(slices.Clone(b), slices.Repeat([]byte{0xff}, 10)...)
		if count, bad, code := CountVarints(append(overflow, 1)); count != n || bad != start || code != VarintOverflow {
			t.Fatalf("%d varints, bad at %d, %v", count, bad, code)
		}
	}
}

func TestReadersRefusePositionsOutsideTheInput(t *testing.T) {
	b := []byte{1, 2, 3}
	for _, i := range []int{-1, 3, 4, math.MaxInt, math.MinInt} {
		_, varint := ReadVarint(b, i)
		_, tag := ReadTag(b, i)
		_, four := ReadFixed32(b, i)
		_, eight := ReadFixed64(b, i)
		start, bytes := ReadBytes(b, i)
		for _, next := range []int{varint, tag, four, eight, bytes, SkipVarint(b, i)} {
			if next >= 0 || Failed(next) != Truncated {
				t.Errorf("position %d: %d %d %d %d %d %d", i, varint, tag, four, eight, start, bytes)
				break
			}
		}
	}
}

var mixes = []struct {
	name  string
	shift func(*rand.Rand) int
}{
	{"one_byte", func(*rand.Rand) int { return 57 }},
	{"two_bytes", func(*rand.Rand) int { return 50 }},
	{"mostly_short", func(r *rand.Rand) int { return 64 - 7*(1+r.IntN(8)*r.IntN(8)/24) }},
	{"any_length", func(r *rand.Rand) int { return r.IntN(64) }},
	{"ten_bytes", func(*rand.Rand) int { return 0 }},
}

func mix(shift func(*rand.Rand) int) (b []byte) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 1 << 16 { // too many for the branch predictor to memorise
		b = AppendVarint(b, (r.Uint64()|1<<63)>>shift(r))
	}
	return b
}

func BenchmarkVarint(b *testing.B) {
	for _, m := range mixes {
		input := mix(m.shift)
		run := func(name string, read func() uint64) {
			b.Run(m.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(input)))
				var sum uint64
				for b.Loop() {
					sum += read()
				}
				if sum == 0 {
					b.Fatal("nothing was read")
				}
			})
		}
		run("hotpb", func() (sum uint64) {
			for i := 0; i < len(input); {
				var v uint64
				v, i = ReadVarint(input, i)
				sum += v
			}
			return sum
		})
		run("protowire", func() (sum uint64) {
			for rest := input; len(rest) > 0; {
				v, n := protowire.ConsumeVarint(rest)
				sum += v
				rest = rest[n:]
			}
			return sum
		})
	}
}
