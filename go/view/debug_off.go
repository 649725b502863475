//go:build !hotpbdebug

package view

// Builds with the tag hotpbdebug catch views that outlive their bytes; in all
// others nothing here costs anything.
const debug = false

type epoch struct{}

func (epoch) check([]byte) {}

func now() epoch { return epoch{} }

// Release says that b goes back to where it came from, a pool for instance, and
// that no view of it is used any more. In builds with the tag hotpbdebug its
// bytes are overwritten, and every use of such a view panics; in others it does nothing.
func Release(b []byte) {}

// Expire says that the bytes of b are about to change: it is Release without overwriting.
func Expire(b []byte) {}

func (b *Buffer) expire([]byte) {}

func soil([]byte) {}
