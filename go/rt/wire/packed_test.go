package wire

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// packed returns n varints, each with about as many bytes as length returns, some over-long.
func packed(r *rand.Rand, n int, length func() int) (b []byte, values []uint64) {
	for range n {
		size := length()
		v := r.Uint64() & (1<<(7*min(size, 9)) - 1)
		if size == MaxVarint {
			v = r.Uint64() | 1<<63
		}
		values = append(values, v)
		for range size - 1 {
			b = append(b, byte(v)|0x80)
			v >>= 7
		}
		b = append(b, byte(v))
	}
	return b, values
}

func TestPackedVarintsAreReadAsOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	run := 0 // varints of one byte that remain
	lengths := []func() int{
		func() int { return 1 },
		func() int { return 1 + r.IntN(2) },
		func() int { return 1 + r.IntN(MaxVarint) },
		func() int { return MaxVarint - r.IntN(3) },
		func() int {
			if run--; run >= 0 {
				return 1
			}
			run = r.IntN(200)
			return 1 + r.IntN(MaxVarint)
		},
	}
	for i := range 5000 {
		b, values := packed(r, r.IntN(300), lengths[i%len(lengths)])
		if count, _, code := CountVarints(b); count != len(values) || code != 0 {
			t.Fatalf("% x: %d varints, %v; want %d", b, count, code, len(values))
		}
		expect(t, b, values, ReadVarints, func(v uint64) int32 { return int32(v) })
		expect(t, b, values, ReadVarints, func(v uint64) uint32 { return uint32(v) })
		expect(t, b, values, ReadVarints, func(v uint64) int64 { return int64(v) })
		expect(t, b, values, ReadVarints, func(v uint64) uint64 { return v })
		expect(t, b, values, ReadZigzags, DecodeZigzag32)
		expect(t, b, values, ReadZigzags, DecodeZigzag)
		expect(t, b, values, ReadBools, func(v uint64) bool { return v != 0 })
	}
}

func expect[T comparable](t *testing.T, b []byte, values []uint64, read func([]T, []byte), as func(uint64) T) {
	t.Helper()
	got := make([]T, len(values))
	read(got, b)
	for i, v := range values {
		if got[i] != as(v) {
			t.Fatalf("% x: %T %d is %v, want %v", b, got[i], i, got[i], as(v))
		}
	}
}

func TestPackedBoolsAreTrueUnlessZero(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	forms := [][]byte{{0}, {1}, {0}, {1}, {2}, {0x7f}, {0x80, 0}, {0x81, 0}, {0x80, 0x80, 0}, {0x80, 2}}
	for i := range 2000 {
		var b []byte
		var values []uint64
		for range r.IntN(100) {
			form := forms[r.IntN(4+i%7)]
			v, _ := ReadVarint(form, 0)
			b, values = append(b, form...), append(values, v)
		}
		expect(t, b, values, ReadBools, func(v uint64) bool { return v != 0 })
	}
}

func TestPackedFixedValuesAreLittleEndian(t *testing.T) {
	b := []byte{1, 2, 3, 4, 5, 6, 7, 0x88, 0, 0, 0xc0, 0x7f, 0, 0, 0xf8, 0x7f}
	four, eight := make([]int32, 4), make([]uint64, 2)
	ReadFixed(four, b)
	ReadFixed(eight, b)
	if !slices.Equal(four, []int32{0x04030201, -0x77f8f9fb, 0x7fc00000, 0x7ff80000}) ||
		!slices.Equal(eight, []uint64{0x8807060504030201, 0x7ff800007fc00000}) {
		t.Errorf("% x: %x %x", b, four, eight)
	}
	double := make([]float64, 1)
	ReadFixed(double, binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Pi)))
	if double[0] != math.Pi {
		t.Error(double)
	}
	ReadFixed([]float32(nil), nil)
	for _, size := range []int{4, 8} {
		native := slices.Clone(b)
		ToNative(native, size)
		for i := 0; i < len(b); i += size {
			if size == 4 && binary.NativeEndian.Uint32(native[i:]) != binary.LittleEndian.Uint32(b[i:]) ||
				size == 8 && binary.NativeEndian.Uint64(native[i:]) != binary.LittleEndian.Uint64(b[i:]) {
				t.Errorf("% x becomes % x", b, native)
			}
		}
	}
}

