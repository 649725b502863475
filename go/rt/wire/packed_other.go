//go:build !amd64 || purego

package wire

import "unsafe"

func hasBits() bool { return false }

func readVarints64(unsafe.Pointer, int, unsafe.Pointer, int) (elements, bytes int) { return 0, 0 }

func readVarints32(unsafe.Pointer, int, unsafe.Pointer, int) (elements, bytes int) { return 0, 0 }

func countVarints(unsafe.Pointer, int) (count, bytes int) { return 0, 0 }

func readLast64(unsafe.Pointer, int, unsafe.Pointer, int) (elements, bytes int) { return 0, 0 }

func readLast32(unsafe.Pointer, int, unsafe.Pointer, int) (elements, bytes int) { return 0, 0 }

func stops(unsafe.Pointer) uint64 { return 0 }
