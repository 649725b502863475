package wire_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotpb/hotpb/go/wire"
)

type color int32

var (
	ints32 = []int32{0, 1, -1, 127, 128, math.MaxInt32, math.MinInt32, 300}
	ints64 = []int64{0, 1, -1, 127, 128, math.MaxInt64, math.MinInt64, 1 << 40}
	bits32 = []uint32{0, 1, 127, 128, 1 << 31, math.MaxUint32}
	bits64 = []uint64{0, 1, 127, 128, 1 << 35, 1 << 63, math.MaxUint64}
	floats = []float32{0, float32(math.Copysign(0, -1)), 1.5, math.MaxFloat32, float32(math.Inf(-1))}
	double = []float64{0, math.Copysign(0, -1), 1.5, math.MaxFloat64, math.Inf(1)}
	bools  = []bool{true, false, false, true}
	colors = []color{1, -5, 2}
)

// everything writes each kind of field; the numbers have tags of one to five bytes.
func everything(e *wire.Encoder) {
	e.EncodeInt32(1, -5)
	e.EncodeInt64(15, math.MinInt64)
	e.EncodeUint32(16, math.MaxUint32)
	e.EncodeUint64(2047, math.MaxUint64)
	e.EncodeSint32(2048, math.MinInt32)
	e.EncodeSint64(1<<18, math.MinInt64)
	e.EncodeBool(wire.MaxNumber, true)
	e.EncodeBool(7, false)
	e.EncodeFixed32(8, 0x01020304)
	e.EncodeFixed64(9, 0x0102030405060708)
	e.EncodeSfixed32(10, -2)
	e.EncodeSfixed64(11, -2)
	e.EncodeFloat(12, 1.5)
	e.EncodeDouble(13, -1.5)
	e.EncodeString(14, "héllo")
	e.EncodeStringUnchecked(14, "\xff")
	e.EncodeBytes(14, []byte{0xff, 0})
	e.EncodeRaw([]byte{0x08, 0x01})
	e.EncodePackedInt32(1, ints32)
	e.EncodePackedInt64(2, ints64)
	e.EncodePackedUint32(3, bits32)
	e.EncodePackedUint64(4, bits64)
	e.EncodePackedSint32(5, ints32)
	e.EncodePackedSint64(6, ints64)
	e.EncodePackedBool(7, bools)
	e.EncodePackedFixed32(8, bits32)
	e.EncodePackedFixed64(9, bits64)
	e.EncodePackedSfixed32(10, ints32)
	e.EncodePackedSfixed64(11, ints64)
	e.EncodePackedFloat(12, floats)
	e.EncodePackedDouble(13, double)
	wire.EncodePackedEnum(e, 14, colors)
	e.EncodePackedInt32(15, nil)
	outer := e.BeginNested(20)
	e.EncodeString(1, string(bytes.Repeat([]byte("x"), 200)))
	group := e.BeginGroup(21)
	entry := e.BeginMapEntry(22)
	e.EncodeString(1, "key")
	e.EncodeInt64(2, 7)
	e.End(entry)
	e.End(group)
	e.End(e.BeginNested(23))
	e.End(outer)
}

