// Package codec holds the task codec-event: messages of the shape of csproto's examples, decoded and encoded with the
// structs that each runtime's own generator makes. Each runtime is a task of its own: what is compared is code for the
// same structs.
package codec

import (
	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/bench/codec/events"
	"github.com/hotpb/hotpb/go/bench/codec/opaque2"
	"github.com/hotpb/hotpb/go/bench/codec/opaque3"
	"github.com/hotpb/hotpb/go/bench/codec/open2"
	"github.com/hotpb/hotpb/go/bench/codec/open3"
	"github.com/hotpb/hotpb/go/bench/harness"
)

// Tasks returns the grid of this package.
func Tasks() harness.Tasks {
	tasks := harness.Tasks{}
	google[open3.Event](tasks, "open", "proto3", events.Proto3(), nil)
	google[open3.Batch](tasks, "open", "batch", events.Batch(), nil)
	google[open2.BaseEvent](tasks, "open", "proto2ext", events.Proto2Ext(), open2.E_ProcessEvent_Process)
	google[opaque3.Event](tasks, "opaque", "proto3", events.Proto3(), nil)
	google[opaque3.Batch](tasks, "opaque", "batch", events.Batch(), nil)
	google[opaque2.BaseEvent](tasks, "opaque", "proto2ext", events.Proto2Ext(), opaque2.E_ProcessEvent_Process)
	csprotoTasks(tasks)
	gogoTasks(tasks)
	return tasks
}

// fast is a message with our methods.
type fast interface {
	UnmarshalHot(b []byte) error
	MarshalHot() ([]byte, error)
}

// vt is a message with vtprotobuf's methods.
type vt interface {
	UnmarshalVT(b []byte) error
	MarshalVT() ([]byte, error)
}

// stock is the runtime that the rivals of both APIs are compared with.
func stock[T any, M interface {
	*T
	proto.Message
}]() events.Runtime[M] {
	return events.Runtime[M]{
		Unmarshal: func(b []byte, m M) error { return proto.Unmarshal(b, m) },
		Marshal:   func(m M) ([]byte, error) { return proto.Marshal(m) },
		Canonical: canonical[T, M],
	}
}

func canonical[T any, M interface {
	*T
	proto.Message
}](b []byte) ([]byte, error) {
	m := M(new(T))
	if err := proto.Unmarshal(b, m); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// google adds the contenders that read and write one message; extension is read in the case with -get.
func google[T any, M interface {
	*T
	proto.Message
	fast
}](tasks harness.Tasks, api, name string, input []byte, extension protoreflect.ExtensionType) {
	var get func(M) error
	if extension != nil {
		get = func(m M) error {
			_ = proto.GetExtension(m, extension)
			return nil
		}
	}
	add := func(c string, rival string, factory harness.Factory) {
		key := "codec-event-" + api + "/" + name + "-" + c
		if tasks[key] == nil {
			tasks[key] = map[string]harness.Factory{}
		}
		tasks[key][rival] = factory
	}
	runtime := stock[T, M]()
	decoder := func(rival string, unmarshal func([]byte, M) error, note string) {
		add("decode", rival, events.Decode(runtime, input, unmarshal, nil, note))
		if get != nil {
			add("decode-get", rival, events.Decode(runtime, input, unmarshal, get, note))
		}
	}
	const checked, fresh = "UTF-8 checked where the schema says so", "; a fresh message each time"
	decoder("protobuf-go", runtime.Unmarshal, checked+fresh)
	decoder("hotpb-codec", func(b []byte, m M) error { return m.UnmarshalHot(b) }, checked+fresh)
	add("encode", "protobuf-go", events.Encode(runtime, input, get, func(m M) ([]byte, error) { return proto.Marshal(m) }, checked))
	add("encode", "hotpb-codec", events.Encode(runtime, input, get, func(m M) ([]byte, error) { return m.MarshalHot() }, checked))
	if _, ok := any(M(nil)).(vt); ok {
		const unchecked = "UTF-8 not checked"
		decode := func(b []byte, m M) error { return any(m).(vt).UnmarshalVT(b) }
		factory := events.Encode(runtime, input, get, func(m M) ([]byte, error) { return any(m).(vt).MarshalVT() }, unchecked)
		if extension == nil {
			add("encode", "vtprotobuf", factory)
			decoder("vtprotobuf", decode, unchecked+fresh)
		} else {
			add("encode", "vtprotobuf", harness.Wrong(factory, "it drops the extension"))
			add("decode", "vtprotobuf", harness.Wrong(events.Decode(runtime, input, decode, nil, unchecked),
				"where an extension comes, it drops the fields before"))
		}
		add("decode", "hyperpb", newHyperpb[T, M](input))
	}
}

// newHyperpb decodes into hyperpb's own messages, which are read by reflection only.
func newHyperpb[T any, M interface {
	*T
	proto.Message
}](input []byte) harness.Factory {
	return func([]byte) (harness.Contender, error) {
		kind := hyperpb.CompileMessageDescriptor(M(new(T)).ProtoReflect().Descriptor())
		shared := new(hyperpb.Shared)
		var m *hyperpb.Message
		decode := func() error {
			if m != nil {
				shared.Free()
			}
			m = shared.NewMessage(kind)
			return m.Unmarshal(input, hyperpb.WithAllowAlias(true))
		}
		return harness.Contender{
			Op: func() (uint64, error) { return 0, decode() },
			Verify: func() error {
				if err := decode(); err != nil {
					return err
				}
				encoded, err := proto.Marshal(m)
				if err != nil {
					return err
				}
				return events.Same(canonical[T, M], encoded, input)
			},
			Note: "read-only messages of its own; shared memory, aliased strings; UTF-8 checked",
			Size: len(input),
		}, nil
	}
}
