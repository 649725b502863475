// Package wkt has ready faces of the well-known types: Timestamp, Duration,
// Any, Struct, FieldMask, the wrappers and so on. Generated code refers to
// them. There is no registry, so they are in no one's way: the stock runtime's
// packages for the same types can be linked into one program.
//
// Package descriptor below it has descriptor.proto and plugin.proto, package
// api has type.proto and api.proto, so that a program compiles what it uses.
package wkt
