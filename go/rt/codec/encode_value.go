package codec

import (
	"cmp"
	"slices"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// Zigzag32 returns the number that stands for a sint32 in a varint.
func Zigzag32(v int32) uint64 { return enc.Zigzag32(v) }

// Bit returns the number that stands for a bool.
func Bit(v bool) uint64 { return enc.Bit(v) }

// SizeLen returns the size of n bytes with their length in front.
func SizeLen(n int) int { return wire.SizeVarint(uint64(n)) + n }

// SortedKeys returns the keys of a map in ascending order: strings by their bytes.
func SortedKeys[M ~map[K]V, K cmp.Ordered, V any](m M) []K {
	keys := enc.Keys(m)
	slices.Sort(keys)
	return keys
}

// SortedBools returns the keys of a map by bool, false before true.
func SortedBools[M ~map[bool]V, V any](m M) []bool {
	keys := enc.Keys(m)
	enc.SortBools(keys)
	return keys
}
