//go:build !race && !hotpbdebug

package pool_test

const allocatesMore = false
