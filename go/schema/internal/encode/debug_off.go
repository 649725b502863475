//go:build !hotpbdebug

package encode

// debugSoil makes stale scratch visible in builds with the tag hotpbdebug.
func debugSoil([]byte) {}
