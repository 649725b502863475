package schema

import (
	"fmt"
	"testing"

	"github.com/hotpb/hotpb/go/wire"
)

// Rows that cannot be laid out fail at each call, and no part of them stays.
func TestRowsThatCannotBeLaidOutFailAgain(t *testing.T) {
	s := New("Flow")
	s.Uint64("first", 1)
	name := s.String("name", 2)
	p, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	last := p.compiled.Messages[0].Columns[1]
	last.Kind = wire.Kind(200)
	calls := map[string]func(){
		"NewRow": func() { _ = p.NewRow().Unmarshal([]byte("\x12\x01x")) },
		"Visit":  func() { _ = p.Visit([]byte("\x12\x01x"), nil) },
	}
	want := ""
	for range 2 {
		for call, f := range calls {
			func() {
				defer func() {
					why := fmt.Sprint(recover())
					if want == "" {
						want = why
					}
					if why != want || why == "<nil>" {
						t.Errorf("%s: %s, not %s", call, why, want)
					}
				}()
				f()
			}()
		}
	}
	last.Kind = wire.String
	r := p.NewRow()
	if err := r.Unmarshal([]byte("\x12\x01x")); err != nil || r.String(name) != "x" {
		t.Errorf("%v, %q", err, r.String(name))
	}
}
