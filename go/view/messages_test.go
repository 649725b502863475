package view_test

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
	"github.com/hotpb/hotpb/go/view"
)

// reencoder is what the generated reencoders have in common.
type reencoder = interface {
	DecodeWith(b []byte, o view.Options) error
	Validate() error
	CheckInitialized() error
	AppendCanonical(dst []byte) ([]byte, error)
}

// messages makes the reencoder of each message by its full name.
var messages = func() map[string]func() reencoder {
	all := map[string]func() reencoder{}
	for _, table := range []map[string]func() reencoder{
		vectorshot.Reencoders_vectors,
		vectors_proto2hot.Reencoders_vectors_proto2,
		vectors_2023hot.Reencoders_vectors_2023,
		vectors_2024hot.Reencoders_vectors_2024,
		vectors_elsewherehot.Reencoders_vectors_elsewhere,
		proto2.Reencoders_test_messages_proto2,
		proto3.Reencoders_test_messages_proto3,
		edition2023.Reencoders_test_messages_edition2023,
	} {
		maps.Copy(all, table)
	}
	return all
}()

func newMessage(t testing.TB, name string) reencoder {
	t.Helper()
	if messages[name] == nil {
		t.Fatalf("no code was generated for %s", name)
	}
	return messages[name]()
}
