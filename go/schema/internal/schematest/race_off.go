//go:build !race

package schematest

// WithDetector reports whether the race detector is on; it makes sync.Pool drop values at random.
const WithDetector = false
