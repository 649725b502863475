package schema

import (
	"fmt"
	"math"
	"slices"

	"github.com/hotpb/hotpb/go/schema/internal/row"
	"github.com/hotpb/hotpb/go/wire"
)

// Columns collects messages column by column, as column stores and Arrow need them: a Vector for each column of
// the root and of the messages in it.
//
//	cols, err := plan.NewColumns()
//	for body := range bodies {
//		err := cols.Unmarshal(body)
//	}
//	insert(cols.Vector(bytes.Handle).Uint64s, cols.Vector(labels.Handle, name.Handle).Text)
//	cols.Reset()
//
// One goroutine may use it. It reuses its memory after Reset.
type Columns struct {
	row  *Row
	root *Vector
	size int // bytes read, and records
}

// Vector has the values of one column. For a repeated column, or a column inside repeated messages, these are the
// elements of all lists, one list after the other; Starts says where each list begins.
type Vector struct {
	// Column is the column's definition; nil for the root.
	Column *Column
	// Valid reports for each value whether it was present; an absent value is stored as the column's default. Valid
	// is nil for columns without explicit presence, for required and for repeated columns.
	Valid []bool
	// Starts is, for a repeated column or a map, the index of each message's list among the elements, and at the end
	// the number of elements: one entry more than there are lists.
	Starts []int32

	// One of these has the values, depending on the column's kind: enums are Int32s, IPs are Text of 16 bytes or
	// none, MACs Uint64s.
	Int32s   []int32
	Int64s   []int64
	Uint32s  []uint32
	Uint64s  []uint64
	Float32s []float32
	Float64s []float64
	Bools    []bool

	// Text has the bytes of strings and bytes. TextStarts has the start of each, and at the end the length of Text.
	Text       []byte
	TextStarts []int32

	// Children has a vector for each column of a message, by ascending number.
	Children []*Vector

	n int
	t *row.Type // of a message
	o *row.Cell
}

// Len returns the number of values; for a repeated column, of elements.
func (v *Vector) Len() int { return v.n }

// maxColumns limits the number of vectors. Messages within messages can yield more in few lines: two columns of a message
// that has two columns of a message, and so on.
const maxColumns = 10_000

// NewColumns creates empty columns. A message that contains itself has no fixed number of columns: the error is
// InvalidSchema. So it is if there are more than 10,000 columns, those of nested messages included.
func (p *Plan) NewColumns() (*Columns, error) {
	if p.isEmpty() {
		return nil, errNoPlan()
	}
	c := &Columns{row: p.NewRow(), root: &Vector{}}
	b := columnsBuilder{plan: p, types: p.rowPlan().Types}
	b.children(c.root, &b.types[0])
	if len(b.wrong) > 0 {
		return nil, b.wrong.err()
	}
	c.Reset()
	return c, nil
}

type columnsBuilder struct {
	plan   *Plan
	types  []row.Type
	within []*row.Type // the messages around the vector
	count  int
	wrong  problems
}

func (b *columnsBuilder) children(v *Vector, t *row.Type) {
	if slices.Contains(b.within, t) {
		b.wrong.add(t.Message.Name, "contains itself, so it has no fixed number of columns")
		return
	}
	v.t = t
	b.within = append(b.within, t)
	for _, o := range t.Columns {
		if b.count++; b.count > maxColumns {
			if b.count == maxColumns+1 {
				b.wrong.add(t.Message.Name, fmt.Sprintf("with nested messages there are more than %d columns", maxColumns))
			}
			break
		}
		child := &Vector{Column: b.plan.columns[o.Column.Index], o: o}
		if o.Column.Child >= 0 {
			b.children(child, &b.types[o.Child])
		}
		v.Children = append(v.Children, child)
	}
	b.within = b.within[:len(b.within)-1]
}

// Vector returns the vector of a column by the handles that lead to it from the root, or nil. Without handles it
// returns the root.
func (c *Columns) Vector(path ...Handle) *Vector {
	if c == nil || c.root == nil {
		return nil
	}
	v := c.root
	for _, h := range path {
		i := slices.IndexFunc(v.Children, func(child *Vector) bool {
			return child.o.Column.Handle == h.h
		})
		if i < 0 {
			return nil
		}
		v = v.Children[i]
	}
	return v
}

// Len returns the number of messages.
func (c *Columns) Len() int {
	if c == nil || c.root == nil {
		return 0
	}
	return c.root.n
}

