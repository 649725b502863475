package enc

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Zigzag32 returns the number that stands for a sint32 in a varint.
func Zigzag32(v int32) uint64 { return uint64(uint32(v<<1) ^ uint32(v>>31)) }

// Bit returns the number that stands for a bool.
func Bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// Varint returns the number that stands for a value in a varint.
func Varint(at unsafe.Pointer, kind wire.Kind) uint64 {
	switch {
	case kind == wire.Int64 || kind == wire.Uint64:
		return *(*uint64)(at)
	case kind == wire.Int32 || kind == wire.Enum:
		return uint64(*(*int32)(at))
	case kind == wire.Bool:
		return Bit(*(*bool)(at))
	case kind == wire.Uint32:
		return uint64(*(*uint32)(at))
	case kind == wire.Sint64:
		return wire.EncodeZigzag(*(*int64)(at))
	}
	return Zigzag32(*(*int32)(at))
}

// Size returns the size of a value that is not a message, without its tag.
func Size(at unsafe.Pointer, kind wire.Kind) int {
	switch kind.Type() {
	case wire.VarintType:
		return wire.SizeVarint(Varint(at, kind))
	case wire.BytesType:
		n := len(*(*string)(at)) // the first words of bytes are the same
		return wire.SizeVarint(uint64(n)) + n
	case wire.Fixed64Type:
		return 8
	}
	return 4
}

// SizeList returns the size of n values that are not messages, without their tags.
func SizeList(at unsafe.Pointer, n int, kind wire.Kind) (size int) {
	var width uintptr
	switch kind {
	case wire.String:
		width = unsafe.Sizeof("")
	case wire.Bytes:
		width = unsafe.Sizeof([]byte(nil))
	default:
		return wire.SizePacked(kind, at, n)
	}
	for k := range n {
		size += Size(unsafe.Add(at, k*int(width)), kind)
	}
	return size
}

// Keys returns the keys of a map, in no order.
func Keys[M ~map[K]V, K comparable, V any](m M) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	return keys
}

// SortBools puts false before true. Each is there once at most.
func SortBools(keys []bool) {
	if len(keys) == 2 {
		keys[0], keys[1] = false, true
	}
}
