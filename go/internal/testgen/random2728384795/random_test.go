package random

import (
	"testing"

	"github.com/hotpb/hotpb/go/internal/codectest"
)

func TestDecode(t *testing.T) {
	for _, name := range codectest.Names() {
		codectest.Random(t, name, 60)
	}
}

func TestEncode(t *testing.T) { codectest.RandomEncodes(t, 20) }
