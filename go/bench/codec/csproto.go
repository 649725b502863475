package codec

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/codec/csproto"
	"github.com/hotpb/hotpb/go/bench/codec/events"
	"github.com/hotpb/hotpb/go/bench/codec/open2"
	"github.com/hotpb/hotpb/go/bench/harness"
)

// kept is a note on the port's encoding.
const kept = "; sizes kept in the structs from the call before"

// csprotoTasks adds csproto's mechanism to the tasks on the structs of the open API.
func csprotoTasks(tasks harness.Tasks) {
	port(tasks, "proto3", events.Proto3(), csproto.UnmarshalEvent, csproto.MarshalEvent, nil)
	port(tasks, "batch", events.Batch(), csproto.UnmarshalBatch, csproto.MarshalBatch, nil)
	port(tasks, "proto2ext", events.Proto2Ext(), csproto.UnmarshalBaseEvent, csproto.MarshalBaseEvent, func(m *open2.BaseEvent) error {
		_ = proto.GetExtension(m, open2.E_ProcessEvent_Process)
		return nil
	})
}

// port adds the contenders of one message; get, if there is one, reads its extension in the case with -get.
func port[T any, M interface {
	*T
	proto.Message
}](tasks harness.Tasks, name string, input []byte, unmarshal func([]byte, M) error, marshal func(M) ([]byte, error), get func(M) error) {
	const note = "UTF-8 not checked"
	runtime, task := stock[T, M](), "codec-event-open/"+name+"-"
	tasks[task+"decode"]["csproto-port"] = events.Decode(runtime, input, unmarshal, nil, note+"; a fresh message each time")
	if get != nil {
		tasks[task+"decode-get"]["csproto-port"] = events.Decode(runtime, input, unmarshal, get, note+"; a fresh message each time")
	}
	tasks[task+"encode"]["csproto-port"] = events.Encode(runtime, input, get, marshal, note+kept)
}
