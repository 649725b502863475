//go:build hotpbdebug

package encode

import "sync/atomic"

var soiled atomic.Uint32

// debugSoil fills scratch with a different byte each time, so that output that contains such bytes differs from
// the next one.
func debugSoil(scratch []byte) {
	pattern := byte(soiled.Add(0x35))
	for i := range scratch {
		scratch[i] = pattern
	}
}