// expected returns the same message as the stock runtime encodes it.
func expected() (b []byte) {
	tag := func(n protowire.Number, t protowire.Type) { b = protowire.AppendTag(b, n, t) }
	varint := func(n protowire.Number, v uint64) { tag(n, 0); b = protowire.AppendVarint(b, v) }
	raw := func(n protowire.Number, v []byte) { tag(n, 2); b = protowire.AppendBytes(b, v) }
	varint(1, 1<<64-5)
	varint(15, 1<<63)
	varint(16, math.MaxUint32)
	varint(2047, math.MaxUint64)
	varint(2048, math.MaxUint32)
	varint(1<<18, math.MaxUint64)
	varint(wire.MaxNumber, 1)
	varint(7, 0)
	tag(8, 5)
	b = protowire.AppendFixed32(b, 0x01020304)
	tag(9, 1)
	b = protowire.AppendFixed64(b, 0x0102030405060708)
	tag(10, 5)
	b = protowire.AppendFixed32(b, math.MaxUint32-1)
	tag(11, 1)
	b = protowire.AppendFixed64(b, math.MaxUint64-1)
	tag(12, 5)
	b = protowire.AppendFixed32(b, math.Float32bits(1.5))
	tag(13, 1)
	b = protowire.AppendFixed64(b, math.Float64bits(-1.5))
	raw(14, []byte("héllo"))
	raw(14, []byte{0xff})
	raw(14, []byte{0xff, 0})
	varint(1, 1)
	raw(1, each(ints32, func(p []byte, v int32) []byte { return protowire.AppendVarint(p, uint64(int64(v))) }))
	raw(2, each(ints64, func(p []byte, v int64) []byte { return protowire.AppendVarint(p, uint64(v)) }))
	raw(3, each(bits32, func(p []byte, v uint32) []byte { return protowire.AppendVarint(p, uint64(v)) }))
	raw(4, each(bits64, protowire.AppendVarint))
	raw(5, each(ints32, func(p []byte, v int32) []byte {
		return protowire.AppendVarint(p, protowire.EncodeZigZag(int64(v)))
	}))
	raw(6, each(ints64, func(p []byte, v int64) []byte { return protowire.AppendVarint(p, protowire.EncodeZigZag(v)) }))
	raw(7, each(bools, func(p []byte, v bool) []byte { return protowire.AppendVarint(p, protowire.EncodeBool(v)) }))
	raw(8, each(bits32, protowire.AppendFixed32))
	raw(9, each(bits64, protowire.AppendFixed64))
	raw(10, each(ints32, func(p []byte, v int32) []byte { return protowire.AppendFixed32(p, uint32(v)) }))
	raw(11, each(ints64, func(p []byte, v int64) []byte { return protowire.AppendFixed64(p, uint64(v)) }))
	raw(12, each(floats, func(p []byte, v float32) []byte { return protowire.AppendFixed32(p, math.Float32bits(v)) }))
	raw(13, each(double, func(p []byte, v float64) []byte { return protowire.AppendFixed64(p, math.Float64bits(v)) }))
	raw(14, each(colors, func(p []byte, v color) []byte { return protowire.AppendVarint(p, uint64(int64(v))) }))
	before := b
	b = nil
	raw(1, bytes.Repeat([]byte("x"), 200))
	tag(21, 3)
	raw(22, []byte("\x0a\x03key\x10\x07"))
	tag(21, 4)
	raw(23, nil)
	inner := b
	b = before
	raw(20, inner)
	return b
}

func each[T any](values []T, put func([]byte, T) []byte) (b []byte) {
	for _, v := range values {
		b = put(b, v)
	}
	return b
}

// LOW-1
func TestWhatIsEncodedIsWhatTheStockRuntimeEncodes(t *testing.T) {
	want := expected()
	e := wire.NewEncoder(make([]byte, len(want)))
	everything(e)
	got, err := e.Bytes()
	if err != nil || !bytes.Equal(got, want) || e.Offset() != len(want) {
		t.Errorf("%v\n got % x\nwant % x", err, got, want)
	}
}

// LOW-2, LOW-13, LOW-14
func TestOneByteLessIsAnError(t *testing.T) {
	want := expected()
	for size := range want {
		room := make([]byte, size, len(want)) // the encoder must not touch the bytes after the length
		e := wire.NewEncoder(room)
		everything(e)
		got, err := e.Bytes()
		var failed *wire.Error
		if got != nil || !errors.As(err, &failed) || failed.Code != wire.BufferExhausted || failed.Offset > int64(size) || err != e.Err() {
			t.Fatalf("into %d bytes: %d bytes, %v", size, len(got), err)
		}
		if !bytes.Equal(room[size:cap(room)], make([]byte, len(want)-size)) {
			t.Fatalf("into %d bytes: it wrote more", size)
		}
	}
	e := wire.NewEncoder(make([]byte, 5))
	e.EncodeUint64(1, 150)
	e.EncodeString(2, "abc")
	e.EncodeBool(3, true) // would fit, but follows the error
	_, err := e.Bytes()
	rejects(t, "a string of three in two bytes", err, wire.BufferExhausted, 3)
	if e.Offset() != 3 {
		t.Error("a field after the error was written")
	}
}

