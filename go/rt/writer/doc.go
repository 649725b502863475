// Package writer is the writer face's runtime, as generated code calls it. It makes no promise: names change from version
// to version, and arguments are not checked. Users import package writer of the module.
package writer

// The versions of generated code that this runtime works with.
const (
	MinGenerated = 2
	MaxGenerated = 2
)
