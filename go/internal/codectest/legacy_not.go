//go:build !protolegacy

package codectest

// legacy tells that the runtime writes message sets.
const legacy = false
