// Package wkt has ready views of the well-known types (Timestamp, Any, Struct,
// the wrappers and so on) and of descriptor.proto and plugin.proto. Generated
// code refers to them. There is no registry, so they are in no one's way: the
// stock runtime's packages for the same types can be linked into one program.
package wkt
