package pool_test

import (
	"testing"

	api "github.com/hotpb/hotpb/go/internal/testgen/api/apihot"
)

// A message without slabs inside another one without slabs: the innermost must not look for any.
func TestMessagesThatNeedNoMemoryNest(t *testing.T) {
	in := api.Type{Options: []api.Option{{Name: "o"}}}
	in.Options[0].MutableValue().TypeUrl = "type.googleapis.com/x"
	b, err := in.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var out api.Type
	if err := out.Unmarshal(b); err != nil || !out.Equal(&in) {
		t.Errorf("%v: %+v", err, out)
	}
}
