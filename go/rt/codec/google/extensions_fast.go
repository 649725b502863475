package google

import (
	"reflect"
	"sync/atomic"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// Most extensions are messages, and most of their time goes into the contents. If the message of an extension has
// fast code, that code reads and writes it, and the runtime only stores the value. All other extensions go to the
// runtime in one call. With the tag protolegacy the runtime decodes extensions lazily: then all of them go to the
// runtime.

// isFast reports whether an extension is one length-prefixed message.
func isFast(x protoreflect.ExtensionTypeDescriptor) bool {
	return x.Kind() == protoreflect.MessageKind && x.Cardinality() != protoreflect.Repeated
}

// takeFast decodes the records of extensions whose messages have fast code. It returns the other records in their
// order, or the error with its place in b.
func takeFast(
	d *codec.Decoder, m proto.Message, fields *protoimpl.ExtensionFields, known *Known, b []byte, levels int,
) (rest []byte, err wire.Error) {
	if legacy || levels <= 0 {
		return b, err
	}
	from := 0 // of the records that go to the runtime, up to start
	for i := 0; i < len(b); {
		start := i
		tag, value := codec.ReadTag(b, i)
		if i = codec.Skip(b, value, tag); i < 0 {
			return b, err // it has been skipped before
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

// decodeFast merges one record of an extension into fields, if the message that is there has fast code, too.
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
	if inside < mostInside { // the runtime starts a new count of levels in each
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
		d.Partial = lack.MissingHot() != "" // the end of the whole message shows whether it stays so
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

// Known lists the extensions of a message that were found before in the runtime's own registry, which only grows.
type Known struct {
	list atomic.Pointer[[]knownExtension]
}

// mostKnown is the maximal length of a message's Known, because the search is linear.
const mostKnown = 16

// knownExtension is an extension, and the struct of its message if that has fast code.
type knownExtension struct {
	protoreflect.ExtensionType
	number  int32
	message reflect.Type
}

// find looks up an extension of m. Its message is empty if there is no extension with that number, or no fast code
// for it.
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
		k.list.Store(&longer) // of two at once, one may be lost: it will be found again
	}
	return x
}

// mostInside is the maximal nesting of extensions in which fast code starts a new count of levels. The runtime does
// so in all extensions, and uses as much stack as the input demands.
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

// fastOf returns the extensions of a message by ascending number, in room for a few, if fast code can write all of
// them.
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

// mostFast is the maximal number of extensions of a message that fast code writes.
const mostFast = 4

func tagOf(number int32) uint64 { return uint64(number)<<3 | uint64(wire.BytesType) }

// encodeFast writes all extensions of a message, if fast code can write each of them.
func encodeFast(e *codec.Encoder, i int, fields protoimpl.ExtensionFields) (next int, all bool) {
	var room [mostFast]fastExtension
	list, all := fastOf(room[:], fields)
	if !all {
		return i, false
	}
	for n := len(list) - 1; n >= 0; n-- {
		written := len(e.B) - i
		i = list[n].m.(encoder).EncodeHot(e, i)
		if i < 2*wire.MaxVarint {
			i = e.Grow(i, 2*wire.MaxVarint)
		}
		i = codec.PutVarint(e.B, i, uint64(len(e.B)-i-written))
		i = codec.PutVarint(e.B, i, tagOf(list[n].number))
	}
	return i, true
}

// sizeFast returns the size of encodeFast's output.
func sizeFast(fields protoimpl.ExtensionFields) (size int, all bool) {
	var room [mostFast]fastExtension
	list, all := fastOf(room[:], fields)
	for _, x := range list {
		size += wire.SizeVarint(tagOf(x.number)) + codec.SizeLen(Size(x.m))
	}
	return size, all
}
