package codec

import (
	"github.com/gogo/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/codec/csprotogogo"
	"github.com/hotpb/hotpb/go/bench/codec/events"
	"github.com/hotpb/hotpb/go/bench/codec/gogo2"
	"github.com/hotpb/hotpb/go/bench/codec/open2"
	"github.com/hotpb/hotpb/go/bench/codec/open3"
	"github.com/hotpb/hotpb/go/bench/harness"
)

// gogofast is a message with the methods that protoc-gen-gogofast generates.
type gogofast interface {
	proto.Message
	Unmarshal(b []byte) error
	Marshal() ([]byte, error)
	fast
}

func gogoTasks(tasks harness.Tasks) {
	gogo(tasks, "proto3", events.Proto3(), nil, canonical[open3.Event], csprotogogo.UnmarshalEvent, csprotogogo.MarshalEvent)
	gogo(tasks, "batch", events.Batch(), nil, canonical[open3.Batch], csprotogogo.UnmarshalBatch, csprotogogo.MarshalBatch)
	gogo(tasks, "proto2ext", events.Proto2Ext(), gogo2.E_ProcessEvent_Process, canonical[open2.BaseEvent], csprotogogo.UnmarshalBaseEvent,
		csprotogogo.MarshalBaseEvent)
}

// gogo adds the contenders of one message. Their results are compared by Google's runtime: gogo's own refuses to write
// maps in order where it has generated methods.
func gogo[T any, M interface {
	*T
	gogofast
}](tasks harness.Tasks, name string, input []byte, extension *proto.ExtensionDesc, canonical func([]byte) ([]byte, error),
	portUnmarshal func([]byte, M) error, portMarshal func(M) ([]byte, error)) {
	runtime := events.Runtime[M]{
		Unmarshal: func(b []byte, m M) error { return proto.Unmarshal(b, m) },
		Marshal:   func(m M) ([]byte, error) { return proto.Marshal(m) },
		Canonical: canonical,
	}
	var get func(M) error
	if extension != nil {
		get = func(m M) error {
			_, err := proto.GetExtension(m, extension)
			return err
		}
	}
	task := "codec-event-gogo/" + name + "-"
	const unchecked, checked, fresh = "UTF-8 not checked", "UTF-8 checked where the schema says so", "; a fresh message each time"
	own := func(b []byte, m M) error { return m.Unmarshal(b) }
	hot := func(b []byte, m M) error { return m.UnmarshalHot(b) }
	tasks[task+"decode"] = map[string]harness.Factory{
		"gogo":         events.Decode(runtime, input, own, nil, unchecked+fresh),
		"hotpb-codec":  events.Decode(runtime, input, hot, nil, checked+fresh),
		"csproto-port": events.Decode(runtime, input, portUnmarshal, nil, unchecked+fresh),
	}
	if get != nil {
		tasks[task+"decode-get"] = map[string]harness.Factory{
			"gogo":         events.Decode(runtime, input, own, get, unchecked+fresh),
			"hotpb-codec":  events.Decode(runtime, input, hot, get, checked+fresh),
			"csproto-port": events.Decode(runtime, input, portUnmarshal, get, unchecked+fresh),
		}
	}
	tasks[task+"encode"] = map[string]harness.Factory{
		"gogo":         events.Encode(runtime, input, get, func(m M) ([]byte, error) { return m.Marshal() }, unchecked),
		"hotpb-codec":  events.Encode(runtime, input, get, func(m M) ([]byte, error) { return m.MarshalHot() }, checked),
		"csproto-port": events.Encode(runtime, input, get, portMarshal, unchecked+kept),
	}
}
