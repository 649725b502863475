package google

import (
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoiface"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// hookable is a message with fast code.
type hookable[T any] interface {
	*T
	codec.Encodable
	codec.Message
	proto.Message
}

// stockMethods are the runtime's own methods of the types that Hook has changed.
var stockMethods sync.Map // from *protoiface.Methods to the same type

// methodsOf returns the runtime's own methods of a message, hooked or not.
func methodsOf(m protoreflect.Message) *protoiface.Methods {
	methods := m.ProtoMethods()
	if own, hooked := stockMethods.Load(methods); hooked {
		return own.(*protoiface.Methods)
	}
	return methods
}

// Hook makes proto.Marshal, proto.Unmarshal and proto.Size use the fast code of T, and everything else that goes
// through its ProtoMethods. Code generated with protomethods=true calls it before anything else uses the type.
//
// The runtime decodes and encodes nested messages without looking up their methods. So everything inside a message
// that is not hooked stays slow, even messages that are hooked themselves, and everything inside a hooked message is
// fast.
//
// Hook makes the runtime inspect the struct by reflection at start-up, which otherwise happens when a type is first
// used: about 130 ms and 29 MB for 1,000 messages of ten fields. The linker can drop neither the types nor their fast
// code.
func Hook[T any, P hookable[T]]() {
	methods := P(new(T)).ProtoReflect().ProtoMethods()
	if methods == nil {
		return // nothing to hook into: slow, but correct
	}
	own := *methods
	if _, hooked := stockMethods.LoadOrStore(methods, &own); hooked {
		return // own is the fast code already: do not store it as the runtime's
	}
	methods.Flags |= protoiface.SupportMarshalDeterministic | protoiface.SupportUnmarshalDiscardUnknown
	methods.Size = func(in protoiface.SizeInput) (out protoiface.SizeOutput) {
		out.Size = in.Message.Interface().(P).SizeHot()
		return out
	}
	methods.Marshal = func(in protoiface.MarshalInput) (out protoiface.MarshalOutput, err error) {
		o := codec.MarshalOptions{AllowPartial: true, Deterministic: in.Flags&protoiface.MarshalDeterministic != 0}
		m := in.Message.Interface().(P)
		out.Buf, err = codec.MarshalWith(in.Buf, m, o)
		return out, err
	}
	methods.Unmarshal = func(in protoiface.UnmarshalInput) (out protoiface.UnmarshalOutput, err error) {
		if in.Depth <= 0 {
			return out, &wire.Error{Code: wire.DepthExceeded}
		}
		m := in.Message.Interface().(P)
		// No flag is set, so the runtime's own check looks for missing required fields.
		return out, m.UnmarshalHotOptions(in.Buf, codec.UnmarshalOptions{
			Merge:          true,
			AllowPartial:   true,
			DiscardUnknown: in.Flags&protoiface.UnmarshalDiscardUnknown != 0,
			Alias:          in.Flags&protoiface.UnmarshalAliasBuffer != 0,
			RecursionLimit: in.Depth,
			Resolver:       in.Resolver,
		})
	}
}
