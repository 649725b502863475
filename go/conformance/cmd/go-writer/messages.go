package main

import (
	"github.com/hotpb/hotpb/go/conformance/testee"
	edition2023 "github.com/hotpb/hotpb/go/internal/testgen/test_messages_edition2023/test_messages_edition2023hot"
	proto2 "github.com/hotpb/hotpb/go/internal/testgen/test_messages_proto2/test_messages_proto2hot"
	proto2editions "github.com/hotpb/hotpb/go/internal/testgen/test_messages_proto2_editions/test_messages_proto2_editionshot"
	proto3 "github.com/hotpb/hotpb/go/internal/testgen/test_messages_proto3/test_messages_proto3hot"
	proto3editions "github.com/hotpb/hotpb/go/internal/testgen/test_messages_proto3_editions/test_messages_proto3_editionshot"
)

// messages are all message types of the official test schemas.
var messages = collect(
	proto2.Rewriters_test_messages_proto2,
	proto3.Rewriters_test_messages_proto3,
	proto2editions.Rewriters_test_messages_proto2_editions,
	proto3editions.Rewriters_test_messages_proto3_editions,
	edition2023.Rewriters_test_messages_edition2023,
)

func collect(tables ...map[string]func() message) testee.Messages {
	all := testee.Messages{}
	for _, table := range tables {
		for name, newMessage := range table {
			all[name] = func(input []byte) ([]byte, int, error) { return rewrite(newMessage(), input) }
		}
	}
	return all
}
