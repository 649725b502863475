//go:build !hotpbdebug

package codec

// debugSoil makes stale scratch visible in builds with the tag hotpbdebug.
func debugSoil([]byte) {}
