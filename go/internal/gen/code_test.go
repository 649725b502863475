package gen

import (
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
)

// A template's names become values and identifiers; one that is unknown stops the generator, since no user could repair its output.
func TestTemplatesAreFilledByName(t *testing.T) {
	f := &emit.File{Gen: &emit.Generator{}, Names: &emit.Names{}, Imports: map[string]string{}}
	f.Code(`
		$a$ = $wire.Tag$($b$) + $b$ // $encoding/binary.LittleEndian$

		`, "a", "x", "b", 3)
	f.Code("return")
	if want := "\t\tx = wire.Tag(3) + 3 // binary.LittleEndian\n\nreturn\n"; f.Body.String() != want {
		t.Errorf("the code is %q", f.Body.String())
	}
	for template, word := range map[string]string{"$a$ $c$": "$c$", "cost: 3 $": "counterpart", "$b": "counterpart"} {
		func() {
			defer func() {
				if message, _ := recover().(string); !strings.Contains(message, word) {
					t.Errorf("%q: the generator says %q", template, message)
				}
			}()
			f.Fill(template, "a", 1)
		}()
	}
}
