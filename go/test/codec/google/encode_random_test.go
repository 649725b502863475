package google_test

import (
	"testing"

	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/lazy"
	"github.com/hotpb/hotpb/go/test/codectest"
)

// COD-20, COD-21, COD-22.
func TestRandomMessagesEncodeAsInTheRuntime(t *testing.T) { codectest.RandomEncodes(t, 15) }
