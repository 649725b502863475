package pool_test

import (
	"maps"
	"testing"

	coldSorted2 "github.com/hotpb/hotpb/go/internal/testgen/cold/sorted_p2/sorted_p2hot"
	coldSorted3 "github.com/hotpb/hotpb/go/internal/testgen/cold/sorted_p3/sorted_p3hot"
	cold3 "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors/vectorshot"
	cold2023 "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors_2023/vectors_2023hot"
	cold2024 "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors_2024/vectors_2024hot"
	coldElsewhere "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors_elsewhere/vectors_elsewherehot"
	cold2 "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors_proto2/vectors_proto2hot"
	hotSorted2 "github.com/hotpb/hotpb/go/internal/testgen/hot/sorted_p2/sorted_p2hot"
	hotSorted3 "github.com/hotpb/hotpb/go/internal/testgen/hot/sorted_p3/sorted_p3hot"
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
	"github.com/hotpb/hotpb/go/pool"
)

// message is the interface that the generated messages of the tests have in common.
type message = interface {
	pool.Message
	Unmarshal(b []byte) error
	UnmarshalAlias(b []byte) error
	MarshalToSizedBuffer(b []byte) (n int, err error)
	MarshalWith(dst []byte, o pool.MarshalOptions) ([]byte, error)
	Size() int
	AppendCanonicalHot(dst []byte) ([]byte, error)
	UnknownFields() pool.UnknownFields
	EqualAnyHot(right any) bool
	CloneAnyHot() any
}

type makers = map[string]func() message

// byRule, allCold and allHot create each message by its full name: with the plan's tiers, all by table, all straight.
var (
	byRule = merged(
		vectorshot.Canonical_vectors,
		vectors_proto2hot.Canonical_vectors_proto2,
		vectors_2023hot.Canonical_vectors_2023,
		vectors_2024hot.Canonical_vectors_2024,
		vectors_elsewherehot.Canonical_vectors_elsewhere,
		proto2.Canonical_test_messages_proto2,
		proto3.Canonical_test_messages_proto3,
		edition2023.Canonical_test_messages_edition2023,
	)
	allCold = merged(byRule, cold3.Canonical_vectors, cold2.Canonical_vectors_proto2, cold2023.Canonical_vectors_2023,
		cold2024.Canonical_vectors_2024, coldElsewhere.Canonical_vectors_elsewhere)
	allHot = merged(byRule, hot3.Canonical_vectors, hot2.Canonical_vectors_proto2, hot2023.Canonical_vectors_2023,
		hot2024.Canonical_vectors_2024, hotElsewhere.Canonical_vectors_elsewhere)

	// The messages with sorted maps, in both tiers.
	coldSorted = merged(allCold, coldSorted3.Canonical_vectors, coldSorted2.Canonical_vectors_proto2)
	hotSorted  = merged(allHot, hotSorted3.Canonical_vectors, hotSorted2.Canonical_vectors_proto2)
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
	for name, tier := range map[string]makers{
		"rule": byRule, "cold": allCold, "hot": allHot, "cold, sorted maps": coldSorted, "hot, sorted maps": hotSorted,
	} {
		t.Run(name, func(t *testing.T) { withTier(tier, func() { run(t) }) })
	}
}

func withTier(tier makers, run func()) {
	was := messages
	messages = tier
	defer func() { messages = was }()
	run()
}

func newMessage(t testing.TB, name string) message {
	t.Helper()
	if messages[name] == nil {
		t.Fatalf("no code was generated for %s", name)
	}
	return messages[name]()
}
