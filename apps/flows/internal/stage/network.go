package stage

import (
	"net/netip"

	"github.com/gaissmai/bart"

	"github.com/hotpb/hotpb/apps/flows/internal/routes"
	"github.com/hotpb/hotpb/go/schema"
)

// finder finds values by address.
type finder interface {
	// find puts the values for an address into a draft. It reports whether all addresses of the block have the same
	// values.
	find(d draft, q question) (same bool)
}

// question is an address whose values are looked for.
type question struct {
	address netip.Addr
	block   netip.Prefix   // that has the address
	router  *routes.Router // whose routes count; nil for those of all
}

// end is the source or the destination of a flow.
type end struct {
	addresses []schema.IPColumn // the first that has a value counts
	slots     int
	finders   []finder // by precedence
	rows      *rows
	blocks    *cache[answer]
	hosts     *cache[answer] // of blocks that have several answers
	live      *routes.Live   // nil without routes that change
}

// answer is the values of an address, or of all addresses of a block, unless it is split.
type answer struct {
	row
	split   bool
	version uint64 // of the routes
}

// The bounds of the caches of each end. An entry with a few columns has some 240 bytes.
const (
	cachedBlocks = 1 << 15
	cachedHosts  = 1 << 15
)

func newEnd(addresses []schema.IPColumn, finders []finder, slots int, m *rows, live *routes.Live) end {
	return end{addresses, slots, finders, m, newCache[answer](cachedBlocks), newCache[answer](cachedHosts), live}
}

// values are those of an address in flows of a router; nil for the routers that have no routes of their own.
func (e *end) values(a netip.Addr, router *routes.Router, s *Stats) *row {
	block, version := blockKey(a), uint64(0)
	if e.live != nil {
		block.table, version = router.Number(), e.live.Version(a)
	}
	known := e.blocks.get(block)
	if known != nil && known.version != version {
		known = nil
	}
	if known != nil && !known.split {
		return &known.row
	}
	host := addressKey(a)
	host.table = block.table
	if known != nil {
		if values := e.hosts.get(host); values != nil && values.version == version {
			return &values.row
		}
	}
	s.addressMisses.Add(1)
	d, same := make(draft, e.slots), true
	prefix, _ := a.Prefix(blockBits(a))
	for _, f := range e.finders {
		same = f.find(d, question{a, prefix, router}) && same
	}
	values := e.rows.row(d)
	if same {
		return &e.blocks.put(block, answer{row: values, version: version}).row
	}
	if known == nil {
		e.blocks.put(block, answer{split: true, version: version})
	}
	return &e.hosts.put(host, answer{row: values, version: version}).row
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
		return key{high: k.high, low: k.low &^ 0xff}
	}
	return key{high: k.high &^ 0xffff}
}

// prefixes is the table of prefixes, bound.
type prefixes struct {
	rows  *bart.Fast[uint32]
	fills []fill
}

func (p *prefixes) find(d draft, q question) (same bool) {
	if row, ok := p.rows.Lookup(q.address); ok {
		fillAll(d, p.fills, row)
	}
	for inside := range p.rows.Subnets(q.block) {
		if inside.Bits() > q.block.Bits() {
			return false
		}
	}
	return true
}
