package arrow

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// Batches turns messages into record batches. One goroutine may use it.
//
//	b, err := schemaarrow.NewBatches(plan)
//	for body := range bodies {
//		err := b.Columns.Unmarshal(body)
//	}
//	batch, err := b.Next() // its rows are the messages; b is empty again
type Batches struct {
	Columns *schema.Columns
	schema  *arrow.Schema
}

// NewBatches creates it. It returns an error where Schema does.
func NewBatches(p *schema.Plan) (*Batches, error) {
	s, err := Schema(p)
	if err != nil {
		return nil, err
	}
	c, err := p.NewColumns()
	if err != nil {
		return nil, err
	}
	return &Batches{c, s}, nil
}

// Schema is that of all batches.
func (b *Batches) Schema() *arrow.Schema { return b.schema }

// Next returns the messages in Columns as a batch, and empties Columns. The batch has copies of the values, in Go's
// memory, and stays valid. A well-known timestamp or duration that nanoseconds in 64 bits cannot hold is a *schema.Error,
// TypeMismatch; Columns is then empty, too.
func (b *Batches) Next() (arrow.RecordBatch, error) {
	defer b.Columns.Reset()
	root := b.Columns.Vector()
	arrays := make([]arrow.Array, len(root.Children))
	for i, v := range root.Children {
		data, err := dataOf(v, b.schema.Field(i).Type)
		if err != nil {
			return nil, err
		}
		arrays[i] = array.MakeFromData(data)
	}
	return array.NewRecordBatch(b.schema, arrays, int64(b.Columns.Len())), nil
}

// dataOf is a column: for a repeated one or a map its lists, else its values.
func dataOf(v *schema.Vector, t arrow.DataType) (arrow.ArrayData, error) {
	if !v.Column.Repeated {
		return values(v, t)
	}
	element := arrow.DataType(nil)
	switch t := t.(type) {
	case *arrow.MapType:
		element = t.Elem()
	case *arrow.ListType:
		element = t.Elem()
	}
	child, err := values(v, element)
	if err != nil {
		return nil, err
	}
	buffers := []*memory.Buffer{nil, copied(arrow.Int32Traits.CastToBytes(v.Starts))}
	return array.NewData(t, len(v.Starts)-1, buffers, []arrow.ArrayData{child}, 0, 0), nil
}

// values are all values of a column, those of lists one after the other.
func values(v *schema.Vector, t arrow.DataType) (arrow.ArrayData, error) {
	valid, nulls := bitmap(v.Valid), 0
	if v.Valid != nil {
		for _, ok := range v.Valid {
			if !ok {
				nulls++
			}
		}
	}
	fixed := func(b []byte) (arrow.ArrayData, error) {
		return array.NewData(t, v.Len(), []*memory.Buffer{valid, copied(b)}, nil, nulls, 0), nil
	}
	switch t := t.(type) {
	case *arrow.StructType:
		var children []arrow.ArrayData
		for i, c := range v.Children {
			child, err := dataOf(c, t.Field(i).Type)
			if err != nil {
				return nil, err
			}
			children = append(children, child)
		}
		return array.NewData(t, v.Len(), []*memory.Buffer{valid}, children, nulls, 0), nil
	case *arrow.DictionaryType:
		indices, dictionary := enum(v)
		data := array.NewDataWithDictionary(t, v.Len(), []*memory.Buffer{valid, copied(arrow.Int32Traits.CastToBytes(indices))},
			nulls, 0, dictionary)
		return data, nil
	case *arrow.FixedSizeBinaryType:
		return fixed(addresses(v))
	case *arrow.StringType, *arrow.BinaryType:
		starts, text := copied(arrow.Int32Traits.CastToBytes(v.TextStarts)), copied(v.Text)
		return array.NewData(t, v.Len(), []*memory.Buffer{valid, starts, text}, nil, nulls, 0), nil
	case *arrow.BooleanType:
		return array.NewData(t, v.Len(), []*memory.Buffer{valid, bitmap(v.Bools)}, nil, nulls, 0), nil
	case *arrow.TimestampType, *arrow.DurationType:
		if v.Column.Unit == schema.WellKnown {
			nanos, err := nanoseconds(v)
			if err != nil {
				return nil, err
			}
			return fixed(arrow.Int64Traits.CastToBytes(nanos))
		}
	}
	switch v.Column.Kind {
	case wire.Int32, wire.Sint32, wire.Sfixed32:
		return fixed(arrow.Int32Traits.CastToBytes(v.Int32s))
	case wire.Int64, wire.Sint64, wire.Sfixed64:
		return fixed(arrow.Int64Traits.CastToBytes(v.Int64s))
	case wire.Uint32, wire.Fixed32:
		return fixed(arrow.Uint32Traits.CastToBytes(v.Uint32s))
	case wire.Uint64, wire.Fixed64:
		return fixed(arrow.Uint64Traits.CastToBytes(v.Uint64s))
	case wire.Float:
		return fixed(arrow.Float32Traits.CastToBytes(v.Float32s))
	default: // Double: Schema knows no others
		return fixed(arrow.Float64Traits.CastToBytes(v.Float64s))
	}
}

func copied(b []byte) *memory.Buffer {
	return memory.NewBufferBytes(append(make([]byte, 0, len(b)), b...))
}

// bitmap has a bit for each bool; nil for none.
func bitmap(list []bool) *memory.Buffer {
	if list == nil {
		return nil
	}
	b := make([]byte, bitutil.BytesForBits(int64(len(list))))
	for i, set := range list {
		if set {
			bitutil.SetBit(b, i)
		}
	}
	return memory.NewBufferBytes(b)
}

// enum is a dictionary of the enum's names, of aliases the first, and then of the numbers without a name.
func enum(v *schema.Vector) (indices []int32, dictionary *array.Data) {
	names := array.NewStringBuilder(memory.DefaultAllocator)
	defer names.Release()
	index := map[int32]int32{}
	add := func(number int32, name string) {
		if _, known := index[number]; !known {
			index[number] = int32(names.Len())
			names.Append(name)
		}
	}
	for _, value := range v.Column.Enum.Values {
		add(value.Number, value.Name)
	}
	for _, number := range v.Int32s {
		add(number, strconv.Itoa(int(number)))
		indices = append(indices, index[number])
	}
	list := names.NewArray()
	return indices, list.Data().(*array.Data)
}

// addresses are 16 bytes each: IPv4 is mapped into IPv6, and other values are zero.
func addresses(v *schema.Vector) []byte {
	all := make([]byte, 16*v.Len())
	for i := range v.Len() {
		to := all[16*i:][:16]
		switch text := v.TextAt(i); len(text) {
		case 16:
			copy(to, text)
		case 4:
			to[10], to[11] = 0xff, 0xff
			copy(to[12:], text)
		}
	}
	return all
}

// nanoseconds adds up the messages of a well-known time or duration.
func nanoseconds(v *schema.Vector) ([]int64, error) {
	all := make([]int64, v.Len())
	for i := range all {
		seconds, nanos := v.Children[0].Int64s[i], int64(v.Children[1].Int32s[i])
		high, low := bits.Mul64(uint64(max(seconds, -seconds)), 1e9)
		sum := seconds*1e9 + nanos
		if high != 0 || low >= 1<<63 || nanos > 0 && sum < seconds*1e9 || nanos < 0 && sum > seconds*1e9 {
			reason := fmt.Sprintf("%d seconds of value %d are more than nanoseconds in 64 bits", seconds, i)
			return nil, &schema.Error{Code: wire.TypeMismatch, Where: v.Column.Name, Reason: reason}
		}
		all[i] = sum
	}
	return all, nil
}
