package codectest_test

import (
	"testing"

	"github.com/hotpb/hotpb/go/internal/codectest"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/raft_opaque"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_opaque"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2_opaque"
)

// The open structs of these files are tested in package codec/google: a file is linked once.

func TestRandomOpaqueMessagesEncodeAsInTheRuntime(t *testing.T) { codectest.RandomEncodes(t, 15) }
