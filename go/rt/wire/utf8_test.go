package wire

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

var sequences = []string{
	"a", "\x00", "\x7f", "é", "€", "😀", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff",
	"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff",
}

func TestUTF8IsThatOfTheStandardLibraryAtEveryPlace(t *testing.T) {
	for _, s := range sequences {
		for before := range 70 {
			for _, after := range []int{0, 1, 3, 7, 8, 9, 31, 33} {
				b := []byte(strings.Repeat("x", before) + s + strings.Repeat("y", after))
				if got, want := ValidUTF8(b), utf8.Valid(b); got != want {
					t.Fatalf("% x: %v, want %v", b, got, want)
				}
			}
		}
	}
}

func TestTheValidPrefixEndsAtTheFirstIllFormedSequence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text string
		for range r.IntN(12) {
			text += sequences[r.IntN(len(sequences))]
		}
		n := ValidPrefix([]byte(text))
		if !utf8.ValidString(text[:n]) || (n == len(text)) != utf8.ValidString(text) {
			t.Fatalf("%q: %d", text, n)
		}
		if n < len(text) {
			if r, size := utf8.DecodeRuneInString(text[n:]); r != utf8.RuneError || size != 1 {
				t.Fatalf("%q continues after %d", text, n)
			}
		}
	}
}

func BenchmarkUTF8(b *testing.B) {
	for _, size := range []int{4, 8, 15, 32, 100, 1000} {
		for kind, text := range map[string]string{
			"ascii":     strings.Repeat("a", size),
			"multibyte": strings.Repeat("aé€😀", size/10+1)[:size/10*10+1],
		} {
			input := []byte(text)
			for name, valid := range map[string]func([]byte) bool{"hotpb": ValidUTF8, "std": utf8.Valid} {
				b.Run(fmt.Sprintf("%s/%d/%s", kind, size, name), func(b *testing.B) {
					b.SetBytes(int64(len(input)))
					for b.Loop() {
						if !valid(input) {
							b.Fatal("valid text was rejected")
						}
					}
				})
			}
		}
	}
}