func BenchmarkPacked(b *testing.B) {
	for _, m := range mixes {
		input := mix(m.shift)[:8000]
		for input[len(input)-1] >= 0x80 {
			input = input[:len(input)-1]
		}
		count, _, _ := CountVarints(input)
		dst := make([]int64, count)
		for name, run := range map[string]func(){
			"count": func() { CountVarints(input) },
			"read":  func() { ReadVarints(dst, input) },
			"one_by_one": func() {
				for i, n := 0, 0; i < len(input); n++ {
					var v uint64
					v, i = ReadVarint(input, i)
					dst[n] = int64(v)
				}
			},
		} {
			b.Run(m.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/elem")
			})
		}
	}
}

func TestShortPackedListsAreReadAsOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	guard := uint64(0x5555555555555555)
	for i := range 20000 {
		b, values := packed(r, r.IntN(70), func() int { return 1 + r.IntN(1+i%MaxVarint) })
		room := []byte{}
		if i&1 == 0 { // more bytes after the list
			room = make([]byte, len(b)+r.IntN(100))
			for j := range room {
				room[j] = byte(r.Uint32())
			}
			copy(room, b)
			b = room[:len(b)]
		}
		if count, _, code := CountVarints(b); count != len(values) || code != 0 {
			t.Fatalf("% x: %d varints, %v; want %d", b, count, code, len(values))
		}
		list := make([]uint64, len(values)+1)
		list[len(values)] = guard
		ReadVarints(list[:len(values)], b)
		narrow := make([]uint32, len(values)+1)
		narrow[len(values)] = uint32(guard)
		ReadVarints(narrow[:len(values)], b)
		for n, v := range values {
			if list[n] != v || narrow[n] != uint32(v) {
				t.Fatalf("% x: element %d is %d and %d, want %d", b, n, list[n], narrow[n], v)
			}
		}
		if list[len(values)] != guard || narrow[len(values)] != uint32(guard) {
			t.Fatalf("% x: written past %d elements", b, len(values))
		}
		if len(values) > 1 { // a list that is too short gets only what it holds
			clear(list)
			list[len(values)-1] = guard
			ReadVarints(list[:len(values)-1], b)
			if list[len(values)-1] != guard {
				t.Fatalf("% x: written past %d elements", b, len(values)-1)
			}
		}
		if len(b) > 0 {
			if bad := b[:len(b)-1]; len(bad) > 0 && bad[len(bad)-1] >= 0x80 {
				if _, _, code := CountVarints(bad); code != Truncated {
					t.Fatalf("% x: %v", bad, code)
				}
			}
		}
		at := r.IntN(len(b) + 1)
		long := slices.Concat(b[:at:at], []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, b[at:])
		want, wantBad, wantCode := countUpToBad(long)
		if count, bad, code := CountVarints(long); count != want || bad != wantBad || code != wantCode || code == 0 {
			t.Fatalf("% x: %d, %d, %v; want %d, %d, %v", long, count, bad, code, want, wantBad, wantCode)
		}
	}
}

func TestRunsOfVarintsFillTheRoom(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for i := range 5000 {
		b, values := packed(r, r.IntN(90), func() int { return 1 + r.IntN(1+i%MaxVarint) })
		dst := make([]uint64, 1+r.IntN(20))
		at := 0
		for i := 0; i < len(b); {
			room := dst[: len(dst)-1 : len(dst)-1]
			if len(room) == 0 {
				room = dst
			}
			dst[len(dst)-1] = 42
			n, next := ReadRun(room, b, i)
			if n == 0 || next <= i || len(room) < len(dst) && dst[len(dst)-1] != 42 {
				t.Fatalf("% x at %d: %d varints up to %d", b, i, n, next)
			}
			for _, v := range room[:n] {
				if at == len(values) || v != values[at] {
					t.Fatalf("% x: element %d is %d", b, at, v)
				}
				at++
			}
			i = next
		}
		if at != len(values) {
			t.Fatalf("% x: %d varints, want %d", b, at, len(values))
		}
	}
	for _, b := range [][]byte{{}, {0x80}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}} {
		for _, size := range []int{0, 1, 8} {
			if n, next := ReadRun(make([]uint64, size), b, 0); n != 0 || next != 0 {
				t.Errorf("% x: %d varints up to %d", b, n, next)
			}
		}
	}
}
