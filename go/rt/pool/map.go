package pool

import (
	"iter"
	"slices"

	"github.com/hotpb/hotpb/go/internal/enc"
)

// Map returns an empty map, if possible one that was used before.
func Map[K comparable, V any](s *Slab[map[K]V]) map[K]V {
	m := s.One()
	if *m == nil {
		*m = make(map[K]V)
	} else {
		clear(*m)
	}
	return *m
}

// SortedKeys returns the keys of a map in ascending order: strings by their bytes, false before true.
func SortedKeys[K comparable, V any](m map[K]V) []K {
	keys := enc.Keys(m)
	switch keys := any(keys).(type) {
	case []string:
		slices.Sort(keys)
	case []int32:
		slices.Sort(keys)
	case []int64:
		slices.Sort(keys)
	case []uint32:
		slices.Sort(keys)
	case []uint64:
		slices.Sort(keys)
	case []bool:
		enc.SortBools(keys)
	}
	return keys
}

// Keys returns the keys of the entries of a sorted map.
func Keys[K, V any](entries iter.Seq2[K, V]) (keys []K) {
	for key := range entries {
		keys = append(keys, key)
	}
	return keys
}

// LastKeys returns the keys in the order of their last occurrences in the list: the keys of the map entries that no
// later entry has replaced.
func LastKeys[K comparable](keys []K) []K {
	seen := make(map[K]bool, len(keys))
	var last []K
	for i := len(keys) - 1; i >= 0; i-- {
		if !seen[keys[i]] {
			seen[keys[i]] = true
			last = append(last, keys[i])
		}
	}
	slices.Reverse(last)
	return last
}
