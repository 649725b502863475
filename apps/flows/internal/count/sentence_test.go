package count

import "testing"

// Each reason has a sentence.
func TestEachReasonHasASentence(t *testing.T) {
	for r := range Reasons {
		if sentences[r.String()] == "" {
			t.Errorf("%v has none", r)
		}
	}
}
