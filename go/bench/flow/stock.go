package flow

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// message is a message of the stock runtime with vtprotobuf's methods.
type message interface {
	proto.Message
	SizeVT() int
	MarshalVT() ([]byte, error)
	MarshalToSizedBufferVT([]byte) (int, error)
}

// newStock and the two below have the flows as their own structs already.
func newStock(fields int) rival {
	all := stockFlows(fields)
	return rival{func(i int) ([]byte, error) { return proto.Marshal(all[i]) }, "fresh bytes"}
}

func newVTProtobuf(fields int) rival {
	all := stockFlows(fields)
	return rival{func(i int) ([]byte, error) { return all[i].MarshalVT() }, "fresh bytes"}
}

func newVTProtobufReused(fields int) rival {
	all := stockFlows(fields)
	buffer := make([]byte, 1024)
	return rival{func(i int) ([]byte, error) {
		size := all[i].SizeVT()
		n, err := all[i].MarshalToSizedBufferVT(buffer[:size])
		return buffer[size-n : size], err
	}, "one buffer"}
}

// newDynamicpb fills in a message for each flow, as whoever has no generated struct must.
func newDynamicpb(fields int) rival {
	all := stockFlows(fields)
	kind := all[0].ProtoReflect().Descriptor()
	type value struct {
		fd protoreflect.FieldDescriptor
		v  protoreflect.Value
	}
	values := make([][]value, len(all))
	for i, m := range all {
		for n := range kind.Fields().Len() {
			fd := kind.Fields().Get(n)
			values[i] = append(values[i], value{fd, m.ProtoReflect().Get(fd)})
		}
	}
	return rival{func(i int) ([]byte, error) {
		m := dynamicpb.NewMessage(kind)
		for _, v := range values[i] {
			m.Set(v.fd, v.v)
		}
		return proto.Marshal(m)
	}, "filled in each time; fresh bytes"}
}
