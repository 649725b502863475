// Package wkt has ready-made faces of the well-known types: Timestamp, Duration, Any, Struct, FieldMask, the wrappers
// and so on. Generated code refers to them. There is no registry, so they conflict with nothing: the stock runtime's
// packages for the same types can be linked into the same program.
//
// The sub-package descriptor has descriptor.proto and plugin.proto, the sub-package api has type.proto and api.proto,
// so that a program compiles only the types that it uses.
package wkt
