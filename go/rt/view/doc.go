// Package view is the view face's runtime, as generated code calls it. It makes no promise: names change from version to
// version, and arguments are not checked. Users import package view of the module.
package view
