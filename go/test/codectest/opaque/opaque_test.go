// Package opaque_test is about the structs of the opaque API. It is a package of its own because a schema can be
// linked only once.
package opaque_test

import (
	"testing"

	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/raft_opaque"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_opaque"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2_opaque"
	"github.com/hotpb/hotpb/go/test/codectest"
)

func TestVectorsDecodeAsInTheRuntime(t *testing.T) { codectest.Vectors(t) }

func TestDamagedVectorsDecodeAsInTheRuntime(t *testing.T) { codectest.Damaged(t, 3) }

func TestRandomMessagesDecodeAsInTheRuntime(t *testing.T) {
	for _, name := range []string{"hotpb.vectors.p2.All", "hotpb.vectors.p3.All", "hotpb.raft.Message"} {
		t.Run(name, func(t *testing.T) { codectest.Random(t, name, 60) })
	}
}

func TestWorkIsInProportionToInput(t *testing.T) { codectest.Grows(t) }

func TestBytesOfAMessageHaveNoRoom(t *testing.T) { codectest.Room(t) }
