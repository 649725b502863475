package plan

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// FuzzPlan feeds the reader of descriptors: whatever comes in, a plan or an InvalidSchema comes out.
func FuzzPlan(f *testing.F) {
	for _, pattern := range []string{"*.fds", "invalid/*.fds"} {
		names, err := filepath.Glob(filepath.Join(plans, pattern))
		if err != nil || len(names) == 0 {
			f.Fatalf("no seeds: %v", err)
		}
		for _, name := range names {
			seed, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			if len(seed) <= 4<<10 { // the fuzzer hardly moves on large ones
				f.Add(seed)
			}
		}
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		p, err := FromDescriptorSet(input, nil)
		if err != nil {
			var schema *Error
			if !errors.As(err, &schema) {
				t.Fatalf("not an InvalidSchema: %v", err)
			}
			return
		}
		if len(p.JSON()) == 0 {
			t.Fatal("no JSON")
		}
		for _, message := range p.Messages {
			for slot, field := range message.Fields {
				if field.Slot != slot || (field.Type == TypeMessage) != (field.Message != nil) || (field.Type == TypeEnum) != (field.Enum != nil) {
					t.Fatalf("%s.%s is not resolved", message.Name, field.Name)
				}
			}
		}
	})
}
