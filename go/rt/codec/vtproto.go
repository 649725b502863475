package codec

import "sync"

// MarshalVT is vtprotobuf's MarshalVT: Marshal, and nothing for nil.
func MarshalVT(m Encodable) ([]byte, error) {
	if isNil(m) {
		return nil, nil
	}
	return Marshal(m)
}

// MarshalToVT writes the encoding of m to the beginning of b and returns its length, and nothing for nil. If b is too
// small, MarshalToVT returns wire.BufferExhausted and does not change b; vtprotobuf panics then.
func MarshalToVT(b []byte, m Encodable) (int, error) {
	if isNil(m) {
		return 0, nil
	}
	return marshalInto(b, m)
}

// MarshalToSizedBufferVT is MarshalToVT with the encoding at the end of b. It does not change the bytes before that; on an
// error, any byte of b may have changed.
func MarshalToSizedBufferVT(b []byte, m Encodable) (int, error) {
	if isNil(m) {
		return 0, nil
	}
	return MarshalToEnd(b, m)
}

// poolable is a struct with the method ResetVT.
type poolable[T any] interface {
	*T
	ResetVT()
}

// VTPool is the pool of a message's structs, for vtprotobuf's FooFromVTPool and ReturnToVTPool.
type VTPool[T any, P poolable[T]] struct{ pool sync.Pool }

// Get returns an empty message.
func (p *VTPool[T, P]) Get() *T {
	if m, is := p.pool.Get().(*T); is {
		return m
	}
	return new(T)
}

// Put empties a message and takes it back. The caller no longer uses it.
func (p *VTPool[T, P]) Put(m *T) {
	if m == nil {
		return
	}
	P(m).ResetVT()
	p.pool.Put(m)
}

// Empty empties the messages of a list, which stay in its room.
func Empty[T any](list []*T) {
	var empty T
	for _, message := range list {
		if message != nil {
			*message = empty
		}
	}
}

// MoreKept is More for the lists of a message with a pool. It appends the messages that ResetVT has left in the room of
// the list, at most n, and makes new ones if there is no room. A list that the program has cut by itself may hold
// anything there, so MoreKept empties them.
func MoreKept[T any](list []*T, n int) []*T {
	at := len(list)
	if at == cap(list) {
		return moreNew(list, n)
	}
	list = list[:min(cap(list), at+n)]
	var empty T
	for i, message := range list[at:] {
		if message == nil {
			list[at+i] = new(T)
		} else {
			*message = empty
		}
	}
	return list
}

// MoreVT is MoreKept for messages that have a pool themselves: ResetVT empties them, and keeps their memory.
func MoreVT[T any, P poolable[T]](list []*T, n int) []*T {
	at := len(list)
	if at == cap(list) {
		return moreNew(list, n)
	}
	list = list[:min(cap(list), at+n)]
	for i, message := range list[at:] {
		if message == nil {
			list[at+i] = new(T)
		} else {
			P(message).ResetVT()
		}
	}
	return list
}
