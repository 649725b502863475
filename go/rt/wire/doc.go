// Package wire is the wire format, as the runtimes and generated code read and write it: primitives, tables of messages, and
// the checks that explain a damaged message. It makes no promise: names change from version to version, and arguments are not
// checked. Users import package wire of the module.
package wire
