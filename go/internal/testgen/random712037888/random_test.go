package random

import (
	"testing"

	"github.com/hotpb/hotpb/go/internal/codectest"
)

func TestHooked(t *testing.T) { codectest.Hooked(t, 40) }