// LOW-3
func TestLevelsEndInTheirOrder(t *testing.T) {
	for name, misuse := range map[string]func(e *wire.Encoder){
		"not ended":           func(e *wire.Encoder) { e.BeginNested(1) },
		"group not ended":     func(e *wire.Encoder) { e.BeginGroup(1) },
		"ended twice":         func(e *wire.Encoder) { l := e.BeginNested(1); e.End(l); e.End(l) },
		"outer ended first":   func(e *wire.Encoder) { l := e.BeginNested(1); e.BeginNested(2); e.End(l) },
		"never begun":         func(e *wire.Encoder) { e.End(wire.Level{}) },
		"of another encoder":  func(e *wire.Encoder) { e.End(wire.NewEncoder(make([]byte, 9)).BeginGroup(1)) },
		"zero value for open": func(e *wire.Encoder) { e.BeginNested(1); e.End(wire.Level{}) },
	} {
		e := wire.NewEncoder(make([]byte, 100))
		misuse(e)
		if b, err := e.Bytes(); !errors.Is(err, wire.HandleMisuse) || b != nil {
			t.Errorf("%s: % x %v", name, b, err)
		}
	}
}

func TestFieldNumbersThatDoNotExistAreRefused(t *testing.T) {
	for _, number := range []uint32{0, wire.MaxNumber + 1, math.MaxUint32} {
		e := wire.NewEncoder(make([]byte, 100))
		e.EncodeBool(number, true)
		_, err := e.Bytes()
		rejects(t, "number", err, wire.InvalidTag, 0)
	}
}

func TestSizesAreThoseOfWhatIsWritten(t *testing.T) {
	for _, number := range []uint32{1, 15, 16, 2047, 2048, 1 << 18, 1 << 25, wire.MaxNumber} {
		if got, want := wire.SizeTag(number), protowire.SizeTag(protowire.Number(number)); got != want {
			t.Errorf("tag %d: %d, want %d", number, got, want)
		}
	}
	for _, n := range []int{0, 1, 127, 128, 1 << 20} {
		if got, want := wire.SizeBytes(n), protowire.SizeBytes(n); got != want {
			t.Errorf("%d bytes: %d, want %d", n, got, want)
		}
	}
	for _, n := range []int{1, 2, len(ints32)} {
		e := wire.NewEncoder(make([]byte, 500))
		e.EncodePackedSint32(1, ints32[:n])
		if size := 1 + wire.SizeBytes(wire.SizePackedZigzags(ints32[:n])); size != e.Offset() {
			t.Errorf("%d zigzags: %d, written %d", n, size, e.Offset())
		}
	}
	e := wire.NewEncoder(make([]byte, 500))
	wire.EncodePackedEnum(e, 1, colors)
	if size := 1 + wire.SizeBytes(wire.SizePackedVarints(colors)); size != e.Offset() {
		t.Errorf("enums: %d, written %d", size, e.Offset())
	}
}

