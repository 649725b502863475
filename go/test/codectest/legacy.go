//go:build protolegacy

package codectest

const legacy = true
