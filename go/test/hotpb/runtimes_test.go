package hotpb_test

import (
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	open2 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	hybrid2 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2_hybrid"
	opaque2 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2_opaque"
	open3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	hybrid3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3_hybrid"
	opaque3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3_opaque"
	"github.com/hotpb/hotpb/go/test/apitest"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
)

const google = "google.golang.org/protobuf/proto"

// COD-1. Messages of Google's generator, in each of its APIs.
func TestGoogleMessages(t *testing.T) {
	direct := func(msg any) ([]byte, error) { return proto.Marshal(msg.(proto.Message)) }
	t.Run("open", func(t *testing.T) {
		apitest.Run(t, apitest.Runtime{
			ImportPath: google, Marshal: direct, Package: "hotpb.codec.p2",
			Batch: new(open3.Batch), Base: new(open2.BaseEvent),
			Process: apitest.Extension{Type: open2.E_ProcessEvent_Process, Value: &open2.ProcessEvent{
				Name: proto.String("p"), Actor: &open2.Actor{Id: proto.Int32(1)}}},
			Note:   apitest.Extension{Type: open2.E_Note, Value: "a note"},
			Scores: apitest.Extension{Type: open2.E_Scores, Value: []int32{1, -1}},
			Cause:  open2.E_Cause, Foreign: opaque2.E_Note,
		})
	})
	t.Run("hybrid", func(t *testing.T) {
		apitest.Run(t, apitest.Runtime{
			ImportPath: google, Marshal: direct, Package: "hotpb.hybrid.codec.p2",
			Batch: new(hybrid3.Batch), Base: new(hybrid2.BaseEvent),
			Process: apitest.Extension{Type: hybrid2.E_ProcessEvent_Process, Value: hybrid2.ProcessEvent_builder{
				Name: proto.String("p"), Actor: hybrid2.Actor_builder{Id: proto.Int32(1)}.Build()}.Build()},
			Note:   apitest.Extension{Type: hybrid2.E_Note, Value: "a note"},
			Scores: apitest.Extension{Type: hybrid2.E_Scores, Value: []int32{1, -1}},
			Cause:  hybrid2.E_Cause, Foreign: open2.E_Note,
		})
	})
	t.Run("opaque", func(t *testing.T) {
		apitest.Run(t, apitest.Runtime{
			ImportPath: google, Marshal: direct, Package: "hotpb.opaque.codec.p2",
			Batch: new(opaque3.Batch), Base: new(opaque2.BaseEvent),
			Process: apitest.Extension{Type: opaque2.E_ProcessEvent_Process, Value: opaque2.ProcessEvent_builder{
				Name: proto.String("p"), Actor: opaque2.Actor_builder{Id: proto.Int32(1)}.Build()}.Build()},
			Note:   apitest.Extension{Type: opaque2.E_Note, Value: "a note"},
			Scores: apitest.Extension{Type: opaque2.E_Scores, Value: []int32{1, -1}},
			Cause:  opaque2.E_Cause, Foreign: open2.E_Note,
		})
	})
}

// Types that are created at run time are Google's, too.
func TestDynamicMessages(t *testing.T) {
	msg := dynamicpb.NewMessage((*open3.Actor)(nil).ProtoReflect().Descriptor())
	if err := hotpb.Unmarshal([]byte{8, 1}, msg); err != nil || hotpb.Size(msg) != 2 {
		t.Error(msg, err)
	}
}
