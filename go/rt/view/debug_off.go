//go:build !hotpbdebug

package view

// Builds with the tag hotpbdebug catch views that outlive their bytes; in all
// others nothing here costs anything.
const debug = false

type epoch struct{}

func (epoch) check([]byte) {}

func now() epoch { return epoch{} }

// Release says that b returns to its owner, for instance a pool, and that no view of it is in use any more. In builds
// with the tag hotpbdebug it overwrites the bytes, and every use of such a view panics; in other builds it does
// nothing.
func Release(b []byte) {}

// Expire says that the bytes of b are about to change: it is Release without overwriting.
func Expire(b []byte) {}

func (b *Buffer) expire([]byte) {}

func soil([]byte) {}
