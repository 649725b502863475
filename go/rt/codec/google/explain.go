package google

import (
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/internal/kind"
	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// explainer finds the error in bytes that the runtime has rejected: the runtime's errors name neither the cause nor
// the place.
type explainer struct {
	d        codec.Decoder
	resolver Resolver
}

// explain returns the first error of b as a message of this type, with its offset in b.
func explain(md protoreflect.MessageDescriptor, b []byte, levels int, resolver Resolver) wire.Error {
	e := &explainer{resolver: resolver}
	if e.message(md, b, 0, levels) == 0 {
		// This walk does not find the error, but it is somewhere in here.
		return wire.Error{Code: wire.Truncated}
	}
	return e.d.Failure()
}

// message does the same as a generated decoder, but stores nothing.
func (e *explainer) message(md protoreflect.MessageDescriptor, b []byte, i, levels int) int {
	for i < len(b) {
		start := i
		tag, value := codec.ReadTag(b, i)
		if value < 0 {
			return e.d.Fail(b, start, value, "")
		}
		fd := e.find(md, tag)
		var unknown []byte
		switch {
		case fd == nil:
			if i = e.d.Unknown(&unknown, b, start, value, tag); i < 0 {
				return e.d.Fail(b, start, i, "")
			}
			continue
		case levels <= 0 && fd.Message() != nil:
			return e.d.Fail(b, start, codec.TooDeep, names(fd, tag))
		case tag.Type() == wire.StartGroup:
			if i = e.d.GroupEnd(b, e.message(fd.Message(), b, value, levels-1), tag.Number()); i < 0 {
				return e.d.In(fd.TextName(), -1)
			}
			continue
		}
		if i = codec.Skip(b, value, tag); i < 0 {
			return e.d.Fail(b, start, i, names(fd, tag))
		}
		if tag.Type() != wire.BytesType {
			continue
		}
		from, _ := codec.ReadBytes(b, value)
		if bad := e.payload(fd, b[:i], from, levels); bad != 0 {
			if bad == inside {
				return e.d.In(fd.TextName(), -1)
			}
			return e.d.Fail(b, start, bad, names(fd, tag))
		}
	}
	return 0
}

// inside is payload's result for an error that has been noted.
const inside = -1

func (e *explainer) payload(fd protoreflect.FieldDescriptor, b []byte, from, levels int) int {
	payload := b[from:]
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		if e.message(fd.Message(), b, from, levels-1) != 0 {
			return inside
		}
	case protoreflect.StringKind:
		if enforcesUTF8(fd) && !wire.ValidUTF8(payload) {
			return codec.BadUtf8
		}
	case protoreflect.BytesKind:
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		if len(payload)%4 != 0 {
			return codec.BadFixed
		}
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		if len(payload)%8 != 0 {
			return codec.BadFixed64
		}
	default:
		if n, _ := codec.CountVarints(payload); n < 0 {
			return codec.BadPacked
		}
	}
	return 0
}

// find returns the field or extension that a record belongs to, or nil.
func (e *explainer) find(md protoreflect.MessageDescriptor, tag wire.Tag) protoreflect.FieldDescriptor {
	number := protoreflect.FieldNumber(tag.Number())
	fd := md.Fields().ByNumber(number)
	if fd == nil && md.ExtensionRanges().Has(number) {
		if xt, err := e.resolver.FindExtensionByNumber(md.FullName(), number); err == nil {
			fd = xt.TypeDescriptor()
		}
	}
	if fd == nil {
		return nil
	}
	want := kind.Type(fd.Kind())
	if tag.Type() == want || tag.Type() == wire.BytesType && fd.IsList() && want != wire.StartGroup {
		return fd
	}
	return nil
}

// enforcesUTF8 asks a field's descriptor as the runtime does.
func enforcesUTF8(fd protoreflect.FieldDescriptor) bool {
	if own, ok := fd.(interface{ EnforceUTF8() bool }); ok {
		return own.EnforceUTF8()
	}
	return fd.Syntax() == protoreflect.Proto3
}

func names(fd protoreflect.FieldDescriptor, tag wire.Tag) string {
	return " " + strconv.Itoa(int(tag)) + " " + fd.TextName() + " "
}
