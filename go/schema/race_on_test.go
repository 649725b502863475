//go:build race

package schema_test

const withDetector = true