// read decodes the output of everything, and reports whether the values are right.
func read(d *wire.Decoder, kept *kept) bool {
	good := func(ok bool, err error) bool { return ok && err == nil }
	next := func(number uint32) bool { n, _, err := d.DecodeTag(); return good(n == number, err) }
	ok := next(1)
	a, err := d.DecodeInt32()
	ok = ok && good(a == -5, err) && next(15)
	b, err := d.DecodeInt64()
	ok = ok && good(b == math.MinInt64, err) && next(16)
	c, err := d.DecodeUint32()
	ok = ok && good(c == math.MaxUint32, err) && next(2047)
	f, err := d.DecodeUint64()
	ok = ok && good(f == math.MaxUint64, err) && next(2048)
	g, err := d.DecodeSint32()
	ok = ok && good(g == math.MinInt32, err) && next(1<<18)
	h, err := d.DecodeSint64()
	ok = ok && good(h == math.MinInt64, err) && next(wire.MaxNumber)
	i, err := d.DecodeBool()
	ok = ok && good(i, err) && next(7)
	i, err = d.DecodeBool()
	ok = ok && good(!i, err) && next(8)
	j, err := d.DecodeFixed32()
	ok = ok && good(j == 0x01020304, err) && next(9)
	k, err := d.DecodeFixed64()
	ok = ok && good(k == 0x0102030405060708, err) && next(10)
	l, err := d.DecodeSfixed32()
	ok = ok && good(l == -2, err) && next(11)
	m, err := d.DecodeSfixed64()
	ok = ok && good(m == -2, err) && next(12)
	n, err := d.DecodeFloat()
	ok = ok && good(n == 1.5, err) && next(13)
	o, err := d.DecodeDouble()
	ok = ok && good(o == -1.5, err) && next(14)
	p, err := d.DecodeString()
	ok = ok && good(p == "héllo", err) && next(14)
	p, err = d.DecodeStringUnchecked()
	ok = ok && good(p == "\xff", err) && next(14)
	q, err := d.DecodeBytes()
	ok = ok && good(len(q) == 2, err) && next(1)
	q, err = d.Skip()
	return ok && good(len(q) == 2, err) && kept.read(d, next)
}

// kept are slices that are reused.
type kept struct {
	i32   []int32
	i64   []int64
	u32   []uint32
	u64   []uint64
	f32   []float32
	f64   []float64
	bools []bool
	enums []color
}

func (s *kept) read(d *wire.Decoder, next func(uint32) bool) bool {
	var err error
	steps := []func(){
		1:  func() { s.i32, err = d.DecodePackedInt32(s.i32[:0]) },
		2:  func() { s.i64, err = d.DecodePackedInt64(s.i64[:0]) },
		3:  func() { s.u32, err = d.DecodePackedUint32(s.u32[:0]) },
		4:  func() { s.u64, err = d.DecodePackedUint64(s.u64[:0]) },
		5:  func() { s.i32, err = d.DecodePackedSint32(s.i32[:0]) },
		6:  func() { s.i64, err = d.DecodePackedSint64(s.i64[:0]) },
		7:  func() { s.bools, err = d.DecodePackedBool(s.bools[:0]) },
		8:  func() { s.u32, err = d.DecodePackedFixed32(s.u32[:0]) },
		9:  func() { s.u64, err = d.DecodePackedFixed64(s.u64[:0]) },
		10: func() { s.i32, err = d.DecodePackedSfixed32(s.i32[:0]) },
		11: func() { s.i64, err = d.DecodePackedSfixed64(s.i64[:0]) },
		12: func() { s.f32, err = d.DecodePackedFloat(s.f32[:0]) },
		13: func() { s.f64, err = d.DecodePackedDouble(s.f64[:0]) },
		14: func() { s.enums, err = wire.DecodePackedEnum(d, s.enums[:0]) },
	}
	for number := 1; number < len(steps); number++ {
		if !next(uint32(number)) {
			return false
		}
		steps[number]()
		if err != nil {
			return false
		}
		good := true
		switch number {
		case 1, 5, 10:
			good = slices.Equal(s.i32, ints32)
		case 2, 6, 11:
			good = slices.Equal(s.i64, ints64)
		case 3, 8:
			good = slices.Equal(s.u32, bits32)
		case 4, 9:
			good = slices.Equal(s.u64, bits64)
		case 7:
			good = slices.Equal(s.bools, bools)
		case 12:
			good = slices.Equal(s.f32, floats)
		case 13:
			good = slices.Equal(s.f64, double)
		case 14:
			good = slices.Equal(s.enums, colors)
		}
		if !good {
			return false
		}
	}
	if !next(20) {
		return false
	}
	outer, err := d.Nested()
	if err != nil {
		return false
	}
	outer.DecodeTag()
	text, err := outer.DecodeString()
	if err != nil || len(text) != 200 {
		return false
	}
	outer.DecodeTag()
	group, err := outer.Group()
	if err != nil {
		return false
	}
	group.DecodeTag()
	key, value, err := group.MapEntry(wire.String, wire.Int64)
	if err != nil || group.More() {
		return false
	}
	text, keyErr := key.DecodeString()
	v, valueErr := value.DecodeInt64()
	number, _, err := outer.DecodeTag()
	if text != "key" || v != 7 || keyErr != nil || valueErr != nil || number != 23 || err != nil {
		return false
	}
	empty, err := outer.Nested()
	return err == nil && !empty.More() && !outer.More() && !d.More()
}