// Reset empties the columns. The next messages overwrite the slices of the old ones.
func (c *Columns) Reset() {
	if c == nil || c.root == nil {
		return
	}
	c.size = 0
	c.root.reset()
}

func (v *Vector) reset() {
	v.n = 0
	v.Valid = v.Valid[:0]
	v.Int32s, v.Int64s, v.Uint32s, v.Uint64s = v.Int32s[:0], v.Int64s[:0], v.Uint32s[:0], v.Uint64s[:0]
	v.Float32s, v.Float64s, v.Bools, v.Text = v.Float32s[:0], v.Float64s[:0], v.Bools[:0], v.Text[:0]
	if v.Column != nil {
		if v.Column.Repeated {
			v.Starts = append(v.Starts[:0], 0)
		}
		if v.Column.Kind == wire.String || v.Column.Kind == wire.Bytes {
			v.TextStarts = append(v.TextStarts[:0], 0)
		}
	}
	for _, child := range v.Children {
		child.reset()
	}
}

// Unmarshal decodes a message and adds it. After an error it adds nothing. If all messages together reach 2 GiB,
// the error is SizeExceeded: call Reset.
func (c *Columns) Unmarshal(b []byte) error { return c.UnmarshalWith(b, UnmarshalOptions{}) }

// UnmarshalWith is Unmarshal with limits and rules.
func (c *Columns) UnmarshalWith(b []byte, o UnmarshalOptions) error {
	if c == nil || c.root == nil {
		return errUnmade()
	}
	// Text and elements cannot be more than the bytes they came in, so positions fit into 32 bits.
	if c.size+len(b)+1 > math.MaxInt32 {
		return &wire.Error{Code: wire.SizeExceeded}
	}
	o.Alias = true // the values are copied into the columns
	if err := c.row.UnmarshalWith(b, o); err != nil {
		return err
	}
	c.size += len(b) + 1
	c.root.add(c.row.f)
	return nil
}

// add adds a message.
func (v *Vector) add(f row.Fields) {
	v.n++
	for _, child := range v.Children {
		child.addColumn(f)
	}
}

func (v *Vector) addColumn(f row.Fields) {
	switch c := v.o.Column; {
	case c.Repeated && c.Child >= 0:
		for _, m := range f.Children(v.o).All() {
			v.add(m)
		}
		v.Starts = append(v.Starts, int32(v.n))
	case c.Repeated:
		for _, word := range f.Elements(v.o) {
			v.value(f.Decoder(), word)
		}
		v.Starts = append(v.Starts, int32(v.n))
	default:
		if v.Column.Presence == Explicit {
			v.Valid = append(v.Valid, f.Present(v.o))
		}
		switch {
		case c.Child >= 0:
			v.add(f.Nested(v.o))
		case c.Kind == wire.String || c.Kind == wire.Bytes:
			v.addText(f.Text(c.Handle))
		default:
			v.value(f.Decoder(), f.Value(v.o))
		}
	}
}

// value adds a number or text.
func (v *Vector) value(d *row.Decoder, word uint64) {
	v.n++
	switch v.Column.Kind {
	case wire.Int32, wire.Sint32, wire.Sfixed32, wire.Enum:
		v.Int32s = append(v.Int32s, int32(word))
	case wire.Int64, wire.Sint64, wire.Sfixed64:
		v.Int64s = append(v.Int64s, int64(word))
	case wire.Uint32, wire.Fixed32:
		v.Uint32s = append(v.Uint32s, uint32(word))
	case wire.Uint64, wire.Fixed64:
		v.Uint64s = append(v.Uint64s, word)
	case wire.Float:
		v.Float32s = append(v.Float32s, math.Float32frombits(uint32(word)))
	case wire.Double:
		v.Float64s = append(v.Float64s, math.Float64frombits(word))
	case wire.Bool:
		v.Bools = append(v.Bools, word != 0)
	default:
		v.n--
		v.addText(d.Text(word))
	}
}

func (v *Vector) addText(b []byte) {
	v.n++
	v.Text = append(v.Text, b...)
	v.TextStarts = append(v.TextStarts, int32(len(v.Text)))
}

// TextAt returns the string or bytes at index i.
func (v *Vector) TextAt(i int) []byte {
	from, to := v.TextStarts[i], v.TextStarts[i+1]
	return v.Text[from:to:to]
}
