package dynamic

import (
	"errors"
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/schema"
)

// newHotpb has its schema from a descriptor set, as at run time.
func newHotpb(w *workload, alias bool) (rival, error) {
	kind := w.messages[0].ProtoReflect().Descriptor()
	set, err := proto.Marshal(descriptorSet(kind.ParentFile(), &descriptorpb.FileDescriptorSet{}, map[string]bool{}))
	if err != nil {
		return rival{}, err
	}
	s, err := schema.FromDescriptorSet(set, string(kind.FullName()))
	if err != nil {
		return rival{}, err
	}
	h, err := newHandles(s, "", kind, map[protoreflect.FullName]*handles{})
	if err != nil {
		return rival{}, err
	}
	plan, err := s.Compile()
	if err != nil {
		return rival{}, err
	}
	row := plan.NewRow()
	decode, note := row.Unmarshal, "one row; one copy of the input, which strings alias"
	if alias {
		decode, note = row.UnmarshalAlias, "one row; strings alias the input"
	}
	return rival{
		decode: func(b []byte) (uint64, error) {
			if err := decode(b); err != nil {
				return 0, err
			}
			return h.sum(row.Fields), nil
		},
		stock: func() ([]byte, error) { return row.Append(nil), nil },
		note:  note,
	}, nil
}

// descriptorSet adds a file and what it imports to the set.
func descriptorSet(f protoreflect.FileDescriptor, set *descriptorpb.FileDescriptorSet, done map[string]bool) *descriptorpb.FileDescriptorSet {
	if done[f.Path()] {
		return set
	}
	done[f.Path()] = true
	for i := range f.Imports().Len() {
		descriptorSet(f.Imports().Get(i).FileDescriptor, set, done)
	}
	set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	return set
}

// handles are looked up once.
type handles struct {
	uints        []schema.UintColumn
	ints         []schema.IntColumn
	floats       []schema.FloatColumn
	bools        []schema.BoolColumn
	enums        []schema.EnumColumn
	strings      []schema.StringColumn
	bytes        []schema.BytesColumn
	lists        []schema.UintList
	messages     []nestedHandles[schema.MessageColumn]
	messageLists []nestedHandles[schema.MessageList]
}

type nestedHandles[C any] struct {
	column C
	*handles
}

// newHandles finds the columns of a message, which is reached by the path; messages that contain themselves are
// done already.
func newHandles(s *schema.Schema, path string, m protoreflect.MessageDescriptor, done map[protoreflect.FullName]*handles) (*handles, error) {
	if h := done[m.FullName()]; h != nil {
		return h, nil
	}
	h := &handles{}
	done[m.FullName()] = h
	var wrong []error
	for i := range m.Fields().Len() {
		fd := m.Fields().Get(i)
		name := path + string(fd.Name())
		var err error
		switch k := fd.Kind(); {
		case fd.Message() != nil:
			var inner *handles
			if inner, err = newHandles(s, name+".", fd.Message(), done); err != nil {
				break
			}
			if fd.IsList() {
				var c schema.MessageList
				c, err = schema.Lookup[schema.MessageList](s.Message, name)
				h.messageLists = append(h.messageLists, nestedHandles[schema.MessageList]{c, inner})
			} else {
				var c schema.MessageColumn
				c, err = schema.Lookup[schema.MessageColumn](s.Message, name)
				h.messages = append(h.messages, nestedHandles[schema.MessageColumn]{c, inner})
			}
		case fd.IsList() && !isUnsigned(k): // the messages have none
		case fd.IsList():
			err = find(&h.lists, s.Message, name)
		case isUnsigned(k):
			err = find(&h.uints, s.Message, name)
		case k == protoreflect.DoubleKind:
			err = find(&h.floats, s.Message, name)
		case k == protoreflect.BoolKind:
			err = find(&h.bools, s.Message, name)
		case k == protoreflect.EnumKind:
			err = find(&h.enums, s.Message, name)
		case k == protoreflect.StringKind:
			err = find(&h.strings, s.Message, name)
		case k == protoreflect.BytesKind:
			err = find(&h.bytes, s.Message, name)
		default:
			err = find(&h.ints, s.Message, name)
		}
		wrong = append(wrong, err)
	}
	return h, errors.Join(wrong...)
}

func find[C ~struct{ schema.Handle }](to *[]C, m *schema.Message, name string) error {
	c, err := schema.Lookup[C](m, name)
	*to = append(*to, c)
	return err
}

func (h *handles) sum(f schema.Fields) (sum uint64) {
	for _, c := range h.uints {
		sum += f.Uint(c)
	}
	for _, c := range h.ints {
		sum += uint64(f.Int(c))
	}
	for _, c := range h.floats {
		sum += math.Float64bits(f.Float(c))
	}
	for _, c := range h.bools {
		if f.Bool(c) {
			sum++
		}
	}
	for _, c := range h.enums {
		sum += uint64(f.Enum(c))
	}
	for _, c := range h.strings {
		sum += textSum(f.String(c))
	}
	for _, c := range h.bytes {
		sum += textSum(f.Bytes(c))
	}
	for _, c := range h.lists {
		for _, v := range f.Uints(c) {
			sum += v
		}
	}
	for _, n := range h.messages {
		if f.Has(n.column.Handle) {
			sum += n.sum(f.Message(n.column))
		}
	}
	for _, n := range h.messageLists {
		list := f.Messages(n.column)
		for i := range list.Len() {
			sum += n.sum(list.At(i))
		}
	}
	return sum
}
