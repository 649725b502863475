//go:build !hotpbdebug

package pool

// debugSoil makes stale scratch visible in builds with the tag hotpbdebug.
func debugSoil([]byte) {}

// debugSoilAll makes stale elements visible in builds with the tag hotpbdebug.
func debugSoilAll[T any]([]T) {}
