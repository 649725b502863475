//go:build race

package view_test

// The race detector counts the memory of `append(b, make([]byte, n)...)` twice.
const appendsTakeTwice = 2
