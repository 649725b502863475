// Package hot_test is about fast methods of which all has straight code (hot=*). It is a package of its own because a schema
// can be linked only once.
package hot_test

import (
	"testing"

	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_hot"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2_hot"
	"github.com/hotpb/hotpb/go/test/codectest"
)

func TestVectorsDecodeAsInTheRuntime(t *testing.T) { codectest.Vectors(t) }

func TestDamagedVectorsDecodeAsInTheRuntime(t *testing.T) { codectest.Damaged(t, 3) }

func TestRandomMessagesDecodeAsInTheRuntime(t *testing.T) {
	for _, name := range []string{"hotpb.vectors.p2.All", "hotpb.vectors.p3.All", "hotpb.vectors.p2.Needs"} {
		t.Run(name, func(t *testing.T) { codectest.Random(t, name, 60) })
	}
}

func TestRandomMessagesEncodeAsInTheRuntime(t *testing.T) { codectest.RandomEncodes(t, 15) }

func TestWorkIsInProportionToInput(t *testing.T) { codectest.Grows(t) }

func TestBytesOfAMessageHaveNoRoom(t *testing.T) { codectest.Room(t) }
