// Package open tests the fast code on open structs.
package open

import (
	"testing"

	"github.com/hotpb/hotpb/go/internal/stocktest"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/raft"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_edition2023"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto2"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto2_editions"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto3"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto3_editions"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_2023"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_2024"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
)

func TestRandomEncodes(t *testing.T) { stocktest.RandomEncodes(t, 40) }
