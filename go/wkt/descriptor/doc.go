// Package descriptor has ready-made faces of descriptor.proto and plugin.proto, for
// programs that read schemas and for protoc plugins.
package descriptor
