//go:build hotpbdebug

package codec

import "sync/atomic"

var soiled atomic.Uint32

// debugSoil fills scratch memory with a different byte each time, so that an encoding that contains scratch bytes
// differs from the next one.
func debugSoil(scratch []byte) {
	pattern := byte(soiled.Add(0x35))
	for i := range scratch {
		scratch[i] = pattern
	}
}
