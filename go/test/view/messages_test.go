package view_test

import (
	"maps"
	"testing"

	cold3 "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors/vectorshot"
	cold2023 "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors_2023/vectors_2023hot"
	cold2024 "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors_2024/vectors_2024hot"
	coldElsewhere "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors_elsewhere/vectors_elsewherehot"
	cold2 "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors_proto2/vectors_proto2hot"
	hot3 "github.com/hotpb/hotpb/go/internal/testgen/hot/vectors/vectorshot"
	hot2023 "github.com/hotpb/hotpb/go/internal/testgen/hot/vectors_2023/vectors_2023hot"
	hot2024 "github.com/hotpb/hotpb/go/internal/testgen/hot/vectors_2024/vectors_2024hot"
	hotElsewhere "github.com/hotpb/hotpb/go/internal/testgen/hot/vectors_elsewhere/vectors_elsewherehot"
	hot2 "github.com/hotpb/hotpb/go/internal/testgen/hot/vectors_proto2/vectors_proto2hot"
	edition2023 "github.com/hotpb/hotpb/go/internal/testgen/test_messages_edition2023/test_messages_edition2023hot"
	proto2 "github.com/hotpb/hotpb/go/internal/testgen/test_messages_proto2/test_messages_proto2hot"
	proto3 "github.com/hotpb/hotpb/go/internal/testgen/test_messages_proto3/test_messages_proto3hot"
	"github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	"github.com/hotpb/hotpb/go/internal/testgen/vectors_2023/vectors_2023hot"
	"github.com/hotpb/hotpb/go/internal/testgen/vectors_2024/vectors_2024hot"
	"github.com/hotpb/hotpb/go/internal/testgen/vectors_elsewhere/vectors_elsewherehot"
	"github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
)

// reencoder is the interface that the generated reencoders have in common.
type reencoder = interface {
	DecodeWith(b []byte, o view.Options) error
	Validate() error
	CheckInitialized() error
	AppendCanonical(dst []byte) ([]byte, error)
}

type makers = map[string]func() reencoder

// byRule, allCold and allHot create the reencoder of each message by its full name: with the plan's tiers, all by
// table, all straight.
var (
	byRule = merged(
		vectorshot.Reencoders_vectors,
		vectors_proto2hot.Reencoders_vectors_proto2,
		vectors_2023hot.Reencoders_vectors_2023,
		vectors_2024hot.Reencoders_vectors_2024,
		vectors_elsewherehot.Reencoders_vectors_elsewhere,
		proto2.Reencoders_test_messages_proto2,
		proto3.Reencoders_test_messages_proto3,
		edition2023.Reencoders_test_messages_edition2023,
	)
	allCold = merged(byRule, cold3.Reencoders_vectors, cold2.Reencoders_vectors_proto2, cold2023.Reencoders_vectors_2023,
		cold2024.Reencoders_vectors_2024, coldElsewhere.Reencoders_vectors_elsewhere)
	allHot = merged(byRule, hot3.Reencoders_vectors, hot2.Reencoders_vectors_proto2, hot2023.Reencoders_vectors_2023,
		hot2024.Reencoders_vectors_2024, hotElsewhere.Reencoders_vectors_elsewhere)

	tiers = map[string]makers{"rule": byRule, "cold": allCold, "hot": allHot}
)

// messages are those that the current test uses.
var messages = byRule

func merged(tables ...makers) makers {
	all := makers{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// eachTier runs a test with the code of each tier.
func eachTier(t *testing.T, run func(t *testing.T)) {
	for name, tier := range tiers {
		t.Run(name, func(t *testing.T) { withTier(tier, func() { run(t) }) })
	}
}

func withTier(tier makers, run func()) {
	was := messages
	messages = tier
	defer func() { messages = was }()
	run()
}

func newMessage(t testing.TB, name string) reencoder {
	t.Helper()
	if messages[name] == nil {
		t.Fatalf("no code was generated for %s", name)
	}
	return messages[name]()
}
