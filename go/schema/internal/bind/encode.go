package bind

import (
	"math/bits"
	"net/netip"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/schema/internal/record"
)

// boundMessage is a struct type bound to a message type: a flat list of operations.
type boundMessage struct {
	ops  []boundOp
	room int // the most bytes that the ops of known size write, plus a store
}

// boundOp reads one field and writes one column. The loop needs nothing else while the value is usual.
type boundOp struct {
	tag    uint64 // its bytes, the first one lowest; for an IP also the length
	limit  uint64 // larger values do not fit, or are not usual
	offset uint32 // of the field in the struct
	load   load
	size   uint8 // of tag
	always bool  // zero is written
	*boundColumn
}

// load is the kind of a field and the way to write it.
type load uint8

const (
	loadUint8 load = iota // numbers that become varints
	loadUint16
	loadUint32
	loadUint64
	loadInt32
	loadZigzag32
	loadZigzag64
	loadFixed32
	loadFixed64
	loadText // string or []byte
	loadAddr // netip.Addr
	loadArray16

	loadOther // see boundColumn
)

// boundRun is one call: it counts misfits and keeps the error.
type boundRun struct {
	binding *Binding
	record  *record.Record // of AppendRecord
	depth   int
	err     *plan.Fault
}

// encode writes a struct to b from n on and returns the buffer and the end. All of b is room.
//
// All writing relies on this: before each op, b has room from n on for m.room, the most bytes that all ops
// together write in usual. The room is checked when the message begins, and after each op that usual leaves to
// other.
func (m *boundMessage) encode(x *boundRun, b []byte, n int, p unsafe.Pointer) ([]byte, int) {
	for i := 0; ; i++ {
		if len(b)-n < m.room {
			b = encode.WithRoom(b, n, m.room)
		}
		if i, n = m.usual(i, unsafe.Pointer(unsafe.SliceData(b)), n, p); i == len(m.ops) {
			return b, n
		}
		o := &m.ops[i]
		b, n = x.encodeSpecial(o, b, n, unsafe.Add(p, o.offset))
	}
}

// usual executes the ops from the i-th on, until one is not usual or there are no more. It calls nothing, so that
// all its variables stay in registers. base[n:] has m.room bytes.
func (m *boundMessage) usual(i int, base unsafe.Pointer, n int, p unsafe.Pointer) (int, int) {
	ops := m.ops
	for ; i < len(ops); i++ {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		// Load a number that becomes a varint into v. Write values of other kinds at once.
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
		case loadInt32:
			v = uint64(*(*int32)(at))
		case loadZigzag32:
			v = wire.EncodeZigzag(int64(*(*int32)(at)))
		case loadZigzag64:
			v = wire.EncodeZigzag(*(*int64)(at))
		case loadFixed32:
			if v := *(*uint32)(at); v != 0 || o.always {
				encode.Store64(base, n, o.tag)
				encode.Store32(base, n+int(o.size), v)
				n += int(o.size) + 4
			}
			continue
		case loadFixed64:
			if v := *(*uint64)(at); v != 0 || o.always {
				encode.Store64(base, n, o.tag)
				encode.Store64(base, n+int(o.size), v)
				n += int(o.size) + 8
			}
			continue
		case loadText:
			text := *(*textHeader)(at)
			if uint(text.len-1) >= shortText {
				if text.len == 0 && !o.always {
					continue
				}
				return i, n
			}
			encode.Store64(base, n, o.tag|uint64(text.len)<<(8*o.size&63))
			n += int(o.size) + 1
			to := unsafe.Add(base, n)
			n += text.len
			switch { // two pieces that overlap
			case text.len > 16:
				*(*[16]byte)(to) = *(*[16]byte)(text.data)
				*(*[16]byte)(unsafe.Add(base, n-16)) = *(*[16]byte)(unsafe.Add(text.data, text.len-16))
			case text.len >= 8:
				*(*[8]byte)(to) = *(*[8]byte)(text.data)
				*(*[8]byte)(unsafe.Add(base, n-8)) = *(*[8]byte)(unsafe.Add(text.data, text.len-8))
			case text.len >= 4:
				*(*[4]byte)(to) = *(*[4]byte)(text.data)
				*(*[4]byte)(unsafe.Add(base, n-4)) = *(*[4]byte)(unsafe.Add(text.data, text.len-4))
			default:
				*(*byte)(unsafe.Add(to, text.len/2)) = *(*byte)(unsafe.Add(text.data, text.len/2))
				*(*byte)(to) = *(*byte)(text.data)
				*(*byte)(unsafe.Add(base, n-1)) = *(*byte)(unsafe.Add(text.data, text.len-1))
			}
			continue
		case loadAddr:
			if address := (*netip.Addr)(at); address.IsValid() {
				encode.Store64(base, n, o.tag)
				encode.StoreIP(base, n+int(o.size), address)
				n += int(o.size) + 16
			}
			continue
		case loadArray16:
			if address := (*[2]uint64)(at); address[0]|address[1] != 0 || o.always {
				encode.Store64(base, n, o.tag)
				*(*[16]byte)(unsafe.Add(base, n+int(o.size))) = *(*[16]byte)(at)
				n += int(o.size) + 16
			}
			continue
		default:
			return i, n
		}
		// Leave a value that needs more than writing.
		if v-1 >= o.limit { // zero, or more than fits
			if v == 0 && !o.always {
				continue
			}
			return i, n
		}
		// Write tag and varint.
		if v < 0x80 { // one byte is stored with the tag
			encode.Store64(base, n, o.tag|v<<(8*o.size&63))
			n += int(o.size) + 1
			continue
		}
		if v < 1<<14 { // and two
			encode.Store64(base, n, o.tag|(v&0x7f|v<<1&0x7f00|0x80)<<(8*o.size&63))
			n += int(o.size) + 2
			continue
		}
		encode.Store64(base, n, o.tag)
		n += int(o.size)
		encode.Store64(base, n, encode.Spread(v))
		switch { // the processor predicts the branch, where a computed length would delay all that follows
		case v < 1<<21:
			n += 3
		case v < 1<<28:
			n += 4
		case v < 1<<35:
			n += 5
		default:
			n += (bits.Len64(v) + 6) / 7
		}
	}
	return i, n
}

// shortText is the length of the strings that usual copies.
const shortText = 32

// textHeader is a string, and the beginning of a []byte.
type textHeader struct {
	data unsafe.Pointer
	len  int
}

// misfit counts a value that its column cannot hold, and reports whether a truncated value is written.
func (x *boundRun) misfit(o *boundOp, reason string) (write bool) {
	if x.record != nil {
		return x.record.Misfit(o.op, reason)
	}
	x.binding.misfits[o.op.Index].Add(1)
	if o.op.Misfit == plan.Refuse {
		x.fail(wire.TypeMismatch, o.op.Column.Name, reason)
	}
	return o.op.Misfit == plan.Mask
}

func (x *boundRun) fail(code wire.Code, where, reason string) {
	if x.record != nil {
		x.record.Fail(code, where, reason)
	} else if x.err == nil {
		x.err = &plan.Fault{Code: code, Where: where, Reason: reason}
	}
}
