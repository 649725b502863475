// Package value is the runtime of the structs that faces=codec writes with structs=value: plain structs as gogo's
// generators write them, which are messages of google.golang.org/protobuf.
//
// # Custom types
//
// A type for the option gogoproto.customtype has the methods that gogo asks for, so that existing types fit:
//
//	Size() int
//	MarshalTo(b []byte) (int, error)
//	Unmarshal(b []byte) error // of the pointer
//
// MarshalTo must write Size bytes; b has that length. An error of either is the result of the call that encodes or decodes
// the message.
//
// # Reflection
//
// ProtoReflect reads and changes the struct itself. proto.Marshal, proto.Unmarshal and gRPC use the fast methods;
// protojson, prototext, proto.Equal, proto.Clone and proto.Merge work by reflection. These are the limits:
//
//   - Elements that the struct does not store as messages (time.Time, time.Duration, values of wrappers) are copied when
//     they are read; Mutable returns a message that writes each change back, and makes the zero time the beginning of
//     1970, an empty Timestamp. A duration that time.Duration cannot hold becomes the longest one; for UnmarshalJSON and
//     UnmarshalText of this package it is an error.
//   - A custom type that refuses to be written or read causes a panic with a *RefusedError in protojson, prototext,
//     proto.Merge and proto.Clone, because reflection has no errors. For values that are not trusted use MarshalJSON,
//     MarshalText, UnmarshalJSON and UnmarshalText of this package: they return the error. proto.Marshal, proto.Unmarshal,
//     proto.CheckInitialized, proto.Equal of two structs and the methods String and Equal do not panic.
//   - If a custom type refuses to be written, proto.Equal and Equal compare the structs, by reflect.DeepEqual.
//   - Mutable of a map with values in place of pointers, and of a custom type that is a message, panics: use Set.
//   - A required field without a pointer is always present by reflection. If the input lacks it, Unmarshal and UnmarshalHot
//     of the struct return MissingRequired; proto.Unmarshal does not.
//   - Extensions are unknown fields.
//
// Messages are not registered. For messages inside google.protobuf.Any, register them:
//
//	protoregistry.GlobalTypes.RegisterMessage((*acme.Event)(nil).ProtoReflect().Type())
//
// Names other than those of the functions for users are for generated code.
package value
