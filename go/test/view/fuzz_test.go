package view_test

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

// names are the names of all messages, in a fixed order, so that a number identifies one.
var names = func() (all []string) {
	for name := range messages {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}()

// FCE-2. FuzzMessage reads any bytes as any message: nothing panics, Validate agrees with opening everything in the
// message, and a second re-encoding changes nothing.
func FuzzMessage(f *testing.F) {
	for _, name := range []string{"wire", "invalid"} {
		for i, v := range vectors.Read(f, name) {
			if i%10 != 0 || !fuzzing() && i%50 != 0 {
				continue // the vectors have tests of their own, and many seeds start slowly
			}
			if n, ok := slices.BinarySearch(names, v.Message); ok {
				f.Add(uint16(n), v.Options.Strict, []byte(v.Input))
			}
		}
	}
	f.Fuzz(func(t *testing.T, n uint16, strict bool, input []byte) {
		name := names[int(n)%len(names)]
		o := view.Options{Strict: strict, MaxDepth: 20}
		for _, tier := range tiers {
			withTier(tier, func() { checkMessage(t, name, input, o) })
		}
	})
}

func fuzzing() bool { return flag.Lookup("test.fuzz").Value.String() != "" }

// TestDamagedVectorsBreakNoReader is FuzzMessage without a fuzzer: every vector, damaged in a few ways that are the
// same in every run.
func TestDamagedVectorsBreakNoReader(t *testing.T) { eachTier(t, damagedVectorsBreakNoReader) }

func damagedVectorsBreakNoReader(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(t, name) {
			if len(v.Input) > 20_000 {
				continue // large vectors are large by repetition
			}
			for range 3 {
				input := damage(r, v.Input)
				checkMessage(t, v.Message, input, view.Options{MaxDepth: 20})
			}
		}
	}
}

func damage(r *rand.Rand, input []byte) []byte {
	b := bytes.Clone(input)
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			return b
		}
		at := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b[at] = byte(r.UintN(256))
		case 1:
			b[at] ^= 1 << r.UintN(8)
		case 2:
			b = b[:at]
		case 3:
			b = slices.Insert(b, at, b[at:at+r.IntN(len(b)-at)]...)
		}
	}
	return b
}

func checkMessage(t *testing.T, name string, input []byte, o view.Options) {
	m := messages[name]()
	before := bytes.Clone(input)
	opened := m.DecodeWith(input, o)
	if opened != nil {
		mustHaveCode(t, opened)
		return
	}
	valid := m.Validate()
	first, walked := m.AppendCanonical(nil)
	initialized := m.CheckInitialized()
	if !bytes.Equal(before, input) {
		t.Fatal("reading changed the input")
	}
	if valid != nil {
		mustHaveCode(t, valid)
		return
	}
	if initialized != nil && !errors.Is(initialized, wire.MissingRequired) {
		t.Fatalf("%s: valid, but CheckInitialized says %v", name, initialized)
	}
	if walked != nil {
		// In a valid message only an extension may be damaged: it was not read before.
		mustHaveCode(t, walked)
		return
	}
	second, err := canonical(messages[name](), first, o, true)
	if err != nil {
		t.Fatalf("%s: the view rejects its own output: %v\n%x\n%x", name, err, input, first)
	}
	if !bytes.Equal(first, second) {
		t.Fatalf("%s: re-encoding is not stable\ninput  %x\nfirst  %x\nsecond %x", name, input, first, second)
	}
}

func mustHaveCode(t *testing.T, err error) {
	t.Helper()
	var e *wire.Error
	if !errors.As(err, &e) || e.Code == 0 || e.Code > wire.MissingRequired || e.Offset < 0 {
		t.Fatalf("an error without a proper code: %v", err)
	}
}
