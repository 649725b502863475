package google

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/rt/codec"
)

// Missing returns the path of the first required field that a message of another package lacks, or "".
func Missing(m proto.Message) string {
	if fast, ok := m.(interface{ MissingHot() string }); ok {
		return fast.MissingHot()
	}
	if proto.CheckInitialized(m) == nil {
		return ""
	}
	return missing(m.ProtoReflect())
}

// missing finds the first required field that is absent: first the message's own fields, then those of its nested
// messages, both by ascending number, then those of its extensions. The runtime's error has a name, but not the path.
func missing(m protoreflect.Message) (path string) {
	fields := m.Descriptor().Fields()
	required := m.Descriptor().RequiredNumbers()
	for i := range required.Len() {
		if fd := fields.ByNumber(required.Get(i)); !m.Has(fd) {
			return fd.TextName()
		}
	}
	for i := range fields.Len() {
		if fd := fields.Get(i); m.Has(fd) {
			if path = missingIn(fd, m.Get(fd)); path != "" {
				return path
			}
		}
	}
	var first protoreflect.FieldNumber
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.IsExtension() && (first == 0 || fd.Number() < first) {
			if inner := missingIn(fd, v); inner != "" {
				first, path = fd.Number(), inner
			}
		}
		return true
	})
	return path
}

// missingIn returns the path of an absent field inside a field that is set, or "".
func missingIn(fd protoreflect.FieldDescriptor, v protoreflect.Value) (path string) {
	switch {
	case fd.IsMap():
		if fd.MapValue().Message() == nil {
			return ""
		}
		v.Map().Range(func(_ protoreflect.MapKey, value protoreflect.Value) bool {
			if inner := missing(value.Message()); inner != "" {
				path = codec.Within(fd.TextName()+".value", -1, inner)
			}
			return path == ""
		})
	case fd.Message() == nil:
	case fd.IsList():
		for n := range v.List().Len() {
			if inner := missing(v.List().Get(n).Message()); inner != "" {
				return codec.Within(fd.TextName(), n, inner)
			}
		}
	default:
		if inner := missing(v.Message()); inner != "" {
			return codec.Within(fd.TextName(), -1, inner)
		}
	}
	return path
}
