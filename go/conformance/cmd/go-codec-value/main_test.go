package main

import "testing"

func TestEveryOfficialMessageIsLinkedIn(t *testing.T) {
	all := messages()
	for _, name := range []string{
		"protobuf_test_messages.proto3.TestAllTypesProto3", "protobuf_test_messages.proto2.TestAllTypesProto2",
		"protobuf_test_messages.editions.proto2.TestAllTypesProto2", "protobuf_test_messages.editions.proto3.TestAllTypesProto3",
		"protobuf_test_messages.editions.TestAllTypesEdition2023",
	} {
		if all[name] == nil {
			t.Error(name)
			continue
		}
		withUnknown := "\x80\xfa\x01\x05"
		if output, unknown, err := all[name]([]byte(withUnknown)); err != nil || string(output) != withUnknown || unknown != 4 {
			t.Errorf("%s: %x, %d, %v", name, output, unknown, err)
		}
	}
}
