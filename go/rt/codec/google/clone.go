package google

import (
	"math/bits"
	"reflect"
	"unsafe"

	"google.golang.org/protobuf/proto"
)

// CloneVT is vtprotobuf's CloneVT. The result equals that of proto.Clone: unknown fields and extensions are copied, strings are
// shared. The clone of nil is nil.
func CloneVT[M vtMessage](m M) M {
	var none M
	if m == none {
		return none
	}
	var clone proto.Message = m
	words := (*twoWords)(unsafe.Pointer(&clone))
	s := shapeOf(m)
	if words[1] == nil || s.slow {
		return proto.Clone(m).(M)
	}
	words[1] = s.clone(words[1])
	return clone.(M)
}

// clone copies a struct. nil is an empty one, as it is to the runtime in lists, maps and oneofs.
func (s *shape) clone(p unsafe.Pointer) unsafe.Pointer {
	if p == nil {
		p = s.empty
	}
	if s.slow || s.extensions != noOffset && s.extended(p) {
		clone := proto.Clone(s.message(p))
		return (*twoWords)(unsafe.Pointer(&clone))[1]
	}
	to := reflect.New(s.structType).UnsafePointer()
	s.cloneTo(to, p)
	return to
}

// cloneTo copies the struct at p to the zero one at to. No field of it is an extension.
func (s *shape) cloneTo(to, p unsafe.Pointer) {
	for i := range s.fields {
		f := &s.fields[i]
		m, n := unsafe.Add(to, f.offset), unsafe.Add(p, f.offset)
		switch f.usual { // these without a call for each
		case usualString:
			*(*string)(m) = *(*string)(n)
		case usual8:
			*(*uint64)(m) = *(*uint64)(n)
		case usualMessages:
			*(*[]unsafe.Pointer)(m) = f.value.child.cloneList(*(*[]unsafe.Pointer)(n))
		default:
			f.clone(m, n)
		}
	}
	if unknown := *(*[]byte)(unsafe.Add(p, s.unknown)); len(unknown) > 0 && !s.drops {
		*(*[]byte)(unsafe.Add(to, s.unknown)) = append([]byte(nil), unknown...)
	}
}

func (s *shape) cloneList(list []unsafe.Pointer) []unsafe.Pointer {
	if len(list) == 0 {
		return nil
	}
	to := make([]unsafe.Pointer, len(list))
	if s.slow || s.extensions != noOffset {
		for i, p := range list {
			to[i] = s.clone(p)
		}
		return to
	}
	size := s.structType.Size()
	for done := 0; done < len(list); {
		n := min(len(s.blocks), bits.Len(uint(len(list)-done))) - 1
		first := reflect.New(s.blocks[n]).UnsafePointer()
		for i, p := range list[done : done+1<<n] {
			at := unsafe.Add(first, uintptr(i)*size)
			if p != nil {
				s.cloneTo(at, p)
			}
			to[done+i] = at
		}
		done += 1 << n
	}
	return to
}

// clone copies the member of a struct at p to the zero one at to. A value that the runtime treats as absent stays zero.
func (f *shapeField) clone(to, p unsafe.Pointer) {
	switch f.store {
	case storePointer:
		if at := *(*unsafe.Pointer)(p); at != nil {
			*(*unsafe.Pointer)(to) = f.value.box(at)
		}
	case storeList:
		f.value.cloneList(to, p)
	case storeMap:
		f.cloneMap(to, p)
	case storeOneof:
		f.cloneOneof((*twoWords)(to), (*twoWords)(p))
	default:
		switch f.value.kind {
		case kindMessage:
			if at := *(*unsafe.Pointer)(p); at != nil {
				*(*unsafe.Pointer)(to) = f.value.child.clone(at)
			}
		case kindBytes:
			if b := *(*[]byte)(p); len(b) > 0 || b != nil && f.presence {
				*(*[]byte)(to) = append([]byte{}, b...)
			}
		default:
			f.value.clone(to, p)
		}
	}
}

// box copies a number or string to a place of its own.
func (v *shapeValue) box(p unsafe.Pointer) unsafe.Pointer {
	switch v.kind {
	case kind1:
		return boxed[bool](p)
	case kind4, kindFloat32:
		return boxed[uint32](p)
	case kind8, kindFloat64:
		return boxed[uint64](p)
	}
	return boxed[string](p)
}

func boxed[T any](p unsafe.Pointer) unsafe.Pointer {
	value := *(*T)(p)
	return unsafe.Pointer(&value)
}

// clone copies a value that is present.
func (v *shapeValue) clone(to, p unsafe.Pointer) {
	switch v.kind {
	case kind1:
		*(*bool)(to) = *(*bool)(p)
	case kind4, kindFloat32:
		*(*uint32)(to) = *(*uint32)(p)
	case kind8, kindFloat64:
		*(*uint64)(to) = *(*uint64)(p)
	case kindString:
		*(*string)(to) = *(*string)(p)
	case kindBytes:
		*(*[]byte)(to) = append([]byte{}, *(*[]byte)(p)...)
	case kindMessage:
		*(*unsafe.Pointer)(to) = v.child.clone(*(*unsafe.Pointer)(p))
	}
}

func (v *shapeValue) cloneList(to, p unsafe.Pointer) {
	switch v.kind {
	case kind1:
		cloneList[bool](to, p)
	case kind4, kindFloat32:
		cloneList[uint32](to, p)
	case kind8, kindFloat64:
		cloneList[uint64](to, p)
	case kindString:
		cloneList[string](to, p)
	case kindBytes:
		cloneList[[]byte](to, p)
		for list, i := *(*[][]byte)(to), 0; i < len(list); i++ {
			list[i] = append([]byte{}, list[i]...)
		}
	case kindMessage:
		*(*[]unsafe.Pointer)(to) = v.child.cloneList(*(*[]unsafe.Pointer)(p))
	}
}

func cloneList[T any](to, p unsafe.Pointer) {
	if list := *(*[]T)(p); len(list) > 0 {
		*(*[]T)(to) = append([]T(nil), list...)
	}
}

func (f *shapeField) cloneMap(to, p unsafe.Pointer) {
	from := reflect.NewAt(f.mapType, p).Elem()
	if from.Len() == 0 {
		return
	}
	if f.mapType == reflect.TypeFor[map[string]string]() {
		clone := make(map[string]string, from.Len())
		for key, value := range *(*map[string]string)(p) {
			clone[key] = value
		}
		*(*map[string]string)(to) = clone
		return
	}
	clone := reflect.MakeMapWithSize(f.mapType, from.Len())
	old := reflect.New(f.mapType.Elem()) // values of maps have no address
	value := reflect.New(f.mapType.Elem())
	for entries := from.MapRange(); entries.Next(); {
		old.Elem().SetIterValue(entries)
		f.value.clone(value.UnsafePointer(), old.UnsafePointer())
		clone.SetMapIndex(entries.Key(), value.Elem())
	}
	reflect.NewAt(f.mapType, to).Elem().Set(clone)
}

// cloneOneof copies a oneof. One whose wrapper is nil is not set.
func (f *shapeField) cloneOneof(to, p *twoWords) {
	if p[1] == nil {
		return
	}
	for i := range f.members {
		if member := &f.members[i]; member.table == p[0] {
			wrapper := reflect.New(member.wrapper).UnsafePointer()
			member.value.clone(wrapper, p[1])
			*(*wrapped)(unsafe.Pointer(to)) = *(*wrapped)(unsafe.Pointer(p))
			to[1] = wrapper
			return
		}
	}
}

// wrapped has the layout of the interfaces of all oneofs.
type wrapped interface{ method() }
