// V1 is the part of the benchmark grid that has structs of golang/protobuf 1.3.5. It is a module of its own, because
// that runtime's later versions stand in the module graph of the other contenders.
package main

import (
	"github.com/golang/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/codec/events"
	"github.com/hotpb/hotpb/go/bench/harness"
	p2 "github.com/hotpb/hotpb/go/bench/v1/codec_proto2"
	p3 "github.com/hotpb/hotpb/go/bench/v1/codec_proto3"
)

func main() { harness.Main(tasks()) }

func tasks() harness.Tasks {
	all := harness.Tasks{}
	add[p3.Event](all, "proto3", events.Proto3(), nil)
	add[p3.Batch](all, "batch", events.Batch(), nil)
	add[p2.BaseEvent](all, "proto2ext", events.Proto2Ext(), p2.E_ProcessEvent_Process)
	return all
}

// add adds the contenders that read and write one message; extension is read in the case with -get.
func add[T any, M interface {
	*T
	proto.Message
	UnmarshalHot(b []byte) error
	MarshalHot() ([]byte, error)
}](all harness.Tasks, name string, input []byte, extension *proto.ExtensionDesc) {
	runtime := events.Runtime[M]{
		Unmarshal: func(b []byte, m M) error { return proto.Unmarshal(b, m) },
		Marshal:   func(m M) ([]byte, error) { return proto.Marshal(m) },
	}
	var get func(M) error
	if extension != nil {
		get = func(m M) error {
			_, err := proto.GetExtension(m, extension)
			return err
		}
	}
	// Raw extensions are in the order of the input, decoded ones in that of the runtime, which has oneofs last.
	runtime.Canonical = func(b []byte) ([]byte, error) {
		m := M(new(T))
		if err := proto.Unmarshal(b, m); err != nil {
			return nil, err
		}
		if get != nil {
			if err := get(m); err != nil {
				return nil, err
			}
		}
		buffer := proto.NewBuffer(nil)
		buffer.SetDeterministic(true)
		err := buffer.Marshal(m)
		return buffer.Bytes(), err
	}
	task := "codec-event-v1/" + name
	const checked, fresh = "UTF-8 checked where the schema says so", "; a fresh message each time"
	hot := func(b []byte, m M) error { return m.UnmarshalHot(b) }
	all[task+"-decode"] = map[string]harness.Factory{
		"golang-protobuf": events.Decode(runtime, input, runtime.Unmarshal, nil, checked+fresh),
		"hotpb-codec":     events.Decode(runtime, input, hot, nil, checked+fresh),
	}
	all[task+"-encode"] = map[string]harness.Factory{
		"golang-protobuf": events.Encode(runtime, input, get, runtime.Marshal, checked),
		"hotpb-codec":     events.Encode(runtime, input, get, func(m M) ([]byte, error) { return m.MarshalHot() }, checked),
	}
	if get != nil {
		all[task+"-decode-get"] = map[string]harness.Factory{
			"golang-protobuf": events.Decode(runtime, input, runtime.Unmarshal, get, checked+fresh),
			"hotpb-codec":     events.Decode(runtime, input, hot, get, checked+fresh),
		}
	}
}
