package schema

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// boundMessage is a struct type bound to a message type: a flat list of what to do.
type boundMessage struct {
	ops  []boundOp
	room int      // what the ops that know their size write at most, and a store behind that
	sets []uint64 // the bits of their columns
}

// boundOp reads one field and writes one column. The loop looks at nothing else as long as the value is usual.
type boundOp struct {
	tag    uint64 // its bytes, the first one lowest; of an IP the length, too
	limit  uint64 // larger values do not fit
	offset uint32 // of the field in the struct
	load   load
	size   uint8 // of tag
	always bool  // zero is written
	*boundColumn
}

// load says what a field is and what is written of it.
type load uint8

const (
	loadUint8 load = iota // numbers that become varints
	loadUint16
	loadUint32
	loadUint64
	loadInt8
	loadInt16
	loadInt32
	loadInt64
	loadZigzag32
	loadZigzag64
	loadFixed32
	loadFixed64
	loadText // string or []byte
	loadAddr // netip.Addr
	loadArray16

	loadOther // what boundColumn says
)

// boundRun is one call: where misfits are counted and the error is kept.
type boundRun struct {
	binding *binding
	record  *Record // of AppendRecord
	depth   int
	err     error
}

// encode writes a struct to b, all of which is room, from n on, and returns where it is now and ends.
//
// All writing relies on this: before each op, b has room from n on for all that is left of m.room. It is looked after when
// the message begins, and after each op whose size is not part of m.room (texts, loadOther). So the stores need no check.
func (m *boundMessage) encode(x *boundRun, b []byte, n int, p unsafe.Pointer) ([]byte, int) {
	if len(b)-n < m.room {
		b = withRoom(b, n, m.room)
	}
	base := unsafe.Pointer(unsafe.SliceData(b))
	ops := m.ops
	for i := range ops {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		var v uint64
		switch o.load {
		case loadUint8:
			v = uint64(*(*uint8)(at))
		case loadUint16:
			v = uint64(*(*uint16)(at))
		case loadUint32:
			v = uint64(*(*uint32)(at))
		case loadUint64:
			v = *(*uint64)(at)
		case loadInt8:
			v = uint64(*(*int8)(at))
		case loadInt16:
			v = uint64(*(*int16)(at))
		case loadInt32:
			v = uint64(*(*int32)(at))
		case loadInt64:
			v = *(*uint64)(at)
		case loadZigzag32:
			v = wire.EncodeZigzag(int64(*(*int32)(at)))
		case loadZigzag64:
			v = wire.EncodeZigzag(*(*int64)(at))
		case loadFixed32:
			v := *(*uint32)(at)
			if v != 0 || o.always {
				store64(base, n, o.tag)
				n += int(o.size)
				store32(base, n, v)
				n += 4
			}
			continue
		case loadFixed64:
			v := *(*uint64)(at)
			if v != 0 || o.always {
				store64(base, n, o.tag)
				n += int(o.size)
				store64(base, n, v)
				n += 8
			}
			continue
		case loadText:
			// The first two words of a []byte are those of a string.
			text := *(*string)(at)
			if len(text) == 0 && !o.always {
				continue
			}
			if len(b)-n < len(text)+m.room {
				if len(text) > wire.MaxSize {
					x.misfit(o, "is larger than a message can be")
					continue
				}
				b = withRoom(b, n, len(text)+m.room)
				base = unsafe.Pointer(unsafe.SliceData(b))
			}
			store64(base, n, o.tag)
			n += int(o.size)
			if len(text) < 0x80 {
				*(*byte)(unsafe.Add(base, n)) = byte(len(text))
				n++
			} else {
				n = putVarint(b, n, uint64(len(text)))
			}
			n += copy(b[n:], text)
			continue
		case loadAddr:
			address := *(*netip.Addr)(at)
			if address.IsValid() {
				store64(base, n, o.tag)
				n += int(o.size)
				*(*[16]byte)(unsafe.Add(base, n)) = address.As16()
				n += 16
			}
			continue
		case loadArray16:
			address := (*[16]byte)(at)
			if *address != [16]byte{} || o.always {
				store64(base, n, o.tag)
				n += int(o.size)
				*(*[16]byte)(unsafe.Add(base, n)) = *address
				n += 16
			}
			continue
		default:
			b, n = x.other(o, b, n, at)
			if len(b)-n < m.room {
				b = withRoom(b, n, m.room)
			}
			base = unsafe.Pointer(unsafe.SliceData(b))
			continue
		}
		if v-1 >= o.limit { // zero, or more than fits
			var write bool
			if v, write = x.unusual(o, v); !write {
				continue
			}
		}
		// A varint: one byte goes with the tag; up to eight are spread without a branch on how many (see spreadVarint).
		if v < 0x80 {
			store64(base, n, o.tag|v<<(8*o.size))
			n += int(o.size) + 1
			continue
		}
		store64(base, n, o.tag)
		n += int(o.size)
		if v >= 1<<56 {
			n = putVarint(b, n, v)
			continue
		}
		s := v&0x000000000fffffff | v<<4&0x0fffffff00000000
		s = s&0x00003fff00003fff | s<<2&0x3fff00003fff0000
		s = s&0x007f007f007f007f | s<<1&0x7f007f007f007f00
		length := (bits.Len64(v)*9 + 64) >> 6
		store64(base, n, s|0x8080808080808080&(1<<(8*uint(length)-8)-1))
		n += length
	}
	return b, n
}

// store64 and store32 store at base[n:], where there is room.
func store64(base unsafe.Pointer, n int, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(base, n))[:], v)
}

func store32(base unsafe.Pointer, n int, v uint32) {
	binary.LittleEndian.PutUint32((*[4]byte)(unsafe.Add(base, n))[:], v)
}

// unusual handles numbers that are zero or do not fit.
func (x *boundRun) unusual(o *boundOp, v uint64) (cut uint64, write bool) {
	if v != 0 {
		if !x.misfit(o, "is out of range") {
			return 0, false
		}
		v &= o.limit
	}
	return v, v != 0 || o.always
}

// misfit counts a value that its column cannot hold, and tells whether what can be cut to fit is written.
func (x *boundRun) misfit(o *boundOp, reason string) (write bool) {
	if x.record != nil {
		return x.record.misfit(o.op, reason)
	}
	x.binding.misfits[o.op.index].Add(1)
	if o.op.how == Refuse {
		x.fail(wire.TypeMismatch, o.op.column.Name, reason)
	}
	return o.op.how == Mask
}

func (x *boundRun) fail(code wire.Code, where, reason string) {
	if x.record != nil {
		x.record.fail(code, where, reason)
	} else if x.err == nil {
		x.err = &Error{code, where, reason}
	}
}
