// Package descriptor has ready faces of descriptor.proto and plugin.proto, for
// programs that read schemas and for protoc plugins.
package descriptor
