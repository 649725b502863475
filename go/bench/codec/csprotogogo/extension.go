// Package csprotogogo is package csproto on the structs of gogo's generator. go/bench/testgen.sh copies that package's files; this
// one has what differs.
package csprotogogo

import (
	"github.com/gogo/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/codec/gogo2"
)

const (
	sizeField    = "XXX_sizecache"
	unknownField = "XXX_unrecognized"
)

func extension(m *gogo2.BaseEvent) any {
	v, err := proto.GetExtension(m, gogo2.E_ProcessEvent_Process)
	if err != nil { // it is not set
		return nil
	}
	return v
}

func setExtension(m *gogo2.BaseEvent, v *gogo2.ProcessEvent) error {
	return proto.SetExtension(m, gogo2.E_ProcessEvent_Process, v)
}
