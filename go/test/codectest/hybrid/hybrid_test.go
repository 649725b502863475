// Package hybrid_test is about the structs of the hybrid API: open ones, and with the build tag protoopaque opaque
// ones. It is a package of its own because a schema can be linked only once.
package hybrid_test

import (
	"testing"

	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/raft_hybrid"
	"github.com/hotpb/hotpb/go/test/codectest"
)

func TestRandomMessagesDecodeAsInTheRuntime(t *testing.T) {
	codectest.Random(t, "hotpb.raft.Message", 60)
}
