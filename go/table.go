package hotpb

import (
	"math/bits"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// entry describes one Go type: its runtime, and functions that call the type's own methods.
// A function is nil where the runtime does the work.
type entry struct {
	typ           unsafe.Pointer // the first word of an interface that holds the type
	keep          reflect.Type   // the same type, visible to the garbage collector
	size          func(msg any) int
	marshal       func(msg any) ([]byte, error)
	marshalAppend func(b []byte, msg any) ([]byte, error)
	unmarshal     func(b []byte, msg any) error
	google        bool    // Google's runtime does all the work, and the message implements its interface
	runtime       Runtime // nil when there is none
	err           error   // why there is none
}

// table holds the entries by type. A table never changes, another one replaces it. A lookup therefore takes no lock,
// only one atomic load. Open addressing, at most half full.
type table struct {
	shift uint // 64 - log2(len(slots))
	count int
	slots []*entry
}

var (
	entries atomic.Pointer[table]
	growing sync.Mutex // held by whoever replaces the table, and by RegisterRuntime
)

func init() { entries.Store(newTable(3)) }

func newTable(log2 uint) *table { return &table{shift: 64 - log2, slots: make([]*entry, 1<<log2)} }

// place returns the slot where the search for a type begins: its address spread by the golden ratio.
func (t *table) place(typ unsafe.Pointer) uintptr {
	return uintptr(uint64(uintptr(typ)) * 0x9e3779b97f4a7c15 >> (t.shift & 63))
}

func (t *table) find(typ unsafe.Pointer) *entry {
	mask := uintptr(len(t.slots) - 1)
	for i := t.place(typ); ; i++ {
		e := t.slots[i&mask]
		if e == nil || e.typ == typ {
			return e
		}
	}
}

// extended returns a copy of the table that also has the entry.
func (t *table) extended(e *entry) *table {
	log2 := uint(bits.Len(uint(len(t.slots)))) - 1
	if 2*(t.count+1) > len(t.slots) {
		log2++
	}
	grown := newTable(log2)
	for _, old := range append([]*entry{e}, t.slots...) {
		if old != nil {
			grown.add(old)
		}
	}
	return grown
}

func (t *table) add(e *entry) {
	mask := uintptr(len(t.slots) - 1)
	i := t.place(e.typ)
	for t.slots[i&mask] != nil {
		i++
	}
	t.slots[i&mask] = e
	t.count++
}

// hit returns the entry of the message's type if it is in the first slot of its search, else nil. It is the hot half
// of entryOf, inlined into its callers.
func hit(msg any) *entry {
	words := (*[2]unsafe.Pointer)(unsafe.Pointer(&msg))
	t := entries.Load()
	if e := t.slots[t.place(words[0])]; e != nil && e.typ == words[0] && words[1] != nil {
		return e
	}
	return nil
}

// entryOf returns the entry of the message's type, or the error that says why there is none.
func entryOf(msg any) (*entry, error) {
	if isNil(msg) {
		return nil, nilError(msg)
	}
	if e := entries.Load().find((*[2]unsafe.Pointer)(unsafe.Pointer(&msg))[0]); e != nil {
		return e, nil
	}
	return newEntry(msg)
}

// newEntry creates the entry. It does not keep failures, so only types of messages take up memory.
func newEntry(msg any) (*entry, error) {
	typ := (*[2]unsafe.Pointer)(unsafe.Pointer(&msg))[0]
	for {
		// No lock is held here, because the runtimes and methods may call this package.
		runtimes := registered.Load()
		e := &entry{typ: typ, keep: reflect.TypeOf(msg)}
		e.runtime, e.err = findRuntime(*runtimes, msg)
		if !e.bind(msg) {
			if registered.Load() != runtimes {
				continue
			}
			return nil, e.err
		}
		if e = e.enter(runtimes); e != nil {
			return e, nil
		}
	}
}

// enter puts the entry into the table and returns the table's entry for the type: this one, or the one that another
// goroutine entered first. It returns nil if the list of runtimes has changed since the entry was created.
func (e *entry) enter(runtimes *[]Runtime) *entry {
	growing.Lock()
	defer growing.Unlock()
	if registered.Load() != runtimes {
		return nil
	}
	t := entries.Load()
	if first := t.find(e.typ); first != nil {
		return first
	}
	entries.Store(t.extended(e))
	return e
}
