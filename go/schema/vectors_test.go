package schema_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/schema"
)

// rows make rows of the vectors' messages, imported from their descriptor set.
type rows map[string]*schema.Row

func (r rows) row(t testing.TB, message string) *schema.Row {
	t.Helper()
	if r[message] == nil {
		r[message] = importPlan(t, "vectors", message).NewRow()
	}
	return r[message]
}

// importPlan compiles a message of vectors/plans/<name>.fds.
func importPlan(t testing.TB, name, message string) *schema.Plan {
	t.Helper()
	fds, err := os.ReadFile("../../vectors/plans/" + name + ".fds")
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromDescriptorSet(fds, message)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// optionsOf are a vector's options as rows have them.
func optionsOf(v *vectors.Vector) schema.UnmarshalOptions {
	limits := v.Limits()
	o := schema.UnmarshalOptions{Strict: limits.Strict, MaxDepth: limits.MaxDepth, MaxSize: limits.MaxSize, AllowPartial: v.Options.AllowPartial}
	if n := v.Options.Elements; n != nil {
		if o.MaxElements = *n; *n == 0 {
			o.MaxElements = -1 // zero would mean the default
		}
	}
	return o
}

// aboutExtensions reports the vectors whose outcome depends on asking for extensions and items of message sets, which
// are unknown fields to this face.
func aboutExtensions(v *vectors.Vector) bool {
	return strings.Contains(v.Name, "everything") || slices.ContainsFunc(v.IDs, func(id string) bool {
		return strings.HasPrefix(id, "EXT") || strings.HasPrefix(id, "SET") || id == "REQ-4"
	})
}

// SCH-20, SCH-90.
// Each row is used again for all vectors, so that values that one leaves would show in the next.
func TestWireVectorsReencodeToTheirCanonicalBytes(t *testing.T) {
	kept, n, extensions := rows{}, 0, 0
	for _, v := range vectors.Read(t, "wire") {
		if !v.Binds("pool") {
			continue
		}
		row := kept.row(t, v.Message)
		o := optionsOf(v)
		for _, o.Alias = range []bool{false, true} {
			input := bytes.Clone(v.Input)
			if err := row.UnmarshalWith(input, o); err != nil {
				t.Errorf("%s %v: %v: %x", v.Name, v.IDs, err, []byte(v.Input))
				continue
			}
			if !o.Alias {
				clear(input) // nothing points there
			}
			got := row.Append(nil)
			if want := v.Canonical; bytes.Equal(got, want) {
				n++
			} else if aboutExtensions(v) {
				extensions++
			} else {
				t.Errorf("%s %v:\ninput %x\n  got %x\n want %x", v.Name, v.IDs, []byte(v.Input), got, []byte(want))
			}
		}
	}
	t.Logf("%d are canonical, %d have extensions in another place", n, extensions)
}

func TestInvalidVectorsGiveTheirErrors(t *testing.T) {
	kept, n := rows{}, 0
	for _, v := range vectors.Read(t, "invalid") {
		if !v.Binds("pool") {
			continue
		}
		row := kept.row(t, v.Message)
		o := optionsOf(v)
		for _, o.Alias = range []bool{false, true} {
			err := row.UnmarshalWith(v.Input, o)
			if difference := v.Error.Differs(err); difference != "" && !aboutExtensions(v) {
				t.Errorf("%s %v: %s: %x", v.Name, v.IDs, difference, []byte(v.Input[:min(len(v.Input), 100)]))
			} else if difference == "" {
				n++
				if got := row.Append(nil); len(got) != 0 {
					t.Errorf("%s: after the error the row is not empty", v.Name)
				}
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d vectors were refused as they say", n)
	}
}
