//go:build !race

package schema_test

const withDetector = false
