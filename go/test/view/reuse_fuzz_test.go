package view_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/view"
)

// FuzzReusedViews reads inputs of decreasing length with one view. The memory of each input is overwritten, and in
// debug builds released, before the next one is read. A view shows the same as a fresh one, errors included, whatever
// it read before.
func FuzzReusedViews(f *testing.F) {
	for _, name := range []string{"wire", "invalid"} {
		for i, v := range vectors.Read(f, name) {
			if i%10 != 0 || !fuzzing() && i%50 != 0 {
				continue
			}
			if n, ok := slices.BinarySearch(names, v.Message); ok {
				f.Add(uint16(n), []byte(v.Input), []byte("\xfa\x07\x06secret"))
				f.Add(uint16(n), []byte(v.Input), []byte(v.Input[:len(v.Input)/2]))
			}
		}
	}
	f.Fuzz(func(t *testing.T, n uint16, first, second []byte) {
		name := names[int(n)%len(names)]
		reused := messages[name]()
		inputs := [][]byte{join(first, second), first, second}
		for _, part := range []int{8, 4, 2} {
			inputs = append(inputs, first[:len(first)-len(first)/part])
		}
		slices.SortStableFunc(inputs, func(a, b []byte) int { return len(b) - len(a) })
		memory := make([]byte, len(inputs[0]))
		for _, input := range inputs {
			// In the same place, as with a pool of buffers; after the input follow bytes of the previous message.
			given := memory[:copy(memory, input):len(memory)]
			opened, walked, shown := show(reused, given)
			wantOpened, wantWalked, want := show(messages[name](), bytes.Clone(input))
			if opened != wantOpened || walked != wantWalked || !bytes.Equal(shown, want) {
				t.Fatalf("%s: %x: %x (%s, %s); a fresh view shows %x (%s, %s)", name, input, shown, opened, walked, want, wantOpened, wantWalked)
			}
			for i := range memory[:len(input)] {
				memory[i] = 0xff // not a tag
			}
			view.Expire(memory)
		}
	})
}

// show returns everything that a view shows, without checking required fields.
func show(m reencoder, b []byte) (opened, walked string, shown []byte) {
	text := func(err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	if err := m.DecodeWith(b, view.Options{MaxDepth: 20}); err != nil {
		return text(err), "", nil
	}
	if err := m.Validate(); err != nil {
		walked = text(err)
	}
	shown, err := m.AppendCanonical(nil)
	return text(m.CheckInitialized()), walked + text(err), shown
}
