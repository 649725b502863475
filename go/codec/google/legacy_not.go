//go:build !protolegacy

package google

// legacy tells that the runtime knows message sets.
const legacy = false
