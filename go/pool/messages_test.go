package pool_test

import (
	"maps"
	"testing"

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

// message is what the generated messages of the tests have in common.
type message = interface {
	pool.Message
	Unmarshal(b []byte) error
	UnmarshalAlias(b []byte) error
	MarshalToSizedBuffer(b []byte) (n int, err error)
	MarshalWith(dst []byte, o pool.MarshalOptions) ([]byte, error)
	Size() int
	AppendCanonicalHot(dst []byte) ([]byte, error)
	UnknownFields() pool.UnknownFields
	EqualAnyHot(other any) bool
	CloneAnyHot() any
}

// messages makes each message by its full name.
var messages = func() map[string]func() message {
	all := map[string]func() message{}
	for _, table := range []map[string]func() message{
		vectorshot.Canonical_vectors,
		vectors_proto2hot.Canonical_vectors_proto2,
		vectors_2023hot.Canonical_vectors_2023,
		vectors_2024hot.Canonical_vectors_2024,
		vectors_elsewherehot.Canonical_vectors_elsewhere,
		proto2.Canonical_test_messages_proto2,
		proto3.Canonical_test_messages_proto3,
		edition2023.Canonical_test_messages_edition2023,
	} {
		maps.Copy(all, table)
	}
	return all
}()

func newMessage(t testing.TB, name string) message {
	t.Helper()
	if messages[name] == nil {
		t.Fatalf("no code was generated for %s", name)
	}
	return messages[name]()
}
