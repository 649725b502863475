package stage

import (
	"net/netip"

	"github.com/gaissmai/bart"

	"github.com/hotpb/hotpb/go/schema"
)

// finder finds values by address.
type finder interface {
	// find puts the values for an address into a draft. It reports whether all addresses of the block, which has
	// the address, have the same values.
	find(d draft, a netip.Addr, block netip.Prefix) (same bool)
}

// end is the source or the destination of a flow.
type end struct {
	addresses []schema.IPColumn // the first that has a value counts
	slots     int
	finders   []finder // by precedence
	rows      *rows
	blocks    *cache[answer]
	hosts     *cache[row] // of blocks that have several answers
}

// answer is the values of all addresses of a block, unless it is split.
type answer struct {
	row
	split bool
}

// The bounds of the caches of each end. An entry with a few columns has some 240 bytes.
const (
	cachedBlocks = 1 << 15
	cachedHosts  = 1 << 15
)

func newEnd(addresses []schema.IPColumn, finders []finder, slots int, m *rows) end {
	return end{addresses, slots, finders, m, newCache[answer](cachedBlocks), newCache[row](cachedHosts)}
}

// values are those of an address.
func (e *end) values(a netip.Addr, s *Stats) *row {
	block := blockKey(a)
	known := e.blocks.get(block)
	if known != nil && !known.split {
		return &known.row
	}
	host := addressKey(a)
	if known != nil {
		if values := e.hosts.get(host); values != nil {
			return values
		}
	}
	s.addressMisses.Add(1)
	d, same := make(draft, e.slots), true
	prefix, _ := a.Prefix(blockBits(a))
	for _, f := range e.finders {
		same = f.find(d, a, prefix) && same
	}
	values := e.rows.row(d)
	if same {
		return &e.blocks.put(block, answer{row: values}).row
	}
	if known == nil {
		e.blocks.put(block, answer{split: true})
	}
	return e.hosts.put(host, values)
}

// blockBits is the length of the prefixes that have one entry in the cache if all their addresses have the same
// values.
func blockBits(a netip.Addr) int {
	if a.Is4() {
		return 24
	}
	return 48
}

func blockKey(a netip.Addr) key {
	k := addressKey(a)
	if a.Is4() {
		return key{k.high, k.low &^ 0xff}
	}
	return key{k.high &^ 0xffff, 0}
}

// prefixes is the table of prefixes, bound.
type prefixes struct {
	rows  *bart.Fast[uint32]
	fills []fill
}

func (p *prefixes) find(d draft, a netip.Addr, block netip.Prefix) (same bool) {
	if row, ok := p.rows.Lookup(a); ok {
		fillAll(d, p.fills, row)
	}
	for inside := range p.rows.Subnets(block) {
		if inside.Bits() > block.Bits() {
			return false
		}
	}
	return true
}
