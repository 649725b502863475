//go:build race

package schematest

const WithDetector = true
