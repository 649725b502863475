// Package wkt has ready-made faces of the well-known types: Timestamp, Duration, Any, Struct, FieldMask, the wrappers
// and so on. Generated code refers to them. There is no registry, so they conflict with nothing: the stock runtime's
// packages for the same types can be linked into the same program.
//
// Google's descriptor.proto, plugin.proto, type.proto and api.proto are not among them: who uses their messages generates them into a package
// of the own module, as any other file, with the option Mgoogle/protobuf/descriptor.proto=example.com/you/descriptor. A file that only extends
// FieldOptions, or other options, needs no code of descriptor.proto.
package wkt
