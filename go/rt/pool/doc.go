// Package pool is the pool face's runtime, as generated code calls it. It makes no promise: names change from version to
// version, and arguments are not checked. Users import package pool of the module.
package pool
