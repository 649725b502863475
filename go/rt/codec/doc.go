// Package codec is the codec face's runtime, as generated code calls it. It makes no promise: names change from version to
// version, and arguments are not checked. Users import package codec of the module.
package codec
