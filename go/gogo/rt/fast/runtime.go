package fast

import (
	"reflect"

	"github.com/gogo/protobuf/proto"
)

// stock is this runtime in the form that package codecv1 needs.
type stock struct{}

func (stock) Size(m any) int { return proto.Size(m.(proto.Message)) }

func (stock) Marshal(m any, deterministic bool) ([]byte, error) {
	var buffer proto.Buffer
	buffer.SetDeterministic(deterministic)
	err := buffer.Marshal(m.(proto.Message))
	return buffer.Bytes(), err
}

func (stock) Unmarshal(m any, b []byte) error { return new(info).Unmarshal(m, b) }

func (stock) Members(message reflect.Type) (list []reflect.Type) {
	for _, member := range proto.GetProperties(message).OneofTypes {
		list = append(list, member.Type)
	}
	return list
}

func (stock) Ranges(m any) (list [][2]int32) {
	extensible, is := m.(interface{ ExtensionRangeArray() []proto.ExtensionRange })
	if !is {
		return nil
	}
	for _, r := range extensible.ExtensionRangeArray() {
		list = append(list, [2]int32{r.Start, r.End})
	}
	return list
}

func (stock) RequiredNotSet() error { return new(proto.RequiredNotSetError) }

// info is this runtime's record of a message type.
type info struct{ internal proto.InternalMessageInfo }

func (x *info) Size(m any) int { return x.internal.Size(m.(proto.Message)) }

func (x *info) Marshal(b []byte, m any, deterministic bool) ([]byte, error) {
	return x.internal.Marshal(b, m.(proto.Message), deterministic)
}

func (x *info) Unmarshal(m any, b []byte) error { return x.internal.Unmarshal(m.(proto.Message), b) }

func (*info) SetRaw(m any, number int32, raw []byte) {
	proto.SetRawExtension(m.(proto.Message), number, raw)
}
