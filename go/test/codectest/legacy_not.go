//go:build !protolegacy

package codectest

// legacy reports whether the runtime writes message sets.
const legacy = false
