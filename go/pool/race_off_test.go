//go:build !race

package pool_test

const withDetector = false
