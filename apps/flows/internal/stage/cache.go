package stage

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"net/netip"
	"sync/atomic"
)

// cache is a bounded map that any number of goroutines read and write without locks. An entry may be replaced at any
// time, and then must be computed again.
type cache[V any] struct {
	seed  key // random: keys come from the network, so that nobody can choose ones that share a place
	mask  uint64
	slots []atomic.Pointer[cached[V]]
	turn  atomic.Uint32 // chooses the entry that is replaced
}

type cached[V any] struct {
	key   key
	value V
}

// key is an address, or whatever else identifies a value, and the routing table that counts for it.
type key struct {
	high, low uint64
	table     uint32
}

// ways is how many entries may have the same place.
const ways = 4

// newCache makes a cache of a number of entries, a power of two.
func newCache[V any](entries int) *cache[V] {
	return &cache[V]{seed: key{high: rand.Uint64(), low: rand.Uint64()}, mask: uint64(entries/ways - 1), slots: make([]atomic.Pointer[cached[V]], entries)}
}

func (c *cache[V]) place(k key) []atomic.Pointer[cached[V]] {
	high, low := bits.Mul64(k.high^c.seed.high, (k.low+uint64(k.table)*0x9e3779b97f4a7c15)^c.seed.low)
	at := (high ^ low) & c.mask * ways
	return c.slots[at : at+ways : at+ways]
}

// get returns nil for a key that is not known.
func (c *cache[V]) get(k key) *V {
	place := c.place(k)
	for i := range place {
		if e := place[i].Load(); e != nil && e.key == k {
			return &e.value
		}
	}
	return nil
}

// put adds a value, or replaces the key's value.
func (c *cache[V]) put(k key, v V) *V {
	place, e := c.place(k), &cached[V]{k, v}
	free := -1
	for i := range place {
		switch have := place[i].Load(); {
		case have == nil:
			free = i
		case have.key == k:
			place[i].Store(e)
			return &e.value
		}
	}
	if free < 0 {
		free = int(c.turn.Add(1) % ways)
	}
	place[free].Store(e)
	return &e.value
}

// addressKey is the key of an address. An IPv4 address has that of its form in IPv6.
func addressKey(a netip.Addr) key {
	b := a.As16()
	return key{high: binary.BigEndian.Uint64(b[:8]), low: binary.BigEndian.Uint64(b[8:])}
}
