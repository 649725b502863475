package google

import (
	"reflect"
	"sync/atomic"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/wire"
)

// Most extensions are messages, and most of the time they take is that of what is inside. Where the message of an
// extension has fast code, that reads and writes it, and the runtime has the value only to keep. All others go to the
// runtime in one call. With the tag protolegacy the runtime puts extensions off until they are asked for: then all do.

// isFast tells whether an extension is one message behind a length.
func isFast(x protoreflect.ExtensionTypeDescriptor) bool {
	return x.Kind() == protoreflect.MessageKind && x.Cardinality() != protoreflect.Repeated
}

// takeFast decodes the records of extensions whose messages have fast code. It gives the other records, in their
// order, or the error with its place in b.
func takeFast(
	d *codec.Decoder, m proto.Message, fields *protoimpl.ExtensionFields, known *Known, b []byte, levels int,
) (rest []byte, err wire.Error) {
	if legacy || levels <= 0 {
		return b, err
	}
	from := 0 // of the records that are not taken, up to start
	for i := 0; i < len(b); {
		start := i
		tag, value := codec.ReadTag(b, i)
		if i = codec.Skip(b, value, tag); i < 0 {
			return b, err // it has been passed over before
		}
		if tag.Type() != wire.BytesType {
			continue
		}
		x := known.find(d, m, int32(tag.Number()))
		if x.message == nil {
			continue
		}
		begin, _ := codec.ReadBytes(b, value)
		is, good := decodeFast(d, fields, x, b[begin:i], levels-1)
		if !good {
			err = d.Failure()
			err.Offset += int64(begin)
			err.Path = codec.Within(x.TypeDescriptor().TextName(), -1, err.Path)
			return nil, err
		}
		if is {
			rest = append(rest, b[from:start]...)
			from = i
		}
	}
	if from == 0 {
		return b, err
	}
	return append(rest, b[from:]...), err
}

// nested is a message with fast code.
type nested interface {
	codec.Nested
	proto.Message
}

// decodeFast merges one record of an extension into fields, when the message that is there has fast code, too.
func decodeFast(
	d *codec.Decoder, fields *protoimpl.ExtensionFields, x knownExtension, content []byte, levels int,
) (is, good bool) {
	var inner any
	field, has := (*fields)[x.number]
	if has {
		inner = field.Value().Message().Interface()
	} else {
		inner = reflect.New(x.message).Interface()
	}
	fast, is := inner.(nested)
	if !is {
		return false, true
	}
	kept, inside := d.Kept, d.Inside
	if inside < mostInside { // the runtime counts levels anew in each
		d.Inside, levels = inside+1, codec.DefaultRecursionLimit-1
	}
	if !kept { // the outer message has no text, but this one may
		content = append([]byte(nil), content...)
		d.Kept = true
	}
	end := d.Nested(fast, content[:len(content):len(content)], 0, levels)
	if d.Kept, d.Inside = kept, inside; end != 0 {
		return true, false
	}
	if lack, may := inner.(interface{ MissingHot() string }); may && !d.Partial {
		d.Partial = lack.MissingHot() != "" // whether it stays so, the end of the whole message shows
	}
	if !has {
		if *fields == nil {
			*fields = protoimpl.ExtensionFields{}
		}
		field.Set(x, protoreflect.ValueOfMessage(fast.ProtoReflect()))
		(*fields)[x.number] = field
	}
	return true, true
}

// Known are the extensions of a message that were found before, in the runtime's own registry, which only grows.
type Known struct {
	list atomic.Pointer[[]knownExtension]
}

// mostKnown bounds the extensions that a message's Known has: they are looked through one by one.
const mostKnown = 16

// knownExtension is an extension, and the struct of its message if that has fast code.
type knownExtension struct {
	protoreflect.ExtensionType
	number  int32
	message reflect.Type
}

// find looks an extension of m up. It has no message when there is none of that number, or no fast code.
func (k *Known) find(d *codec.Decoder, m proto.Message, number int32) (x knownExtension) {
	resolver := resolverOf(d)
	var list []knownExtension
	if resolver == Resolver(protoregistry.GlobalTypes) {
		if at := k.list.Load(); at != nil {
			list = *at
		}
		for _, x := range list {
			if x.number == number {
				return x
			}
		}
	}
	name := m.ProtoReflect().Descriptor().FullName()
	xt, err := resolver.FindExtensionByNumber(name, protoreflect.FieldNumber(number))
	if err != nil {
		return x
	}
	x = knownExtension{ExtensionType: xt, number: number}
	if descriptor := xt.TypeDescriptor(); isFast(descriptor) && descriptor.ContainingMessage().FullName() == name {
		if fast, is := xt.Zero().Message().Interface().(nested); is {
			x.message = reflect.TypeOf(fast).Elem()
		}
	}
	if resolver == Resolver(protoregistry.GlobalTypes) && len(list) < mostKnown {
		longer := append(list[:len(list):len(list)], x)
		k.list.Store(&longer) // of two at once, one may be lost: it is found again
	}
	return x
}

// mostInside is in how many extensions, one in the other, levels are counted anew. The runtime does that in all: it
// takes as much stack as the input asks for.
const mostInside = 8

func resolverOf(d *codec.Decoder) Resolver {
	if r, ok := d.Resolver.(Resolver); ok {
		return r
	}
	return protoregistry.GlobalTypes
}

// fastExtension is an extension that fast code writes.
type fastExtension struct {
	number int32
	m      proto.Message
}

// fastOf gives the extensions of a message by ascending number, in room for a few, if fast code writes all of them.
func fastOf(room []fastExtension, fields protoimpl.ExtensionFields) (list []fastExtension, all bool) {
	if legacy || len(fields) > cap(room) {
		return nil, false
	}
	list = room[:0]
	for number, field := range fields {
		if !isFast(field.Type().TypeDescriptor()) {
			return nil, false
		}
		v := field.Value().Message()
		if !v.IsValid() {
			return nil, false
		}
		m := v.Interface()
		if _, is := m.(encoder); !is {
			return nil, false
		}
		at := len(list)
		for list = append(list, fastExtension{}); at > 0 && list[at-1].number > number; at-- {
			list[at] = list[at-1]
		}
		list[at] = fastExtension{number, m}
	}
	return list, true
}

// mostFast is how many extensions of a message fast code writes.
const mostFast = 4

func tagOf(number int32) uint64 { return uint64(number)<<3 | uint64(wire.BytesType) }

// encodeFast writes all extensions of a message, if fast code does that for each.
func encodeFast(e *codec.Encoder, i int, fields protoimpl.ExtensionFields) (next int, all bool) {
	var room [mostFast]fastExtension
	list, all := fastOf(room[:], fields)
	if !all {
		return i, false
	}
	for n := len(list) - 1; n >= 0; n-- {
		written := len(e.B) - i
		i = list[n].m.(encoder).EncodeHot(e, i)
		i = e.Reserve(i, 0) // for the length; the tag is no longer
		i = codec.PutVarint(e.B, i, uint64(len(e.B)-i-written))
		i = e.Reserve(i, 0)
		i = codec.PutVarint(e.B, i, tagOf(list[n].number))
	}
	return i, true
}

// sizeFast is the size of what encodeFast writes.
func sizeFast(fields protoimpl.ExtensionFields) (size int, all bool) {
	var room [mostFast]fastExtension
	list, all := fastOf(room[:], fields)
	for _, x := range list {
		size += wire.SizeVarint(tagOf(x.number)) + codec.SizeLen(Size(x.m))
	}
	return size, all
}
