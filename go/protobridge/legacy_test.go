//go:build protolegacy

package protobridge_test

// legacy tells that the stock runtime reads message sets.
const legacy = true
