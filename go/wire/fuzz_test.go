package wire_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotpb/hotpb/go/internal/vectors"
	rt "github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/wire"
)

// seed adds the vectors' inputs.
func seed(f *testing.F, names ...string) {
	for _, name := range names {
		all := vectors.Read(f, name)
		for i, v := range all {
			if len(all) < 500 || i%10 == 0 { // many seeds start slowly
				f.Add([]byte(v.Input))
			}
		}
	}
}

// FuzzRecords walks any bytes as records: the walk moves forward, stays within the input and agrees with the stock
// runtime about each record.
func FuzzRecords(f *testing.F) {
	seed(f, "wire", "invalid", "primitive")
	f.Fuzz(func(t *testing.T, b []byte) {
		for i := 0; i < len(b); {
			tag, next := wire.ReadTag(b, i)
			if next < 0 {
				return
			}
			end := wire.Skip(b, next, tag, wire.DefaultDepth)
			if end < 0 {
				return
			}
			if next <= i || end < next || end > len(b) {
				t.Fatalf("from %d to %d to %d of %d", i, next, end, len(b))
			}
			if number, kind, n := protowire.ConsumeField(b[i:]); n >= 0 {
				if uint32(number) != tag.Number() || wire.Type(kind) != tag.Type() || i+n != end {
					t.Fatalf("at %d: %d/%d up to %d, stock %d/%d up to %d", i, tag.Number(), tag.Type(), end, number, kind, i+n)
				}
			}
			i = end
		}
	})
}

// FuzzVarint reads any bytes as varints, one by one and as a packed field.
func FuzzVarint(f *testing.F) {
	seed(f, "primitive")
	f.Add(bytes.Repeat([]byte{0x85, 1, 7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 40))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, next := wire.ReadVarint(b, 0)
		if skipped := rt.SkipVarint(b, 0); skipped != next {
			t.Fatalf("read to %d, skipped to %d", next, skipped)
		}
		if want, n := protowire.ConsumeVarint(b); n >= 0 && (want != v || n != next) {
			t.Fatalf("%d up to %d, stock %d up to %d", v, next, want, n)
		}
		count, _, code := rt.CountVarints(b)
		walked, i := 0, 0
		for i >= 0 && i < len(b) {
			if i = rt.SkipVarint(b, i); i >= 0 {
				walked++
			}
		}
		if walked != count || (i < 0) != (code != 0) || i < 0 && wire.Failed(i) != code {
			t.Fatalf("counted %d (%v), walked %d (%d)", count, code, walked, i)
		}
		if code != 0 {
			return
		}
		words, halves, at := make([]uint64, count), make([]int32, count), 0
		rt.ReadVarints(words, b)
		rt.ReadVarints(halves, b)
		for n := range words {
			v, next := wire.ReadVarint(b, at)
			if words[n] != v || halves[n] != int32(v) {
				t.Fatalf("element %d: %x and %x, want %x", n, words[n], halves[n], v)
			}
			at = next
		}
	})
}

// FuzzUTF8 compares with the standard library.
func FuzzUTF8(f *testing.F) {
	seed(f, "primitive")
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := wire.ValidUTF8(b), utf8.Valid(b); got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// FuzzDelimited reads any bytes as a stream, in memory and through a reader.
func FuzzDelimited(f *testing.F) {
	seed(f, "stream")
	f.Fuzz(func(t *testing.T, b []byte) {
		o := wire.Options{MaxSize: 1 << 16}
		stream := wire.NewDelimitedReader(newSlowReader(b), o)
		for i := 0; ; {
			want, next, cutErr := wire.CutDelimited(b, i, o)
			got, readErr := stream.Next()
			if cutErr != nil || next == i {
				if readErr == nil || cutErr != nil && readErr.Error() != cutErr.Error() {
					t.Fatalf("at %d: cut %v, read %v", i, cutErr, readErr)
				}
				return
			}
			if readErr != nil || string(got) != string(want) {
				t.Fatalf("at %d: %x, %v; want %x", i, got, readErr, want)
			}
			i = next
		}
	})
}
