//go:build unix

package codec

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// A struct without a field of eight bytes may end anywhere. This one ends where no memory follows.
func TestTablesReadNoByteBehindAStruct(t *testing.T) {
	page := syscall.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(memory)
	if err := syscall.Mprotect(memory[page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	type narrow struct {
		a uint32
		b bool
		c uint32
	}
	table := Table{Fields: []Entry{
		{Tag: 1 << 3, Kind: wire.Uint32, At: unsafe.Offsetof(narrow{}.a)},
		{Tag: 2 << 3, Kind: wire.Bool, At: unsafe.Offsetof(narrow{}.b)},
		{Tag: 3 << 3, Kind: wire.Uint32, At: unsafe.Offsetof(narrow{}.c)},
	}}
	m := (*narrow)(unsafe.Pointer(&memory[page-int(unsafe.Sizeof(narrow{}))]))
	for _, c := range []struct {
		narrow
		want string
	}{{narrow{}, ""}, {narrow{1, true, 2}, "\x08\x01\x10\x01\x18\x02"}, {narrow{0, false, 1}, "\x18\x01"}} {
		*m = c.narrow
		e := Encoder{B: make([]byte, 64)}
		i := table.Encode(&e, unsafe.Pointer(m), len(e.B), 0, len(table.Fields))
		if got := string(e.B[i:]); got != c.want || table.Size(unsafe.Pointer(m)) != len(got) {
			t.Errorf("%v: %q, size %d", c.narrow, got, table.Size(unsafe.Pointer(m)))
		}
	}
}
