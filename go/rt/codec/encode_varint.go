package codec

import "github.com/hotpb/hotpb/go/internal/enc"

// PutVarint writes a varint in front of position i, where there must be room.
func PutVarint(b []byte, i int, v uint64) int { return enc.PutVarint(b, i, v) }

// PutFixed32 and PutFixed64 write a number in front of position i.
func PutFixed32(b []byte, i int, v uint32) int { return enc.PutFixed32(b, i, v) }

func PutFixed64(b []byte, i int, v uint64) int { return enc.PutFixed64(b, i, v) }
