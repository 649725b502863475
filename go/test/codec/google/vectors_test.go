package google_test

import (
	"testing"

	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/lazy"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_edition2023"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto2"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto3"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_2023"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_2024"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
	"github.com/hotpb/hotpb/go/test/codectest"
)

func TestVectorsDecodeAsInTheRuntime(t *testing.T) { codectest.Vectors(t) }

func TestInvalidVectorsGiveTheirErrors(t *testing.T) { codectest.InvalidVectors(t) }

func TestDamagedVectorsDecodeAsInTheRuntime(t *testing.T) { codectest.Damaged(t, 3) }
