package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen"
)

// The faces that our own tests use are not in the product.
func TestFacesForTestsAreNotThere(t *testing.T) {
	for _, face := range []string{"view+reencode", "pool+canonical", "writer+rewrite"} {
		var out, problem bytes.Buffer
		arguments := []string{"--descriptor_set=../../../vectors/plans/raft.fds", "--out=" + t.TempDir(), "--opt=faces=" + face}
		if code := gen.Main(arguments, strings.NewReader(""), &out, &problem); code == 0 || !strings.Contains(problem.String(), "is not in this version of the Go generator") {
			t.Errorf("%s: exit code %d\n%s", face, code, &problem)
		}
	}
	var help, problem bytes.Buffer
	if code := gen.Main([]string{"--help"}, strings.NewReader(""), &help, &problem); code != 0 || strings.Contains(help.String(), "reencode") {
		t.Errorf("--help: exit code %d\n%s%s", code, &help, &problem)
	}
}
