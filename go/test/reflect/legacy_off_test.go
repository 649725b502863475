//go:build !protolegacy

package reflect_test

// legacy reports whether the stock runtime reads message sets.
const legacy = false
