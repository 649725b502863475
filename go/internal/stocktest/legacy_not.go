//go:build !protolegacy

package stocktest

// legacy tells that the runtime writes message sets.
const legacy = false
