package csproto

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/codec/open2"
	"github.com/hotpb/hotpb/go/bench/codec/open3"
)

// The benchmark's messages leave fields out; these have them.
func TestThePortKeepsEveryField(t *testing.T) {
	actor := func() *open3.Actor {
		return &open3.Actor{Id: 7, User: "root", Groups: []int32{1, 300}, Tokens: [][]byte{{1}, {}}}
	}
	for _, m := range []*open3.Event{
		{}, {Name: "a", Command: "b", Elevated: true, Labels: []string{"x", ""}, Actor: actor(), Kind: 2, TimestampNs: 1 << 60, Score: -0.5},
		{Origin: &open3.Event_Service{Service: true}}, {Origin: &open3.Event_Login{}}, {Origin: &open3.Event_Parent{Parent: "p"}},
		{Origin: &open3.Event_By{By: actor()}}, {Result: &open3.Event_Result{Details: "d", ExitCode: -300}}, {Actor: new(open3.Actor)},
	} {
		roundTrip(t, m, MarshalEvent, UnmarshalEvent)
	}
	roundTrip(t, &open3.Batch{
		SourceId: "s", Events: []*open3.Event{{Name: "a"}, {}}, Attributes: map[string]string{"k": "v", "": ""}, Counts: map[bool]int64{false: -1, true: 0},
		Actors: map[int32]*open3.Actor{1: actor(), 2: {}}, Kinds: map[string]open3.EventKind{"k": 1},
	}, MarshalBatch, UnmarshalBatch)

	event := &open2.BaseEvent{EventId: proto.String("e"), SourceId: proto.String(""), TimestampNs: proto.Uint64(0), Kind: open2.EventKind(1).Enum()}
	roundTrip(t, proto.CloneOf(event), MarshalBaseEvent, UnmarshalBaseEvent)
	for _, p := range []*open2.ProcessEvent{
		{Name: proto.String("n"), Command: proto.String(""), Elevated: proto.Bool(false), Labels: []string{"l"}, Origin: &open2.ProcessEvent_Service{}},
		{Origin: &open2.ProcessEvent_Login{Login: true}, Result: &open2.ProcessEvent_Result{ExitCode: proto.Int32(-1)}},
		{Origin: &open2.ProcessEvent_Parent{Parent: "p"}, Result: &open2.ProcessEvent_Result{Details: proto.String("d")}},
	} {
		p.Actor = &open2.Actor{Id: proto.Int32(1), User: proto.String("u"), Groups: []int32{4, 1000}, Tokens: [][]byte{{9}}}
		m := proto.CloneOf(event)
		proto.SetExtension(m, open2.E_ProcessEvent_Process, p)
		roundTrip(t, m, MarshalBaseEvent, UnmarshalBaseEvent)
	}
}

// roundTrip lets the port and the stock runtime read what the other one writes, with an unknown field.
func roundTrip[T any, M interface {
	*T
	proto.Message
}](t *testing.T, m M, marshal func(M) ([]byte, error), unmarshal func([]byte, M) error) {
	t.Helper()
	m.ProtoReflect().SetUnknown([]byte("\xf8\x07\x05"))
	stock, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	read := M(new(T))
	if err := unmarshal(stock, read); err != nil || !proto.Equal(read, m) {
		t.Errorf("the port read %v, %v; not %v", read, err, m)
	}
	written, err := marshal(proto.CloneOf(m)) // of m, the runtime has kept the size, in its own way: plus one
	if err != nil || len(written) != proto.Size(m) {
		t.Errorf("the port wrote %d bytes, %v; not %d", len(written), err, proto.Size(m))
	}
	read = M(new(T))
	if err := proto.Unmarshal(written, read); err != nil || !proto.Equal(read, m) {
		t.Errorf("the runtime read %v, %v; not %v", read, err, m)
	}
	for i := range stock { // cut anywhere, it is an error or a message, and no panic
		_ = unmarshal(stock[:i], M(new(T)))
	}
}

func TestThePortRefusesDamage(t *testing.T) {
	for _, b := range []string{"\x0a\x05ab", "\x08\x01", "\x00", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x69\x01", "\xfb\x07", "\x60"} {
		if err := UnmarshalEvent([]byte(b), new(open3.Event)); err == nil {
			t.Errorf("%q: no error", b)
		}
	}
	if err := UnmarshalBaseEvent([]byte("\x0a\x01a"), new(open2.BaseEvent)); err == nil {
		t.Error("required fields are absent, and no error")
	}
	if _, err := MarshalBaseEvent(&open2.BaseEvent{EventId: proto.String("a")}); err == nil {
		t.Error("required fields are absent, and no error")
	}
}
