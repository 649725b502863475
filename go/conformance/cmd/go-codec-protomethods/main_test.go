package main

import (
	"errors"
	"testing"

	"github.com/hotpb/hotpb/go/wire"
)

func TestEveryOfficialMessageIsHooked(t *testing.T) {
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
		var fast *wire.Error // only the fast code has errors of this type
		if _, _, err := all[name]([]byte{0x0a}); !errors.As(err, &fast) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
