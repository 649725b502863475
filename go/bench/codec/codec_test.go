package codec

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/codec/events"
	"github.com/hotpb/hotpb/go/bench/codec/open2"
	"github.com/hotpb/hotpb/go/bench/codec/open3"
)

func TestEveryRivalGivesWhatItsRuntimeGives(t *testing.T) {
	for task, contenders := range Tasks() {
		for name, make := range contenders {
			c, err := make(nil)
			if err != nil {
				t.Errorf("%s, %s: %v", task, name, err)
				continue
			}
			if err := c.Verify(); (err != nil) != (c.Wrong != "") {
				t.Errorf("%s, %s: %v, known to be wrong: %q", task, name, err, c.Wrong)
			}
		}
	}
}

func TestTheEventsHaveNoUnknownFields(t *testing.T) {
	for _, c := range []struct {
		m     proto.Message
		input []byte
	}{{new(open2.BaseEvent), events.Proto2Ext()}, {new(open3.Event), events.Proto3()}, {new(open3.Batch), events.Batch()}} {
		if err := proto.Unmarshal(c.input, c.m); err != nil {
			t.Errorf("%T: %v", c.m, err)
		}
		if unknown := c.m.ProtoReflect().GetUnknown(); len(unknown) > 0 {
			t.Errorf("%T: unknown % x", c.m, unknown)
		}
	}
	m := new(open2.BaseEvent)
	if err := proto.Unmarshal(events.Proto2Ext(), m); err != nil || !proto.HasExtension(m, open2.E_ProcessEvent_Process) {
		t.Error(err)
	}
	process := proto.GetExtension(m, open2.E_ProcessEvent_Process).(*open2.ProcessEvent)
	if len(process.ProtoReflect().GetUnknown())+len(process.Actor.ProtoReflect().GetUnknown()) > 0 || process.GetParent() != "systemd" {
		t.Error(process)
	}
}