func TestWhatWasEncodedIsDecoded(t *testing.T) {
	for _, mode := range []wire.Mode{wire.Safe, wire.Fast} {
		d := wire.NewDecoder(expected())
		d.SetMode(mode)
		if !read(d, new(kept)) {
			t.Errorf("%v: wrong before byte %d", mode, d.Offset())
		}
	}
}

// LOW-10
func TestTheLowLevelCodecAllocatesNothing(t *testing.T) {
	b := expected()
	s := new(kept)
	d := wire.NewDecoder(b)
	d.SetMode(wire.Fast)
	read(d, s)
	room := make([]byte, len(b))
	for name, op := range map[string]func() bool{
		"decode": func() bool {
			d := wire.NewDecoder(b)
			d.SetMode(wire.Fast)
			return packedOnly(d, s)
		},
		"encode": func() bool {
			e := wire.NewEncoder(room)
			e.EncodeString(1, "text")
			e.EncodePackedInt32(2, ints32)
			e.EncodePackedDouble(3, double)
			wire.EncodePackedEnum(e, 4, colors)
			level := e.BeginNested(5)
			e.EncodeSint64(1, -7)
			e.End(level)
			_, err := e.Bytes()
			return err == nil
		},
		"enums": func() (good bool) {
			d := wire.NewDecoder([]byte{0x0a, 2, 1, 2})
			d.DecodeTag()
			s.enums, _ = wire.DecodePackedEnum(d, s.enums[:0])
			return len(s.enums) == 2 && !d.More()
		},
		"find": func() bool {
			d, ok, err := wire.Find(b, 20, 21, 22, 1)
			d.SetMode(wire.Fast)
			key, keyErr := d.DecodeString()
			return ok && err == nil && key == "key" && keyErr == nil
		},
	} {
		if !op() {
			t.Errorf("%s: wrong", name)
		}
		if n := testing.AllocsPerRun(200, func() { op() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// packedOnly reads all fields that everything writes, without comparing them.
func packedOnly(d *wire.Decoder, s *kept) bool {
	for d.More() {
		number, kind, err := d.DecodeTag()
		switch {
		case err != nil:
		case number == 14 && kind == wire.BytesType:
			_, err = d.DecodeStringUnchecked()
		case number == 1 && kind == wire.BytesType:
			s.i32, err = d.DecodePackedInt32(s.i32[:0])
		case number == 5:
			s.i32, err = d.DecodePackedSint32(s.i32[:0])
		case number == 13 && kind == wire.BytesType:
			s.f64, err = d.DecodePackedDouble(s.f64[:0])
		case number == 20:
			var nested, group wire.Decoder
			nested, err = d.Nested()
			for err == nil && nested.More() {
				if number, _, err = nested.DecodeTag(); number == 21 && err == nil {
					group, err = nested.Group()
					group.DecodeTag()
					key, _, entryErr := group.MapEntry(wire.String, wire.Int64)
					if text, _ := key.DecodeString(); text != "key" || entryErr != nil {
						return false
					}
				} else if err == nil {
					_, err = nested.DecodeBytes()
				}
			}
		default:
			_, err = d.Skip()
		}
		if err != nil {
			return false
		}
	}
	return true
}
