package pool_test

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	"github.com/hotpb/hotpb/go/internal/testgen/vectors_2023/vectors_2023hot"
	"github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

// views create the views that write back the same messages.
var views = func() map[string]func() viewed {
	all := map[string]func() viewed{}
	maps.Copy(all, vectorshot.Reencoders_vectors)
	maps.Copy(all, vectors_proto2hot.Reencoders_vectors_proto2)
	maps.Copy(all, vectors_2023hot.Reencoders_vectors_2023)
	return all
}()

type viewed = interface {
	DecodeWith(b []byte, o view.Options) error
	Validate() error
	CheckInitialized() error
	AppendCanonical(dst []byte) ([]byte, error)
}

// names are the names of the views' messages, in a fixed order, so that a number identifies one.
var names = slices.Sorted(maps.Keys(views))

// FCE-2, POL-1, POL-2. FuzzMessage reads any bytes as any message, with a pool that has read other bytes before: the
// result, or the error, equals the view's.
func FuzzMessage(f *testing.F) {
	for _, name := range []string{"wire", "invalid"} {
		for i, v := range vectors.Read(f, name) {
			if i%10 != 0 || flag.Lookup("test.fuzz").Value.String() == "" && i%50 != 0 {
				continue // the vectors have tests of their own, and many seeds start slowly
			}
			if n, ok := slices.BinarySearch(names, v.Message); ok {
				f.Add(uint16(n), v.Options.Strict, []byte(v.Input), []byte("\x08\x05"))
			}
		}
	}
	if n, ok := slices.BinarySearch(names, "hotpb.vectors.e23.All"); ok {
		f.Add(uint16(n), false, []byte("\xea\x3f\x00"), []byte{}) // ext_must without its required field
	}
	f.Fuzz(func(t *testing.T, n uint16, strict bool, input, before []byte) {
		name := names[int(n)%len(names)]
		for _, tier := range []makers{byRule, allCold, allHot} {
			withTier(tier, func() {
				m := messages[name]()
				_ = pool.Unmarshal(m, before, pool.Options{MaxDepth: 20})
				compareWithView(t, m, name, input, strict)
			})
		}
	})
}

// POL-2: a message that has read other inputs, well-formed and malformed, reads like a fresh one.
func TestDamagedVectorsReadAsTheViewReadsThem(t *testing.T) {
	eachTier(t, damagedVectorsReadAsTheViewReadsThem)
}

func damagedVectorsReadAsTheViewReadsThem(t *testing.T) {
	kept := map[string]message{}
	r := rand.New(rand.NewPCG(1, 2))
	for _, file := range []string{"wire", "invalid"} {
		for i, v := range vectors.Read(t, file) {
			if views[v.Message] == nil || len(v.Input) > 5_000 || i%2 != 0 {
				continue // large vectors are large by repetition
			}
			if kept[v.Message] == nil {
				kept[v.Message] = newMessage(t, v.Message)
			}
			compareWithView(t, kept[v.Message], v.Message, damage(r, v.Input), false)
		}
	}
}

func damage(r *rand.Rand, input []byte) []byte {
	b := bytes.Clone(input)
	for range 1 + r.IntN(3) {
		switch at := r.IntN(len(b) + 1); r.IntN(4) {
		case 0:
			b = slices.Insert(b, at, byte(r.Uint32()))
		case 1:
			b = slices.Delete(b, at, min(at+1+r.IntN(3), len(b)))
		case 2:
			b = append(b, b[at:]...)
		default:
			if at < len(b) {
				b[at] ^= 1 << r.IntN(8)
			}
		}
	}
	return b
}

func compareWithView(t *testing.T, m message, name string, input []byte, strict bool) {
	t.Helper()
	v := views[name]()
	wantErr := v.DecodeWith(input, view.Options{Strict: strict, MaxDepth: 20})
	if wantErr == nil {
		wantErr = v.Validate()
	}
	if wantErr == nil {
		wantErr = v.CheckInitialized()
	}
	for _, mode := range modes {
		err := pool.Unmarshal(m, input, pool.Options{Mode: mode, Strict: strict, MaxDepth: 20, MaxMemory: 1 << 30})
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%s, mode %d: %x: the pool returns %v, the view %v", name, mode, input, err, wantErr)
		}
		if err != nil {
			continue
		}
		want, wantErr := v.AppendCanonical(nil)
		got, err := m.AppendCanonicalHot(nil)
		if strict && errors.Is(wantErr, wire.InvalidUtf8) {
			continue // EXT-1: in an extension, which a pool's message reads by the schema alone
		}
		if errors.Is(err, wire.MissingRequired) && wantErr == nil {
			continue // REQ-2, REQ-4: in an extension, whose required fields a view does not ask for
		}
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Fatalf("%s, mode %d: %x: the pool has %x (%v), the view %x (%v)", name, mode, input, got, err, want, wantErr)
		}
	}
	checkMethods(t, name, m, input)
	if wantErr != nil {
		return
	}
	if err := pool.Unmarshal(m, input, pool.Options{MaxDepth: 20, MaxMemory: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	out, err := m.MarshalWith(nil, pool.MarshalOptions{Deterministic: true})
	if err != nil || len(out) != m.Size() {
		t.Fatalf("%s: %x: %v; Size is %d, the encoding has %d bytes", name, input, err, m.Size(), len(out))
	}
	decoded := messages[name]()
	if err := pool.Unmarshal(decoded, out, pool.Options{MaxDepth: 20, MaxMemory: 1 << 30}); err != nil {
		t.Fatalf("%s: %x: decoding the output, %x, returns %v", name, input, out, err)
	}
	if twice, err := decoded.MarshalWith(nil, pool.MarshalOptions{Deterministic: true}); err != nil || !bytes.Equal(twice, out) {
		t.Fatalf("%s: %x: written twice it is %x and %x (%v)", name, input, out, twice, err)
	}
}
