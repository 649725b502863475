package codecv1

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// The runtimes have no function that returns the extensions of a message without sorting, allocating or decoding. So fast code
// reads them where they are, in structs of the layout below. isKnown compares it with that of the linked runtime; where it is
// another one, the runtime does all the work.
type (
	stored struct {
		mu           sync.Mutex
		extensionMap map[int32]extension
	}
	extension struct {
		desc  *description
		value any    // nil while the extension is encoded
		enc   []byte // its records, with tags
	}
	description struct {
		ExtendedType  unsafeInterface
		ExtensionType any
		Field         int32
		Name          string
		Tag           string // "bytes,100,opt,name=…"
		Filename      string
	}
	unsafeInterface interface{ Reset() }
)

// A layout is known or not; 0 is not seen yet.
const layoutKnown, layoutUnknown = 1, 2

// isKnown reports whether F has a pointer to a struct like stored.
func isKnown[F any](seen *atomic.Int32) bool {
	if is := seen.Load(); is != 0 {
		return is == layoutKnown
	}
	f, is := reflect.TypeFor[F](), int32(layoutUnknown)
	if f.Kind() == reflect.Struct && f.NumField() == 1 && f.Field(0).Type.Kind() == reflect.Pointer &&
		isLike(f.Field(0).Type.Elem(), reflect.TypeFor[stored](), 3) {
		is = layoutKnown
	}
	seen.Store(is)
	return is == layoutKnown
}

// isLike compares two types, to a depth of their structs.
func isLike(a, b reflect.Type, depth int) bool {
	switch {
	case a == b:
		return true
	case a.Kind() != b.Kind() || a.Size() != b.Size() || a.Align() != b.Align() || depth == 0:
		return false
	}
	switch a.Kind() {
	case reflect.Interface:
		return (a.NumMethod() == 0) == (b.NumMethod() == 0)
	case reflect.Pointer:
		return isLike(a.Elem(), b.Elem(), depth-1)
	case reflect.Map:
		return a.Key() == b.Key() && isLike(a.Elem(), b.Elem(), depth)
	case reflect.Struct:
		for i := range b.NumField() {
			x, y := b.Field(i), reflect.StructField{}
			if i < a.NumField() {
				y = a.Field(i)
			}
			if x.Name != y.Name || x.Offset != y.Offset || !isLike(y.Type, x.Type, depth) {
				return false
			}
		}
		return a.NumField() == b.NumField()
	}
	return false
}

// mostFast is the largest number of extensions that fast code writes.
const mostFast = 8

// part is one extension: a message with fast code, or its records.
type part struct {
	number int32
	m      fastMessage
	enc    []byte
}

type fastMessage interface {
	EncodeHot(e *codec.Encoder, i int) int
	SizeHot() int
}

// partsOf returns the extensions by ascending number, in room, if fast code can write each of them.
func partsOf[F any](fields *F, room *[mostFast]part) (parts []part, all bool) {
	s := *(**stored)(unsafe.Pointer(fields))
	if s == nil {
		return nil, true
	}
	s.mu.Lock()
	parts, all = s.parts(room[:0])
	s.mu.Unlock()
	if len(parts) > 1 {
		slices.SortFunc(parts, func(a, b part) int { return int(a.number) - int(b.number) })
	}
	return parts, all
}

func (s *stored) parts(parts []part) ([]part, bool) {
	if len(s.extensionMap) > mostFast {
		return nil, false
	}
	for number, x := range s.extensionMap {
		if x.value == nil || x.desc == nil {
			parts = append(parts, part{number: number, enc: x.enc})
			continue
		}
		m, is := x.value.(fastMessage)
		if !is || !strings.HasPrefix(x.desc.Tag, "bytes,") || x.desc.Field != number {
			return nil, false
		}
		parts = append(parts, part{number: number, m: m})
	}
	return parts, true
}

func tagOf(number int32) uint64 { return uint64(number)<<3 | uint64(wire.BytesType) }

// encodeParts writes extensions.
func encodeParts(e *codec.Encoder, i int, parts []part) int {
	for n := len(parts) - 1; n >= 0; n-- { // no iterator: e may be on the stack
		x := parts[n]
		if x.m == nil {
			i = e.Raw(i, x.enc)
			continue
		}
		written := len(e.B) - i
		i = x.m.EncodeHot(e, i)
		if i < 2*wire.MaxVarint {
			i = e.Grow(i, 2*wire.MaxVarint)
		}
		i = codec.PutVarint(e.B, i, uint64(len(e.B)-i-written))
		i = codec.PutVarint(e.B, i, tagOf(x.number))
	}
	return i
}

func sizeParts(parts []part) (size int) {
	for _, x := range parts {
		if x.m == nil {
			size += len(x.enc)
			continue
		}
		size += wire.SizeVarint(tagOf(x.number)) + codec.SizeLen(x.m.SizeHot())
	}
	return size
}
