package codec

import (
	"bytes"
	"math"
	"testing"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// forms has a field of every kind, as a value and by a pointer.
type forms struct {
	i32, s32, e32, f32s int32
	u32, x32            uint32
	f32                 float32
	is                  bool
	i64, s64, x64s      int64
	u64, x64            uint64
	f64                 float64
	text, any           string
	blob                []byte

	pi32, ps32 *int32
	pu32, px32 *uint32
	pis        *bool
	pi64, ps64 *int64
	pu64, px64 *uint64
	pf64       *float64
	ptext      *string
}

func formsTable() *Table {
	var m forms
	at := func(p unsafe.Pointer) uintptr { return uintptr(p) - uintptr(unsafe.Pointer(&m)) }
	table := new(Table)
	add := func(k wire.Kind, store How, p unsafe.Pointer) {
		number := uint32(1 + 7*len(table.Fields)) // tags of one, two and three bytes
		if len(table.Fields) > 24 {
			number *= 20
		}
		table.Fields = append(table.Fields, Entry{Tag: wire.MakeTag(number, k.Type()), Kind: k, How: store, At: at(p)})
	}
	add(wire.Int32, 0, unsafe.Pointer(&m.i32))
	add(wire.Sint32, 0, unsafe.Pointer(&m.s32))
	add(wire.Enum, 0, unsafe.Pointer(&m.e32))
	add(wire.Sfixed32, 0, unsafe.Pointer(&m.f32s))
	add(wire.Uint32, 0, unsafe.Pointer(&m.u32))
	add(wire.Fixed32, 0, unsafe.Pointer(&m.x32))
	add(wire.Float, 0, unsafe.Pointer(&m.f32))
	add(wire.Bool, 0, unsafe.Pointer(&m.is))
	add(wire.Int64, 0, unsafe.Pointer(&m.i64))
	add(wire.Sint64, 0, unsafe.Pointer(&m.s64))
	add(wire.Sfixed64, 0, unsafe.Pointer(&m.x64s))
	add(wire.Uint64, 0, unsafe.Pointer(&m.u64))
	add(wire.Fixed64, 0, unsafe.Pointer(&m.x64))
	add(wire.Double, 0, unsafe.Pointer(&m.f64))
	add(wire.String, Verify, unsafe.Pointer(&m.text))
	add(wire.String, 0, unsafe.Pointer(&m.any))
	add(wire.Bytes, 0, unsafe.Pointer(&m.blob))
	add(wire.Int32, Pointer, unsafe.Pointer(&m.pi32))
	add(wire.Sint32, Pointer, unsafe.Pointer(&m.ps32))
	add(wire.Uint32, Pointer, unsafe.Pointer(&m.pu32))
	add(wire.Fixed32, Pointer, unsafe.Pointer(&m.px32))
	add(wire.Bool, Pointer, unsafe.Pointer(&m.pis))
	add(wire.Int64, Pointer, unsafe.Pointer(&m.pi64))
	add(wire.Sint64, Pointer, unsafe.Pointer(&m.ps64))
	add(wire.Uint64, Pointer, unsafe.Pointer(&m.pu64))
	add(wire.Fixed64, Pointer, unsafe.Pointer(&m.px64))
	add(wire.Double, Pointer, unsafe.Pointer(&m.pf64))
	add(wire.String, Pointer|Verify, unsafe.Pointer(&m.ptext))
	return table
}

// Every kind is written as package wire writes it, and read in any order; a field by a pointer keeps its place.
func TestEveryFormIsReadAndWritten(t *testing.T) {
	table := formsTable()
	numbers := []uint64{1, 127, 128, 1 << 14, math.MaxInt32, 1 << 31, math.MaxUint32, 1 << 40, math.MaxInt64, 1 << 63, math.MaxUint64}
	for _, number := range numbers {
		var records [][]byte
		var all []byte
		for _, f := range table.Fields {
			record := wire.AppendVarint(nil, uint64(f.Tag))
			switch f.Tag.Type() {
			case wire.VarintType:
				v := number
				if f.Kind == wire.Sint64 {
					v = wire.EncodeZigzag(int64(number))
				} else if f.Kind == wire.Bool {
					v = 1
				} else if sizes[f.Kind] == 4 && f.Kind != wire.Sint32 && f.Kind != wire.Int32 && f.Kind != wire.Enum {
					v = uint64(uint32(number)) | 1
				} else if sizes[f.Kind] == 4 && f.Kind != wire.Sint32 {
					v = uint64(int32(number) | 1)
				} else if f.Kind == wire.Sint32 {
					v = Zigzag32(int32(number) | 1)
				}
				record = wire.AppendVarint(record, v)
			case wire.Fixed32Type:
				record = append(record, 1, byte(number>>8), byte(number>>16), byte(number>>24))
			case wire.Fixed64Type:
				record = wire.AppendFixed64(record, number|1)
			default:
				record = wire.AppendString(record, "text")
			}
			records, all = append(records, record), append(all, record...)
		}
		var backwards []byte
		for n := range records {
			backwards = append(backwards, records[len(records)-1-n]...)
		}
		var first, second forms
		for m, b := range map[*forms][]byte{&first: all, &second: backwards} {
			var v Values
			if _, tag, next := table.Decode(&v, unsafe.Pointer(m), b, 0); tag != 0 || next != len(b) {
				t.Fatalf("%#x: tag %d, %d", number, tag, next)
			}
			before := m.pu64
			if _, _, next := table.Decode(&v, unsafe.Pointer(m), b, 0); next != len(b) || m.pu64 != before {
				t.Errorf("%#x: a value has moved, or %d", number, next)
			}
			for _, room := range []int{0, 40, 4096} { // without room the encoder makes it
				e := &Encoder{B: make([]byte, room)}
				i := table.Encode(e, unsafe.Pointer(m), room, 0, len(table.Fields))
				if !bytes.Equal(e.B[i:], all) {
					t.Errorf("%#x: written % x, want % x", number, e.B[i:], all)
				}
				e.release()
			}
			if size := table.Size(unsafe.Pointer(m)); size != len(all) {
				t.Errorf("%#x: size %d, want %d", number, size, len(all))
			}
		}
		for end := range all { // a record that is cut off is an error, at its start, or the end of the message
			var m forms
			at, begin := 0, 0
			for begin+len(records[at]) <= end {
				begin += len(records[at])
				at++
			}
			start, _, next := table.Decode(new(Values), unsafe.Pointer(&m), all[:end:end], 0)
			if end == begin && next != end || end > begin && (next >= 0 || start != begin) {
				t.Fatalf("%#x: cut at %d of the record at %d: start %d, next %d", number, end, begin, start, next)
			}
		}
	}
}

// A wide table's fields are found by number; what is none of them is not.
func TestOtherRecordsAreNotFound(t *testing.T) {
	table := formsTable()
	for _, f := range table.Fields {
		for number := f.Tag.Number() - 1; number <= f.Tag.Number()+1; number++ {
			for kind := range wire.Type(6) {
				tag, want := wire.MakeTag(number, kind), -1
				for n := range table.Fields {
					if table.Fields[n].Tag == tag {
						want = n
					}
				}
				if got := table.find(table.prepare(), tag); got != want {
					t.Errorf("field %d of type %d: %d, want %d", number, kind, got, want)
				}
			}
		}
	}
}
