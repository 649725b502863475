// Command go-schema lets the official conformance runner test the schema face: it imports the messages at run time
// from descriptor sets that protoc wrote.
package main

import (
	"embed"
	"fmt"
	"os"

	"github.com/hotpb/hotpb/go/conformance/testee"
	"github.com/hotpb/hotpb/go/schema"
)

//go:embed descriptors/*.fds
var descriptors embed.FS // copies of the files in vectors/plans: tools/vectors/fds

// roots are the messages of the official test schemas that the runner sends, by descriptor set.
var roots = map[string]string{
	"test_messages_proto2":          "protobuf_test_messages.proto2.TestAllTypesProto2",
	"test_messages_proto3":          "protobuf_test_messages.proto3.TestAllTypesProto3",
	"test_messages_proto2_editions": "protobuf_test_messages.editions.proto2.TestAllTypesProto2",
	"test_messages_proto3_editions": "protobuf_test_messages.editions.proto3.TestAllTypesProto3",
	"test_messages_edition2023":     "protobuf_test_messages.editions.TestAllTypesEdition2023",
}

func main() {
	messages, err := importAll()
	if err != nil {
		fmt.Fprintln(os.Stderr, "go-schema:", err)
		os.Exit(1)
	}
	testee.Main("go-schema", messages)
}

func importAll() (testee.Messages, error) {
	messages := testee.Messages{}
	for file, name := range roots {
		fds, err := descriptors.ReadFile("descriptors/" + file + ".fds")
		if err != nil {
			return nil, err
		}
		s, err := schema.FromDescriptorSet(fds, name)
		if err != nil {
			return nil, err
		}
		plan, err := s.Compile()
		if err != nil {
			return nil, err
		}
		row := plan.NewRow() // reused, as users do
		messages[name] = func(input []byte) ([]byte, int, error) { return reencode(row, input) }
	}
	return messages, nil
}

// reencode decodes, encodes, decodes the result without a copy, and encodes again: so it tests both ways of decoding.
func reencode(row *schema.Row, input []byte) (output []byte, unknown int, err error) {
	if err := row.Unmarshal(input); err != nil {
		return nil, 0, err
	}
	written := row.Append(nil)
	if err := row.UnmarshalAlias(written); err != nil {
		return nil, 0, err
	}
	for records := range row.Unknown() {
		unknown += len(records)
	}
	return row.Append(nil), unknown, nil
}
