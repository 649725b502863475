//go:build !race

package schematest

// WithDetector tells whether the race detector is on, with which sync.Pool forgets at random.
const WithDetector = false
