//go:build !hotpbdebug

package writer

// debugSoil makes stale memory visible in builds with the tag hotpbdebug.
func debugSoil([]byte) {}
