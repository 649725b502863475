package pool_test

import (
	"bytes"
	"flag"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/pool"
)

// scratcher is the interface that all generated messages have in common.
type scratcher interface {
	MarshalScratch(dst []byte) ([]byte, error)
}

const (
	allowsPartial = 1 << iota
	isStrict
	decodesPartial
	readsByTable
)

// FuzzStaleMemory reads any bytes with a message that has read other bytes, and writes it into memory that other
// messages have used. Contents and encoding must equal those of a fresh message, also after errors half-way, and must
// never show old contents. In builds with the tag hotpbdebug, slabs and scratch memory are filled with values that
// occur in no message. A message decoded as a copy does not change with the input.
func FuzzStaleMemory(f *testing.F) {
	for _, name := range []string{"wire", "invalid"} {
		for i, v := range vectors.Read(f, name) {
			if i%10 != 0 || flag.Lookup("test.fuzz").Value.String() == "" && i%50 != 0 {
				continue
			}
			if n, ok := slices.BinarySearch(names, v.Message); ok {
				f.Add(uint16(n), uint8(i), []byte(v.Input), []byte(v.Input))
				f.Add(uint16(n), uint8(i>>3), []byte(v.Input), bytes.Repeat([]byte("\xfa\x07\x06secret"), 30))
			}
		}
	}
	f.Fuzz(func(t *testing.T, n uint16, flags uint8, input, before []byte) {
		name := names[int(n)%len(names)]
		if flags&readsByTable != 0 {
			defer func(was makers) { messages = was }(messages)
			messages = allCold
		}
		for _, mode := range modes {
			o := pool.Options{Mode: mode, MaxDepth: 20, MaxMemory: 1 << 30, AllowPartial: flags&decodesPartial != 0}
			m, fresh := messages[name](), messages[name]()
			for range 2 { // so that there is memory to reuse
				_ = pool.Unmarshal(m, before, pool.Options{MaxDepth: 20, AllowPartial: true})
			}
			given := bytes.Clone(input)
			err, freshErr := pool.Unmarshal(m, given, o), pool.Unmarshal(fresh, input, o)
			if mode != pool.Alias {
				for i := range given {
					given[i] = 0xff // the message must not point there
				}
			}
			if (err == nil) != (freshErr == nil) || err != nil && err.Error() != freshErr.Error() {
				t.Fatalf("%s, mode %d: %x after %x: %v; a fresh message gives %v", name, mode, input, before, err, freshErr)
			}
			same(t, name, m, fresh)
			writesNothingStale(t, name, m, fresh, pool.MarshalOptions{
				Deterministic: true, AllowPartial: flags&allowsPartial != 0, Strict: flags&isStrict != 0,
			})
		}
	})
}

// same checks that two messages have the same contents.
func same(t *testing.T, name string, m, fresh message) {
	t.Helper()
	want, wantErr := fresh.AppendCanonicalHot(nil)
	got, err := m.AppendCanonicalHot(nil)
	if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
		t.Fatalf("%s: it has %x (%v), a fresh message %x (%v)", name, got, err, want, wantErr)
	}
}

// writesNothingStale writes a message into memory with old contents, in all ways, and compares with the output of a
// fresh message into zero memory.
func writesNothingStale(t *testing.T, name string, m, fresh message, o pool.MarshalOptions) {
	t.Helper()
	const canary = 0xa7
	want, wantErr := fresh.MarshalWith(nil, o)
	head := []byte("head")
	for _, spare := range []int{0, 1, len(want), len(want) + 100} {
		dst := append(make([]byte, 0, len(head)+spare), head...)
		for i := range dst[len(head):cap(dst)] {
			dst[len(head):cap(dst)][i] = canary
		}
		got, err := m.MarshalWith(dst, o)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%s: %v, a fresh message gives %v", name, err, wantErr)
		}
		if err != nil && !bytes.Equal(got, head) || err == nil && !bytes.Equal(got[len(head):], want) {
			t.Fatalf("%s: %d bytes of room: %x (%v), not %x", name, spare, got, err, want)
		}
		if o.Strict {
			continue // the others have no options
		}
		scratch, scratchErr := m.(scratcher).MarshalScratch(bytes.Clone(dst[:cap(dst)])[:len(head)])
		filled := bytes.Repeat([]byte{canary}, spare)
		n, fillErr := m.MarshalToSizedBuffer(filled)
		full, fullErr := fresh.MarshalWith(nil, pool.MarshalOptions{Deterministic: true})
		if (scratchErr == nil) != (fullErr == nil) || fillErr == nil && fullErr != nil {
			t.Fatalf("%s: %v and %v, a fresh message gives %v", name, scratchErr, fillErr, fullErr)
		}
		if scratchErr != nil && !bytes.Equal(scratch, head) || fillErr != nil && n != 0 {
			t.Fatalf("%s: output with an error: %x, %d", name, scratch, n)
		}
		var outputs [][]byte
		if scratchErr == nil {
			outputs = append(outputs, scratch[len(head):])
		}
		if fillErr == nil {
			outputs = append(outputs, filled[spare-n:])
		}
		for _, b := range outputs { // maps may come in any order
			decoded := messages[name]()
			if err := pool.Unmarshal(decoded, b, pool.Options{MaxDepth: 100, MaxMemory: 1 << 30}); err != nil {
				t.Fatalf("%s: what was written, %x, gives %v", name, b, err)
			}
			if got, err := decoded.MarshalWith(nil, pool.MarshalOptions{Deterministic: true}); err != nil || !bytes.Equal(got, full) {
				t.Fatalf("%s: %x was written, which is %x (%v), not %x", name, b, got, err, full)
			}
		}
	}
}
