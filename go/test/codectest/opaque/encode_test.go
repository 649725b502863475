package opaque_test

import (
	"testing"

	"github.com/hotpb/hotpb/go/test/codectest"
)

func TestRandomMessagesEncodeAsInTheRuntime(t *testing.T) { codectest.RandomEncodes(t, 15) }
