package main

import (
	"bytes"
	"os"
	"testing"
)

func TestEveryOfficialMessageIsImported(t *testing.T) {
	messages, err := importAll()
	if err != nil {
		t.Fatal(err)
	}
	for file, name := range roots {
		withUnknown := "\x80\xfa\x01\x05"
		if output, unknown, err := messages[name]([]byte(withUnknown)); err != nil || string(output) != withUnknown || unknown != 4 {
			t.Errorf("%s: %x, %d, %v", name, output, unknown, err)
		}
		embedded, err := descriptors.ReadFile("descriptors/" + file + ".fds")
		if err != nil {
			t.Fatal(err)
		}
		if golden, err := os.ReadFile("../../../../vectors/plans/" + file + ".fds"); err != nil || !bytes.Equal(embedded, golden) {
			t.Errorf("%s is not the descriptor set of vectors/plans (%v): run tools/vectors/fds", file, err)
		}
	}
}
