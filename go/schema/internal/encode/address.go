package encode

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"unsafe"
)

// addrWords is the beginning of a netip.Addr: its sixteen bytes as two numbers, the first byte highest.
//
// As16 returns the same bytes. But a function result that is an array goes through memory. It is stored in halves
// and read again as a whole, and the processor waits for the stores. That is half the time of a flow with three
// addresses.
type addrWords struct{ high, low uint64 }

// addrIsWords reports whether the standard library of this build stores addresses so. It is set once a plan has
// been compiled.
var (
	addrIsWords bool
	addrSeen    sync.Once
)

// Prepare prepares StoreIP.
func Prepare() { addrSeen.Do(lookAtAddr) }

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

// StoreIP stores the sixteen bytes of an address at base[n:], where there must be room.
func StoreIP(base unsafe.Pointer, n int, v *netip.Addr) {
	if !addrIsWords {
		*(*[16]byte)(unsafe.Add(base, n)) = v.As16()
		return
	}
	words := (*addrWords)(unsafe.Pointer(v))
	binary.BigEndian.PutUint64((*[8]byte)(unsafe.Add(base, n))[:], words.high)
	binary.BigEndian.PutUint64((*[8]byte)(unsafe.Add(base, n+8))[:], words.low)
}
