//go:build hotpbdebug

package writer

import "sync/atomic"

var soiled atomic.Uint32

// debugSoil fills memory that will be written to with a different byte each time, so that output that contains such
// bytes differs from the next one.
func debugSoil(memory []byte) {
	pattern := byte(soiled.Add(0x35))
	memory = memory[:min(len(memory), 1<<16)]
	for i := range memory {
		memory[i] = pattern
	}
}
