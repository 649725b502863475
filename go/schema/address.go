package schema

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"unsafe"
)

// addrWords is what a netip.Addr begins with: its sixteen bytes as two numbers, the first byte highest.
//
// As16 gives the same. But the result of a function that is an array goes through memory, stored in halves and
// read again as a whole, which the processor holds up until the stores are done: half the time that a flow of
// three addresses takes.
type addrWords struct{ high, low uint64 }

// addrIsWords tells whether that is so in the standard library that this is built with, once a plan has been compiled.
var (
	addrIsWords bool
	addrSeen    sync.Once
)

func lookAtAddr() {
	for _, text := range []string{"1.2.3.4", "102:304:506:708:90a:b0c:d0e:f10", "fe80::1%zone"} {
		address := netip.MustParseAddr(text)
		bytes := address.As16()
		words := (*addrWords)(unsafe.Pointer(&address))
		if unsafe.Sizeof(address) < unsafe.Sizeof(*words) || words.high != binary.BigEndian.Uint64(bytes[:8]) ||
			words.low != binary.BigEndian.Uint64(bytes[8:]) {
			return
		}
	}
	addrIsWords = true
}

// storeIP stores the sixteen bytes of an address at base[n:], where there is room.
func storeIP(base unsafe.Pointer, n int, v *netip.Addr) {
	if !addrIsWords {
		*(*[16]byte)(unsafe.Add(base, n)) = v.As16()
		return
	}
	words := (*addrWords)(unsafe.Pointer(v))
	binary.BigEndian.PutUint64((*[8]byte)(unsafe.Add(base, n))[:], words.high)
	binary.BigEndian.PutUint64((*[8]byte)(unsafe.Add(base, n+8))[:], words.low)
}
