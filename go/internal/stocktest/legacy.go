//go:build protolegacy

package stocktest

const legacy = true
