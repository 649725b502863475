//go:build !protolegacy

package google

// legacy reports whether the runtime supports message sets.
const legacy = false
