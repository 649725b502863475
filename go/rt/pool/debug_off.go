//go:build !hotpbdebug

package pool

const debugSoils = false

// debugSoil makes stale scratch visible in builds with the tag hotpbdebug.
func debugSoil([]byte) {}

// soil makes stale elements visible in builds with the tag hotpbdebug.
func (*slab) soil(elements) {}
