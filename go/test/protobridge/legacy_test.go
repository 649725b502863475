//go:build protolegacy

package protobridge_test

// legacy reports whether the stock runtime reads message sets.
const legacy = true
