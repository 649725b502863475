package google

import (
	"reflect"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoiface"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/hotpb/hotpb/go/rt/codec"
)

// carrier is a message that has nothing but extensions, in the runtime's representation. Through it the runtime
// sizes, writes and checks all extensions of a message in one call, and nothing else of the message. Extensions that
// are still lazy stay lazy. It is in no registry.
type carrier struct {
	state           protoimpl.MessageState
	extensionFields protoimpl.ExtensionFields
}

func (c *carrier) ProtoReflect() protoreflect.Message {
	return protoimpl.X.MessageStateOf(protoimpl.Pointer(c))
}

// carrierType is the runtime's description of carriers, created at first use.
var carrierType = sync.OnceValue(func() *protoimpl.MessageInfo {
	infos := make([]protoimpl.MessageInfo, 1)
	protoimpl.TypeBuilder{
		File: protoimpl.DescBuilder{
			GoPackagePath: reflect.TypeFor[carrier]().PkgPath(),
			RawDescriptor: []byte("\x0a\x13hotpb/carrier.proto" + // name
				"\x12\x05hotpb" + // package
				"\x22\x13" + // message_type
				"\x0a\x07Carrier" + // its name
				"\x2a\x08\x08\x01\x10\x80\x80\x80\x80\x02"), // extensions 1 to max
			NumMessages:  1,
			FileRegistry: new(protoregistry.Files),
		},
		GoTypes:      []any{(*carrier)(nil)},
		MessageInfos: infos,
		TypeRegistry: new(protoregistry.Types),
	}.Build()
	return &infos[0]
})

var carriers = sync.Pool{New: func() any {
	c := new(carrier)
	protoimpl.X.MessageStateOf(protoimpl.Pointer(c)).StoreMessageInfo(carrierType())
	return c
}}

func carry(x protoimpl.ExtensionFields) *carrier {
	c := carriers.Get().(*carrier)
	c.extensionFields = x
	return c
}

func (c *carrier) release() {
	c.extensionFields = nil
	carriers.Put(c)
}

// SizeExtensions returns the size of all extensions of a message.
func SizeExtensions(x protoimpl.ExtensionFields) int {
	if n, all := sizeFast(x); all {
		return n
	}
	c := carry(x)
	m := c.ProtoReflect()
	n := m.ProtoMethods().Size(protoiface.SizeInput{Message: m}).Size
	c.release()
	return n
}

// EncodeExtensions writes all extensions of a message, by ascending number.
func EncodeExtensions(e *codec.Encoder, i int, x protoimpl.ExtensionFields) int {
	if i, all := encodeFast(e, i, x); all {
		return i
	}
	c := carry(x)
	m := c.ProtoReflect()
	methods := m.ProtoMethods()
	var flags protoiface.MarshalInputFlags
	if e.Deterministic {
		flags = protoiface.MarshalDeterministic
	}
	n := methods.Size(protoiface.SizeInput{Message: m, Flags: flags}).Size
	i = e.Reserve(i, n)
	out, err := methods.Marshal(protoiface.MarshalInput{
		Message: m,
		Buf:     e.B[i : i : i+n],
		Flags:   flags | protoiface.MarshalUseCachedSize,
	})
	settle(e, out.Buf, n, err)
	if !e.AllowPartial && err == nil {
		checkInitialized(e, c)
	}
	c.release()
	return i
}
