package pool

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// mostSkipped is how many absent fields plain passes before it leaves the search to its caller.
const mostSkipped = 8

// plain decodes records of singular numbers, strings and bytes, in the order of their numbers. It is the inner loop of
// Layout.DecodeHot. It calls nothing, so that its variables stay in registers; slices would need more of them. Whatever is
// rare, or has an effect elsewhere, it leaves to its caller: compound fields, unknown fields, text that is not ASCII, errors.
//
// Fields from k on may come next. checked has the bits of Field that demand valid UTF-8. i is a position in b, or len(b).
// plain returns where the record begins that it leaves, or len(b), and a guess at the index of its field.
func (l *Layout) plain(m unsafe.Pointer, checked uint32, b []byte, i, k int) (start, expected int) {
	input, end := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	fields, last := unsafe.Pointer(unsafe.SliceData(l.Fields)), len(l.Fields)-1
	for i < end && k <= last {
		start = i
		// The tag: one byte or two.
		tag := uint32(*(*byte)(unsafe.Add(input, i)))
		i++
		if tag >= 0x80 {
			if i >= end {
				return start, k
			}
			high := uint32(*(*byte)(unsafe.Add(input, i)))
			if high-1 >= 0x7f {
				return start, k
			}
			tag = tag&0x7f | high<<7
			i++
		}
		// Its field: the expected one, or one of those that follow.
		f := (*Field)(unsafe.Add(fields, k*int(unsafe.Sizeof(Field{}))))
		if f[0] != tag {
			for stop := min(k+mostSkipped, last); k < stop && f[0] < tag; k++ {
				f = (*Field)(unsafe.Add(unsafe.Pointer(f), unsafe.Sizeof(Field{})))
			}
			if f[0] != tag {
				return start, k
			}
		}
		is := f[3]
		if is&isCompound != 0 || i >= end {
			return start, k
		}
		at := unsafe.Add(m, f[1])
		switch tag & 7 {
		case 0:
			// A number: one byte, or a word that has its end, or byte by byte near the end of the input.
			x := uint64(*(*byte)(unsafe.Add(input, i)))
			i++
			if x >= 0x80 {
				x &= 0x7f
				if end-i < wire.MaxVarint-1 { // too few bytes for a word, and for a varint that is too long
					for shift := 7; ; shift += 7 {
						if i >= end {
							return start, k
						}
						c := uint64(*(*byte)(unsafe.Add(input, i)))
						i++
						x |= c & 0x7f << (shift & 63)
						if c < 0x80 {
							break
						}
					}
				} else if word := wordAt(unsafe.Add(input, i)); word&0x80 == 0 {
					x |= word & 0x7f << 7
					i++
				} else if stop := ^word & msbs; stop != 0 {
					// stop^(stop-1) keeps everything up to the first stop bit.
					x |= fold7(word&(stop^(stop-1))) << 7
					i += bits.TrailingZeros64(stop)>>3 + 1
				} else if last := *(*byte)(unsafe.Add(input, i+8)); last < 0x80 {
					x |= fold7(word)<<7 | uint64(last)<<63
					i += wire.MaxVarint - 1
				} else {
					return start, k
				}
			}
			// As the kind has it.
			switch kind := wire.Kind(is & kindBits); {
			case kind == wire.Int32 || kind == wire.Uint32:
				*(*uint32)(at) = uint32(x)
			case kind <= wire.Uint64:
				*(*uint64)(at) = x
			case kind == wire.Bool:
				*(*bool)(at) = x != 0
			case kind == wire.Enum:
				if is&isClosed != 0 {
					closed := (*l.Tables)[l.Index].Fields[k].Closed
					n := uint32(x) - uint32(closed.Min)
					if n > uint32(closed.Max)-uint32(closed.Min) || closed.Values != nil && (uint64(n) >= uint64(len(closed.Values)) || closed.Values[n] != int32(x)) {
						return start, k // undefined, or to be searched for
					}
				}
				*(*uint32)(at) = uint32(x)
			case kind == wire.Sint64:
				*(*int64)(at) = wire.DecodeZigzag(x)
			default:
				*(*int32)(at) = wire.DecodeZigzag32(x)
			}
		case 2:
			// A length: one byte or two.
			size := int(*(*byte)(unsafe.Add(input, i)))
			i++
			if size >= 0x80 {
				if i >= end {
					return start, k
				}
				high := int(*(*byte)(unsafe.Add(input, i)))
				if high >= 0x80 {
					return start, k
				}
				size = size&0x7f | high<<7
				i++
			}
			if size > end-i {
				return start, k
			}
			// Text that has to be valid is ASCII: all words of it, the last one overlapping.
			text := input // for one without bytes, as there may be none at i
			if size > 0 {
				text = unsafe.Add(input, i)
				if is&checked != 0 && is&kindBits == uint32(wire.String) {
					var high uint64
					switch {
					case size >= 16:
						for j := 0; j < size-16; j += 16 {
							high |= wordAt(unsafe.Add(text, j)) | wordAt(unsafe.Add(text, j+8))
						}
						high |= wordAt(unsafe.Add(text, size-16)) | wordAt(unsafe.Add(text, size-8))
					case size >= 8:
						high = wordAt(text) | wordAt(unsafe.Add(text, size-8))
					case size >= 4:
						high = uint64(halfAt(text) | halfAt(unsafe.Add(text, size-4)))
					default: // the middle byte is the first or the last of two or one
						high = uint64(*(*byte)(text) | *(*byte)(unsafe.Add(text, size/2)) | *(*byte)(unsafe.Add(text, size-1)))
					}
					if high&msbs != 0 {
						return start, k
					}
				}
			}
			if is&kindBits == uint32(wire.String) {
				*(*textHeader)(at) = textHeader{text, size}
			} else {
				*(*list)(at) = list{text, size, size}
			}
			i += size
		case 1:
			if end-i < 8 {
				return start, k
			}
			*(*uint64)(at) = wordAt(unsafe.Add(input, i))
			i += 8
		default:
			if end-i < 4 {
				return start, k
			}
			*(*uint32)(at) = halfAt(unsafe.Add(input, i))
			i += 4
		}
		// The field is present.
		if is&(showsInOneof<<8) == 0 { // nor one of the ways after it: a bit
			*(*uint32)(unsafe.Add(m, l.Has+uintptr(f[2]))) |= 1 << (is >> 8 & 31)
		}
		k++
	}
	return i, k
}

// textHeader is a string, and list is bytes.
type textHeader struct {
	at  unsafe.Pointer
	len int
}

// wordAt and halfAt read eight and four bytes.
func wordAt(at unsafe.Pointer) uint64 { return binary.LittleEndian.Uint64((*[8]byte)(at)[:]) }
func halfAt(at unsafe.Pointer) uint32 { return binary.LittleEndian.Uint32((*[4]byte)(at)[:]) }

// fold7 removes the continuation bits from eight bytes.
func fold7(x uint64) uint64 {
	x &= ^uint64(msbs)
	x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
	x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
	return x&0x000000000fffffff | x&0x0fffffff00000000>>4
}
