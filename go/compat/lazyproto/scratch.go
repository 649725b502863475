package lazyproto

import "github.com/hotpb/hotpb/go/wire"

// scratch has the slices that getters return in mode Fast: of each type one slice, which holds the results one after the
// other until Close.
type scratch struct {
	used   bool
	bools  []bool
	i32    []int32
	i64    []int64
	u32    []uint32
	u64    []uint64
	f32    []float32
	f64    []float64
	texts  []string
	pieces [][]byte
}

// room returns a slice of n elements for the result of a getter.
func room[T any](f *FieldData, n int, in func(*scratch) *[]T) []T {
	if f.pass.d.mode != wire.Fast {
		return make([]T, n)
	}
	f.pass.scratch.used = true
	all := in(&f.pass.scratch)
	if cap(*all)-len(*all) < n { // what was returned before stays where it is
		*all = make([]T, 0, max(n, 2*cap(*all)))
	}
	from := len(*all)
	*all = (*all)[:from+n]
	return (*all)[from : from+n : from+n]
}

func (s *scratch) reset(d *Decoder) {
	if !s.used {
		return
	}
	clear(s.texts)
	clear(s.pieces)
	*s = scratch{
		bools: kept(d, s.bools), i32: kept(d, s.i32), i64: kept(d, s.i64), u32: kept(d, s.u32), u64: kept(d, s.u64),
		f32: kept(d, s.f32), f64: kept(d, s.f64), texts: kept(d, s.texts), pieces: kept(d, s.pieces),
	}
}
