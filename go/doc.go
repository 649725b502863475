// Package hotpb is one small API over the protobuf runtimes of Go: it takes
// messages made by Google's protoc-gen-go (open, hybrid and opaque API), by the
// generators of the v1 API (github.com/golang/protobuf) and by gogo, finds the
// runtime that a message belongs to, and delegates. Code that calls it, and not
// a runtime, stays as it is while its messages move from one runtime to another.
//
//	size := hotpb.Size(msg)
//	b, err := hotpb.Marshal(msg)
//	err = hotpb.Unmarshal(b, msg)
//
// # Which runtime
//
// It is found once per Go type, in this order:
//
//  1. A message with ProtoReflect is Google's (google.golang.org/protobuf).
//  2. Generated messages of the v1 API and of gogo have a method XXX_Merge, or
//     an embedded XXX_InternalExtensions, whose types name the package that they
//     were compiled against. Is that one built on google.golang.org/protobuf
//     (github.com/golang/protobuf from v1.4 on), they are Google's.
//  3. Of those without such a mark, the runtimes that were registered are asked,
//     in the order of their import paths, whether the type is in their registry.
//  4. What is left and has Reset, String and ProtoMessage is written by hand or
//     very old; Google's runtime serves it through its struct tags, as it does in grpc-go.
//
// Google's runtime is always there. Others are linked by importing the package
// that registers them, once per program; without it the error says so:
//
//	import _ "github.com/hotpb/hotpb/go/gogo"     // github.com/gogo/protobuf
//	import _ "github.com/hotpb/hotpb/go/googlev1" // github.com/golang/protobuf before v1.4
//
// # Methods that a message brings along
//
// They come before its runtime, each function for itself: the generated fast
// methods of hotpb (codec.Message); Size, Marshal, MarshalAppend, MarshalTo
// in the signatures of gogo and csproto, Unmarshal; vtprotobuf's SizeVT, MarshalVT,
// MarshalToSizedBufferVT and UnmarshalVT. With them a type needs no runtime, so that
// messages of the pool face are taken, too. vtprotobuf's methods lose extensions: where a
// message can have some, or a message in it can, they are passed over.
//
// # What is equal for all
//
// Unmarshal resets the message first. A nil message, also one that is a nil pointer of
// a message type, is an error ([ErrNil]), and where a function has no error to
// give, an empty result: Size is 0, HasExtension false. [RuntimeOf] says why. All
// errors of this package itself are an [*Error]; those of a runtime or of generated code are handed on as they are.
//
// The functions may be called by several goroutines, as far as the runtime allows
// what they do: reading one message from several is allowed by all but gogo's and
// v1's GetExtension, which decodes what it finds and keeps that in the message, under a lock of its own.
package hotpb
