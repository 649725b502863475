package lazyproto_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hotpb/hotpb/go/compat/lazyproto"
	"github.com/hotpb/hotpb/go/wire"
)

// 1: "a", 3: packed 300, 3: 7, 5: {1: "x", 2: 1}, 5: {2: 2, 3: {1: 9}}, 1: "b", 6: 1.5 as a float
const message = "\x0a\x01a\x1a\x02\xac\x02\x18\x07\x2a\x05\x0a\x01x\x10\x01\x2a\x06\x10\x02\x1a\x02\x08\x09\x0a\x01b\x35\x00\x00\xc0\x3f"

func definition() lazyproto.Def {
	def := lazyproto.NewDef(1, 3, 6, 7)
	def.NestedTag(5, 1, 2).NestedTag(3, 1)
	return def
}

func decoder(t testing.TB, options ...lazyproto.Option) *lazyproto.Decoder {
	t.Helper()
	d, err := lazyproto.NewDecoder(definition(), options...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// is compares a value that a getter returns.
func is[T comparable](t *testing.T, want T) func(T, error) {
	return func(got T, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
}

func are[T comparable](t *testing.T, want ...T) func([]T, error) {
	return func(got []T, err error) {
		t.Helper()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
}

// LOW-21, LOW-22, LOW-23
func TestFieldsAreReadByTheirPath(t *testing.T) {
	for _, mode := range []wire.Mode{wire.Safe, wire.Fast} {
		r, err := decoder(t, lazyproto.WithMode(mode)).Decode([]byte(message))
		if err != nil {
			t.Fatal(err)
		}
		is(t, "b")(r.StringValue(1))
		are(t, "a", "b")(r.StringValues(1))
		is(t, uint64(7))(r.UInt64Value(3)) // the last one that is not packed
		are(t, uint32(300), 7)(r.UInt32Values(3))
		is(t, float32(1.5))(r.Float32Value(6))
		// The parts of one message.
		nested, err := r.NestedResult(5)
		if err != nil {
			t.Fatal(err)
		}
		is(t, "x")(nested.StringValue(1))
		are(t, int32(1), 2)(nested.Int32Values(2))
		fd, err := r.FieldData(5, 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		is(t, int64(-5))(fd.SInt64Value())
		// The elements of a repeated field.
		all, err := r.NestedResults(5)
		if err != nil || len(all) != 2 {
			t.Fatalf("%d, %v", len(all), err)
		}
		are(t, int32(1))(all[0].Int32Values(2))
		are(t, int32(2))(all[1].Int32Values(2))
		if _, err := all[1].StringValue(1); !errors.Is(err, lazyproto.ErrTagNotFound) {
			t.Error(err)
		}
		if _, err := all[0].NestedResult(3); !errors.Is(err, lazyproto.ErrTagNotFound) {
			t.Error(err)
		}
		if b, err := r.BytesValue(5); err != nil || string(b) != "\x10\x02\x1a\x02\x08\x09" {
			t.Errorf("%x, %v", b, err)
		}
		var seen []string
		r.Range(func(tag uint32, field *lazyproto.FieldData) bool {
			seen = append(seen, fmt.Sprint(tag, field != nil))
			return tag != 6
		})
		if strings.Join(seen, " ") != "1 true 3 true 5 true 6 true" {
			t.Error(seen)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// LOW-24
func TestErrorsSayWhatIsMissing(t *testing.T) {
	r, err := decoder(t, lazyproto.WithUTF8()).Decode([]byte("\x0a\x02\xff\x61\x1a\x01\xff\x2a\x00\x28\x01"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	field := func(tags ...uint32) error { _, err := r.FieldData(tags...); return err }
	for _, c := range []struct {
		name      string
		got, want error
	}{
		{"a field that the message lacks", field(6), lazyproto.ErrTagNotFound},
		{"a field that the definition lacks", field(2), lazyproto.ErrTagNotDefined},
		{"0", field(0), lazyproto.ErrTagNotDefined},
		{"a number that no field can have", field(math.MaxUint32), lazyproto.ErrTagNotDefined},
		{"no path", field(), lazyproto.ErrTagNotDefined},
		{"a field in a value", field(1, 1), lazyproto.ErrNestingNotDefined},
		{"a field in an undefined one", field(2, 1), lazyproto.ErrTagNotDefined},
		{"a field in an empty message", field(5, 1), lazyproto.ErrTagNotFound},
	} {
		if c.got != c.want || !errors.Is(c.got, lazyproto.ErrTagNotFound) {
			t.Errorf("%s: %v", c.name, c.got)
		}
	}
	var mismatch *lazyproto.WireTypeMismatchError
	if _, err := r.Int32Value(1); !errors.As(err, &mismatch) || !errors.Is(err, wire.TypeMismatch) || mismatch.Got != wire.BytesType || mismatch.Want != wire.VarintType {
		t.Error(err)
	}
	var e *wire.Error
	if _, err := r.StringValue(1); !errors.As(err, &e) || e.Code != wire.InvalidUtf8 || e.Offset != 2 {
		t.Error(err)
	}
	if _, err := r.StringValues(1); !errors.As(err, &e) || e.Code != wire.InvalidUtf8 {
		t.Error(err)
	}
	if _, err := r.Int64Values(3); !errors.As(err, &e) || e.Code != wire.Truncated || e.Offset != 6 {
		t.Error(err)
	}
	if _, err := r.Fixed64Values(3); !errors.As(err, &e) || e.Code != wire.Truncated || e.Offset != 6 {
		t.Error(err)
	}
	for _, f := range []*lazyproto.FieldData{nil, {}} {
		_, single := f.StringValue()
		_, all := f.BoolValues()
		_, texts := f.BytesValues()
		if single != lazyproto.ErrTagNotFound || all != lazyproto.ErrTagNotFound || texts != lazyproto.ErrTagNotFound {
			t.Error(single, all, texts)
		}
	}
	for _, none := range []*lazyproto.DecodeResult{nil, {}} {
		_, single := none.FieldData(1)
		_, nested := none.NestedResult(1)
		none.Range(func(uint32, *lazyproto.FieldData) bool { t.Error("a field"); return true })
		if single != lazyproto.ErrTagNotDefined || nested != lazyproto.ErrTagNotDefined || none.Close() != nil {
			t.Error(single, nested)
		}
	}
}

// LOW-26. A result that is closed is never read, and its memory is not given away twice.
func TestAClosedResultIsAnError(t *testing.T) {
	d := decoder(t, lazyproto.WithMode(wire.Fast))
	r, err := d.Decode([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	fd, err := r.GetFieldData(1)
	if err != nil {
		t.Fatal(err)
	}
	nested, err := r.NestedResult(5)
	if err != nil || nested.Close() != nil { // which does nothing
		t.Fatal(err)
	}
	is(t, "b")(r.StringValue(1))
	kept := *r
	for range 2 {
		if r.Close() != nil || kept.Close() != nil {
			t.Error("Close returns an error")
		}
	}
	first, oneErr := d.Decode([]byte("\x0a\x01c"))
	second, otherErr := d.Decode([]byte("\x0a\x01d"))
	if oneErr != nil || otherErr != nil {
		t.Fatal(oneErr, otherErr)
	}
	is(t, "c")(first.StringValue(1))
	is(t, "d")(second.StringValue(1))
	_, a := r.StringValue(1)
	_, b := fd.StringValue()
	_, c := nested.StringValue(1)
	_, e := r.NestedResults(5)
	if a != lazyproto.ErrClosed || b != lazyproto.ErrClosed || c != lazyproto.ErrClosed || e != lazyproto.ErrClosed {
		t.Error(a, b, c, e)
	}
	r.Range(func(uint32, *lazyproto.FieldData) bool { t.Error("a field"); return true })
}

// LOW-26
func TestModesKeepTheirPromise(t *testing.T) {
	for _, mode := range []wire.Mode{wire.Safe, wire.Fast} {
		input := []byte(message)
		d := decoder(t, lazyproto.WithMode(mode))
		r, err := d.Decode(input)
		if err != nil {
			t.Fatal(err)
		}
		texts, err := r.StringValues(1)
		numbers, err2 := r.UInt32Values(3)
		more, err3 := r.UInt32Values(3)
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(err, err2, err3)
		}
		if &numbers[0] == &more[0] || cap(numbers) != len(numbers) {
			t.Error("two results share memory")
		}
		input[2] = 'z'
		if safe := mode == wire.Safe; (texts[0] == "a") != safe {
			t.Errorf("%v: %q", mode, texts)
		}
		r.Close()
		var before []uint32
		for n := range 2 {
			if r, err = d.Decode([]byte("\x1a\x02\x01\x02")); err != nil {
				t.Fatal(err)
			}
			slice, err := r.UInt32Values(3)
			if err != nil || n > 0 && !raceDetector && (&slice[0] == &before[0]) != (mode == wire.Fast) {
				t.Errorf("%v: slices are used again: %v, %v", mode, &slice[0] == &before[0], err)
			}
			before = slice
			r.Close()
		}
	}
}

// LOW-26
func TestADecodeThatIsWarmAllocatesNothing(t *testing.T) {
	d, input := decoder(t, lazyproto.WithMode(wire.Fast)), []byte(message)
	if n := testing.AllocsPerRun(100, func() {
		r, err := d.Decode(input)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := r.StringValue(1); err != nil || v != "b" {
			t.Error(v, err)
		}
		if v, err := r.StringValues(1); err != nil || len(v) != 2 || v[0] != "a" {
			t.Error(v, err)
		}
		if v, err := r.UInt32Values(3); err != nil || len(v) != 2 || v[0] != 300 {
			t.Error(v, err)
		}
		fd, err := r.FieldData(5, 3, 1)
		if v, valueErr := fd.Int32Value(); err != nil || valueErr != nil || v != 9 {
			t.Error(v, err, valueErr)
		}
		nested, err := r.NestedResult(5)
		if v, valueErr := nested.Int32Values(2); err != nil || valueErr != nil || len(v) != 2 {
			t.Error(v, err, valueErr)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}); n != 0 && !raceDetector {
		t.Errorf("%v allocations", n)
	}
}

func TestDefinitionsAreChecked(t *testing.T) {
	cycle := lazyproto.NewDef(1)
	cycle[2], cycle[3] = cycle, cycle
	wide := lazyproto.NewDef()
	for i := range uint32(300) {
		wide.NestedTag(i + 1)
		for k := range uint32(300) {
			wide[i+1].Tags(k + 1)
		}
	}
	for name, def := range map[string]lazyproto.Def{
		"0": lazyproto.NewDef(0), "largest": lazyproto.NewDef(1, math.MaxUint32), "too large": lazyproto.NewDef(1 << 29),
		"nested": {1: lazyproto.NewDef(0)}, "itself": cycle, "too many": wide,
	} {
		if def.Validate() == nil {
			t.Errorf("%s: Validate accepts it", name)
		}
		if _, err := lazyproto.NewDecoder(def); err == nil {
			t.Errorf("%s: NewDecoder accepts it", name)
		}
		if _, err := lazyproto.Decode(nil, def); err == nil {
			t.Errorf("%s: Decode accepts it", name)
		}
	}
	if nested, has := definition().Get(5); !has || len(nested) != 3 || definition().Validate() != nil {
		t.Error(nested, has)
	}
	if _, has := definition().Get(4); has {
		t.Error("a field that is not defined")
	}
	for _, option := range []lazyproto.Option{nil, lazyproto.WithMode(7), lazyproto.WithMaxBufferSize(-1), lazyproto.WithBufferFilterFunc(nil)} {
		if _, err := lazyproto.NewDecoder(definition(), option); err == nil {
			t.Error("an option is accepted")
		}
	}
	if _, err := new(lazyproto.Decoder).Decode(nil); err == nil {
		t.Error("a decoder that NewDecoder did not make")
	}
	var none *lazyproto.Decoder
	if _, err := none.Decode(nil); err == nil {
		t.Error("a nil decoder")
	}
	// Later changes of a definition do not reach the decoder.
	def := definition()
	d, err := lazyproto.NewDecoder(def)
	if err != nil {
		t.Fatal(err)
	}
	clear(def)
	r, err := d.Decode([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	is(t, "b")(r.StringValue(1))
	result, err := lazyproto.Decode([]byte(message), definition())
	if err != nil {
		t.Fatal(err)
	}
	is(t, "b")(result.StringValue(1))
}

func TestLargeSlicesAreNotKept(t *testing.T) {
	for _, option := range []lazyproto.Option{lazyproto.WithMaxBufferSize(10), lazyproto.WithBufferFilterFunc(func(n int) int { return 10 })} {
		d := decoder(t, lazyproto.WithMode(wire.Fast), option)
		decode := func(n int) []uint32 {
			r, err := d.Decode([]byte(strings.Repeat("\x18\x01", n)))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			numbers, err := r.UInt32Values(3)
			if err != nil || len(numbers) != n {
				t.Fatal(numbers, err)
			}
			return numbers
		}
		if first, second := decode(100), decode(100); &first[0] == &second[0] {
			t.Error("a large slice is used again")
		}
		if first, second := decode(5), decode(5); &first[0] != &second[0] && !raceDetector { // pools drop at random then
			t.Error("a small slice is not used again")
		}
	}
}

func TestGoroutinesShareADecoderAndAResultInModeSafe(t *testing.T) {
	d := decoder(t)
	shared, err := d.Decode([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			text := strings.Repeat("x", i)
			for range 200 {
				r, err := d.Decode(append([]byte{0x0a, byte(i)}, text...))
				if err != nil {
					t.Error(err)
					return
				}
				is(t, text)(r.StringValue(1))
				are(t, "a", "b")(shared.StringValues(1))
				r.Close()
			}
		}()
	}
	group.Wait()
}

func BenchmarkThreeFields(b *testing.B) {
	input := []byte(strings.Repeat("\x3a\x04abcd\x40\x05", 20) + message)
	b.Run("lazyproto", func(b *testing.B) {
		d := decoder(b, lazyproto.WithMode(wire.Fast))
		for b.Loop() {
			r, err := d.Decode(input)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := r.StringValue(1); err != nil {
				b.Fatal(err)
			}
			if _, err := r.UInt32Value(3); err != nil {
				b.Fatal(err)
			}
			if fd, err := r.FieldData(5, 3, 1); err != nil {
				b.Fatal(fd, err)
			}
			r.Close()
		}
	})
	b.Run("FindMany", func(b *testing.B) {
		paths, err := wire.NewPaths([]uint32{1}, []uint32{3}, []uint32{5, 3, 1})
		if err != nil {
			b.Fatal(err)
		}
		var found [3]wire.Decoder
		for b.Loop() {
			if err := wire.FindMany(input, paths, found[:]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Find", func(b *testing.B) {
		for b.Loop() {
			for _, path := range [][]uint32{{1}, {3}, {5, 3, 1}} {
				if _, _, err := wire.Find(input, path...); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
