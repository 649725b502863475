package google_test

import (
	"testing"

	"github.com/hotpb/hotpb/go/internal/codectest"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/lazy"
)

// COD-20, COD-21, COD-22.
func TestRandomMessagesEncodeAsInTheRuntime(t *testing.T) { codectest.RandomEncodes(t, 15) }
