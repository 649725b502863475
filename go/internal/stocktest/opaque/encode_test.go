// Package opaque tests the fast code on opaque structs.
package opaque

import (
	"testing"

	"github.com/hotpb/hotpb/go/internal/stocktest"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/raft_opaque"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_opaque"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2_opaque"
)

func TestRandomEncodes(t *testing.T) { stocktest.RandomEncodes(t, 40) }
