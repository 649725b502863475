package schema

import (
	"crypto/sha256"
	"encoding/hex"
)

// WireHash is the SHA-256, in 64 hex digits, of everything that determines the meaning of the plan's bytes. Of the columns that are on,
// these are their numbers, kinds, whether they are repeated, maps or required, and which share a oneof; and the
// numbers of closed enums. Names, comments, reserved numbers, presence, packing and the values of open enums are
// not part of it: they do not change the bytes. Nor are units, other logical types and defaults, which FullHash
// has, and package lock reports. Nor is the order in which things were added, or whether two equal messages are
// one type or two. It is the hash of WireText. The first 16 digits are enough to distinguish the schemas of a topic:
// "flows-" + plan.WireHash()[:16].
func (p *Plan) WireHash() string { return hash(p.WireText()) }

// FullHash is the hash of everything that a .proto says except comments and UTF-8 checks: also the names of
// messages, columns, oneofs and enum values, presence, packing, defaults and what is reserved. It includes what a
// .proto does not say: the units of times and durations, and which columns are IP and MAC addresses. A column that
// is off counts as a reserved number and name. It is the hash of FullText.
func (p *Plan) FullHash() string { return hash(p.FullText()) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// FullText is the text that FullHash hashes: the lock of everything to which columns lead that are on; those that
// are off are reserved.
func (p *Plan) FullText() string {
	if p.isEmpty() {
		return ""
	}
	l := p.describe().Reached()
	l.Sort()
	return l.String()
}

// WireText is the text that WireHash hashes. Messages are numbered in the order in which columns lead to them from
// the root, columns in ascending order.
func (p *Plan) WireText() string {
	if p.isEmpty() {
		return ""
	}
	return p.describe().Reached().WireText()
}
