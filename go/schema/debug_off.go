//go:build !hotpbdebug

package schema

// debugSoil makes stale scratch visible in builds with the tag hotpbdebug.
func debugSoil([]byte) {}
