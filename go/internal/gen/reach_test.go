package gen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/emit/view"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// A schema of 20,000 messages that all reach each other took minutes when each
// message looked for its group by itself; now it takes about a second.
func TestTimeGrowsWithTheSchemaAndNotWithItsSquare(t *testing.T) {
	const messages = 20_000
	var schema strings.Builder
	schema.WriteString(`name: "a.proto" package: "p" options { go_package: "example.com/p" }`)
	for i := range messages {
		fmt.Fprintf(&schema, `message_type { name: "M%d"
			field { name: "next" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M%d" }
			field { name: "far" number: 2 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.M%d" } }`,
			i, (i+1)%messages, (7*i)%messages)
	}
	p := planText(t, schema.String())
	written := 0
	withFaces(t, emit.Face{Name: "view", Emit: func(f *emit.File) error {
		err := view.EmitView(f)
		written = f.Body.Len()
		f.Body.Reset() // gofmt takes its time, but in proportion
		return err
	}, TypeSuffixes: func(*plan.Message) []string { return []string{emit.ViewSuffix, emit.TablePattern, emit.TableSuffix} }})
	start := time.Now()
	if _, err := generateOne(t, p, ""); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 30*time.Second || written < messages*1000 {
		t.Errorf("%d bytes in %v", written, took)
	}
}

func TestTablesOfARecursionShareAGroupWithTheirMapEntries(t *testing.T) {
	p := planOf(t, "nasty")
	r := emit.NewReach(p.AllFiles, &emit.FieldSelection{})
	shared := 0
	for _, file := range p.AllFiles {
		for _, m := range file.Messages {
			at := r.Places[m]
			if at.Index >= len(at.Group) || at.Group[at.Index] != m || at.Group[0].MapEntry {
				t.Fatalf("%s does not stand in its group", m.Name)
			}
			if len(at.Group) > 1 {
				shared++
			}
			for _, field := range m.Fields { // what is in a circle, or an entry, is in the same group
				child := field.Message
				if child != nil && (m.Recursion != 0 && child.Recursion == m.Recursion || child.MapEntry && child.Recursion == 0) &&
					r.Places[child].Group[0] != at.Group[0] {
					t.Errorf("%s and %s stand in two groups", m.Name, child.Name)
				}
			}
		}
	}
	if shared == 0 {
		t.Error("no group has two members: nothing was tested")
	}
}

func TestRequiredFieldsAreReachedThroughCirclesAndMaps(t *testing.T) {
	p := planText(t, `name: "a.proto" package: "p" options { go_package: "example.com/p" }
		message_type { name: "Loop" field { name: "loop" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.Loop" } }
		message_type { name: "A" field { name: "b" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.B" } }
		message_type { name: "B"
			field { name: "a" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.A" }
			field { name: "m" number: 2 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.B.MEntry" }
			nested_type { name: "MEntry" options { map_entry: true }
				field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
				field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.C" } } }
		message_type { name: "C" field { name: "id" number: 1 label: LABEL_REQUIRED type: TYPE_INT32 } }`)
	r := emit.NewReach(p.AllFiles, &emit.FieldSelection{})
	for _, m := range p.Messages {
		if want := m.Name != "p.Loop"; r.Required[m] != want {
			t.Errorf("%s: %v", m.Name, !want)
		}
	}
}
