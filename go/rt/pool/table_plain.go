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
// Layout.DecodeHot. It calls nothing, so that its variables stay in registers. Whatever is rare, or has an effect
// elsewhere, it leaves to its caller: lists, messages, members of oneofs, unknown fields, text that is not ASCII, errors.
//
// Fields from k on may come next. checked has the bits of Field that demand valid UTF-8. plain returns where the record
// begins that it leaves, or len(b), and a guess at the index of its field.
func (l *Layout) plain(m unsafe.Pointer, checked uint32, b []byte, i, k int) (start, expected int) {
	fields := l.Fields
	for uint(i) < uint(len(b)) && uint(k) < uint(len(fields)) {
		start = i
		tag := uint32(b[i])
		i++
		if tag >= 0x80 {
			if uint(i) >= uint(len(b)) || b[i]-1 >= 0x7f {
				return start, k
			}
			tag = tag&0x7f | uint32(b[i])<<7
			i++
		}
		f := &fields[k]
		if f[0] != tag {
			last := min(k+mostSkipped, len(fields)-1)
			for k < last && fields[k][0] < tag {
				k++
			}
			if f = &fields[k]; f[0] != tag {
				return start, k
			}
		}
		is := f[3]
		if is&isList != 0 || is&kindBits >= uint32(wire.Message) || is>>8&showBits == showsInOneof {
			return start, k
		}
		at := unsafe.Add(m, f[1])
		switch tag & 7 {
		case 0:
			if uint(i) >= uint(len(b)) {
				return start, k
			}
			x := uint64(b[i])
			i++
			if x >= 0x80 {
				if len(b)-i < wire.MaxVarint-1 {
					return start, k
				}
				// The first byte is not part of the word: the compiler would read its bytes one by one.
				rest := (*[wire.MaxVarint - 1]byte)(b[i:])
				word := binary.LittleEndian.Uint64(rest[:])
				if word&0x80 == 0 {
					x = x&0x7f | word&0x7f<<7
					i++
				} else if stop := ^word & msbs; stop != 0 {
					// stop^(stop-1) keeps everything up to the first stop bit.
					x = x&0x7f | fold7(word&(stop^(stop-1)))<<7
					i += bits.TrailingZeros64(stop)>>3 + 1
				} else if rest[8] < 0x80 {
					x = x&0x7f | fold7(word)<<7 | uint64(rest[8])<<63
					i += wire.MaxVarint - 1
				} else {
					return start, k
				}
			}
			switch kind := wire.Kind(is & kindBits); {
			case kind == wire.Int32 || kind == wire.Uint32:
				*(*uint32)(at) = uint32(x)
			case kind == wire.Int64 || kind == wire.Uint64:
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
			if uint(i) >= uint(len(b)) {
				return start, k
			}
			size := int(b[i])
			i++
			if size >= 0x80 {
				if uint(i) >= uint(len(b)) || b[i] >= 0x80 {
					return start, k
				}
				size = size&0x7f | int(b[i])<<7
				i++
			}
			if size > len(b)-i {
				return start, k
			}
			payload := b[i : i+size : i+size]
			if is&kindBits == uint32(wire.String) {
				if is&checked != 0 {
					var high uint64
					if size >= 8 {
						for j := 0; j < size-8; j += 8 {
							high |= binary.LittleEndian.Uint64(payload[j:])
						}
						high |= binary.LittleEndian.Uint64(payload[size-8:])
					} else {
						for _, c := range payload {
							high |= uint64(c)
						}
					}
					if high&msbs != 0 {
						return start, k
					}
				}
				*(*string)(at) = String(payload)
			} else {
				*(*[]byte)(at) = payload
			}
			i += size
		case 1:
			if len(b)-i < 8 {
				return start, k
			}
			*(*uint64)(at) = binary.LittleEndian.Uint64(b[i:])
			i += 8
		default:
			if len(b)-i < 4 {
				return start, k
			}
			*(*uint32)(at) = binary.LittleEndian.Uint32(b[i:])
			i += 4
		}
		if shows := is >> 8 & showBits; shows < showsInOneof {
			*(*uint32)(unsafe.Add(m, l.Has+uintptr(f[2]))) |= 1 << (shows & 31)
		}
		k++
	}
	return i, k
}

// fold7 removes the continuation bits from eight bytes.
func fold7(x uint64) uint64 {
	x &= ^uint64(msbs)
	x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
	x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
	return x&0x000000000fffffff | x&0x0fffffff00000000>>4
}
