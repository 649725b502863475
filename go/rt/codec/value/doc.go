// Package value is the runtime of the structs that faces=codec writes with structs=value, as generated code calls it. It
// makes no promise. Users import package codec/value of the module.
package value
