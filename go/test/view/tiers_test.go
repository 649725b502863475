package view_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/view"
)

// FCE-27. The contents that a view shows of any bytes, and the first error and its place, do not depend on the tier.
func TestBothTiersShowTheSameOfDamagedVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	refused, n := 0, 0
	for _, name := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(t, name) {
			if len(v.Input) > 20_000 {
				continue // large vectors are large by repetition
			}
			for damages := range 4 {
				input := []byte(v.Input)
				if damages > 0 {
					input = damage(r, v.Input)
				}
				n++
				opened, walked, shown := show(allHot[v.Message](), input)
				coldOpened, coldWalked, coldShown := show(allCold[v.Message](), bytes.Clone(input))
				if opened != coldOpened || walked != coldWalked || !bytes.Equal(shown, coldShown) {
					t.Fatalf("%s: %x\nstraight: %x (%s, %s)\nby table: %x (%s, %s)", v.Message, input, shown, opened, walked, coldShown, coldOpened, coldWalked)
				}
				if opened != "" {
					refused++
				}
			}
		}
	}
	if refused == 0 || refused == n {
		t.Errorf("%d of %d inputs were refused", refused, n)
	}
}

// FCE-10. A view by table that is reused shows nothing of the message before.
func TestAViewByTableForgetsWhatItRead(t *testing.T) {
	names := []string{}
	kept := map[string]reencoder{}
	for _, v := range vectors.Read(t, "wire") {
		if kept[v.Message] == nil {
			kept[v.Message] = allCold[v.Message]()
			names = append(names, v.Message)
		}
		_, _, want := show(allHot[v.Message](), v.Input)
		if _, _, got := show(kept[v.Message], v.Input); !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", v.Name, got, want)
		}
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		if err := kept[name].DecodeWith([]byte{0xff}, view.Options{}); err == nil {
			t.Errorf("%s: half a tag is read", name)
		}
		if b, err := kept[name].AppendCanonical(nil); len(b) != 0 || err != nil {
			t.Errorf("%s: after a failure %x, %v", name, b, err)
		}
	}
}
