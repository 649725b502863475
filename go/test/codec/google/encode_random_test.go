package google_test

import (
	"testing"

	"github.com/hotpb/hotpb/go/internal/codectest"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/lazy"
)

func TestRandomMessagesEncodeAsInTheRuntime(t *testing.T) { codectest.RandomEncodes(t, 15) }
