// Package value reads and writes JSON and text of the structs that faces=codec writes with structs=value: plain structs as
// gogo's generators write them, which are messages of google.golang.org/protobuf.
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
// protojson, prototext, protocmp, proto.Equal, proto.Clone and proto.Merge work by reflection, for every kind of field.
// These are the limits:
//
//   - Elements that the struct does not store as messages (custom types, time.Time, time.Duration, values of wrappers) are
//     copied when they are read. Mutable returns a message that writes each change back, also a change of something in it,
//     and so does Mutable of a map with values in place of pointers. Mutable makes the zero value of a custom type, and the
//     zero time, an empty message: for a time that is the beginning of 1970. A duration that time.Duration cannot hold
//     becomes the longest one; for UnmarshalJSON and UnmarshalText of this package it is an error.
//   - A custom type that refuses to be written or read causes a panic with a *RefusedError in protojson, prototext,
//     proto.Merge and proto.Clone, because reflection has no errors; so does a number with casttype that the field's type
//     does not hold. A refused value does not change the struct. proto.Merge and proto.Clone set all fields of a custom type
//     together, Mutable one by one. For values that are not trusted use MarshalJSON, MarshalText, UnmarshalJSON and
//     UnmarshalText of this package: they return the error. proto.Marshal, proto.Unmarshal, proto.CheckInitialized,
//     proto.Equal of two structs and the methods String and Equal do not panic.
//   - If a custom type refuses to be written, proto.Equal and Equal compare the structs, by reflect.DeepEqual.
//   - A required field without a pointer is always present by reflection. If the input lacks it, Unmarshal and UnmarshalHot
//     of the struct return MissingRequired; proto.Unmarshal does not.
//   - Extensions are unknown fields.
//   - A struct of the user's (typedecl=false) is found by the names of its members; its tags do not matter. The compiler
//     compares the types. A struct whose reflection cannot be built panics at each call.
//
// Messages are not registered. For messages inside google.protobuf.Any, register them:
//
//	protoregistry.GlobalTypes.RegisterMessage((*acme.Event)(nil).ProtoReflect().Type())
//
// Generated code calls package rt/codec/value.
package value
