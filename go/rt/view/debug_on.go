//go:build hotpbdebug

package view

import (
	"fmt"
	"sync"
	"unsafe"
)

const debug = true

// Poison is the byte that overwrites released bytes. It is not a valid tag, and repeated it is not a valid varint.
const Poison = 0xff

// epoch is the time when a view was opened. The view must not read bytes that were released later.
type epoch struct{ at uint64 }

// released remembers ranges of memory by address, and when they were last released. Reused addresses are no problem:
// views of their new contents were opened later. Only the latest ranges are kept.
var released struct {
	sync.Mutex
	now    uint64
	next   int
	ranges [4096]struct {
		from, to uintptr
		at       uint64
	}
}

func now() epoch {
	released.Lock()
	defer released.Unlock()
	released.now++
	return epoch{released.now}
}

// Release says that b returns to its owner, for instance a pool, and that no view of it is in use any more. It
// overwrites the bytes, and every use of a view that was opened on them panics.
func Release(b []byte) {
	for i := range b {
		b[i] = Poison
	}
	Expire(b)
}

// Expire says that the bytes of b are about to change: it is Release without overwriting.
func Expire(b []byte) {
	if len(b) == 0 {
		return
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	to := from + uintptr(len(b))
	released.Lock()
	defer released.Unlock()
	released.now++
	for i := range released.ranges {
		if r := &released.ranges[i]; r.from == from && r.to == to {
			r.at = released.now
			return
		}
	}
	r := &released.ranges[released.next%len(released.ranges)]
	released.next++
	r.from, r.to, r.at = from, to, released.now
}

// check panics if the bytes of a view were released after it was opened.
func (e epoch) check(b []byte) {
	if len(b) == 0 || e.at == 0 { // a part of bytes that were checked before
		return
	}
	p := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	released.Lock()
	defer released.Unlock()
	for i := range released.ranges {
		if r := &released.ranges[i]; r.from <= p && p < r.to && r.at > e.at {
			panic(fmt.Sprintf("hotpb: a view is used after its %d bytes were released or edited", len(b)))
		}
	}
}

// expire is called before the buffer changes to other bytes.
func (b *Buffer) expire(next []byte) {
	if cap(b.b) == 0 {
		return
	}
	if unsafe.SliceData(b.b) == unsafe.SliceData(next) {
		Expire(b.b[:cap(b.b)])
	} else {
		Release(b.b)
	}
}

// soil fills memory that will be written to with bytes that occur in no message.
func soil(b []byte) {
	for i := range b {
		b[i] = Poison
	}
}
