package csproto

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/codec/open2"
)

// The names of the fields that protoc-gen-go hides.
const (
	sizeField    = "sizeCache"
	unknownField = "unknownFields"
)

func extension(m *open2.BaseEvent) any {
	if !proto.HasExtension(m, open2.E_ProcessEvent_Process) {
		return nil
	}
	return proto.GetExtension(m, open2.E_ProcessEvent_Process)
}

func setExtension(m *open2.BaseEvent, v *open2.ProcessEvent) error {
	proto.SetExtension(m, open2.E_ProcessEvent_Process, v)
	return nil
}
