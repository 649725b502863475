// Package reflect is the runtime of the reflection bridge, as generated code calls it. It makes no promise: names change
// from version to version, and arguments are not checked. Users import package view/reflect of the module.
package reflect
