package stage

import (
	"errors"
	"fmt"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// value is what one column of a record is set to. Any number of goroutines may use it.
type value interface {
	set(r *schema.Record)
	plain() bool // the value counts whatever the record has
}

// target is a column of the schema that something fills, for one source or destination, exporter or interface.
type target struct {
	slot   int // that of the column among all that are filled for the same key
	column *schema.Column
	parse  func(text string) (value, error)
}

// misfit is the error of a text that does not fit into the column.
func (t *target) misfit(text string, err error) error {
	return fmt.Errorf("%q does not fit into column %s, which is %s: %v", text, t.column.Name, t.column.Type(), err)
}

// typed is a value for columns of one type of handle.
type typed[C, V any] struct {
	*setter[C, V]
	value V
}

// setter is what the values of one column share.
type setter[C, V any] struct {
	column C
	put    func(*schema.Record, C, V)
	filled func(*schema.Record, C) bool // by the exporter; nil if that does not matter
	kept   bool                         // the record keeps the first value, or all of them until its end
}

func (v *typed[C, V]) plain() bool { return v.filled == nil && !v.kept }

func (v *typed[C, V]) set(r *schema.Record) {
	if v.filled == nil || !v.filled(r, v.column) {
		v.put(r, v.column, v.value)
	}
}

// supply is where the values of columns come from, as errors call it.
type supply struct {
	name     string // of the column of a table, or of what else there is
	from     string // the file
	override bool   // of the value that the exporter has sent
}

// target finds out how a column is filled.
func (b *binding) target(from supply, c *schema.Column, slot int) *target {
	resolve := false // whether the exporter's value must be read from the record
	switch {
	case from.override && c.KeepFirst:
		b.wrong(c, fmt.Sprintf("keeps its first value, which %s! of %s cannot override", from.name, from.from))
		return nil
	case from.override, len(c.Sources) == 0, c.KeepFirst: // which keeps the exporter's value by itself
	case !c.Deferred:
		b.wrong(c, fmt.Sprintf("must be deferred: %s of %s fills it if the exporter has not; "+
			"or override the exporter with %s!", from.name, from.from, from.name))
		return nil
	default:
		resolve = true
	}
	t := &target{slot: slot, column: c}
	f := filling{b, c, resolve}
	var err error
	switch {
	case c.Message != nil || c.Logical == schema.Timestamp || c.Logical == schema.Duration ||
		c.Kind == wire.Bytes && c.Logical != schema.IP || c.Repeated && c.Kind != wire.String && !unsigned(c.Kind):
		b.wrong(c, fmt.Sprintf("is %s, which cannot be filled from %s", c.Type(), from.from))
		return nil
	case c.Repeated && resolve:
		b.wrong(c, fmt.Sprintf("has lists of the exporter, which %s of %s can only override, with %s!", from.name, from.from, from.name))
		return nil
	case c.Repeated && c.Kind == wire.String:
		t.parse, err = parser(f, addStrings, nil, parseList(parseText(c)))
	case c.Repeated:
		t.parse, err = parser(f, addUints, nil, parseList(parseUint(width(c.Kind))))
	case c.Logical == schema.IP:
		t.parse, err = parser(f, (*schema.Record).IP, hasIP, parseAddr)
	case c.Logical == schema.MAC:
		t.parse, err = parser(f, (*schema.Record).MAC, hasMAC, parseMAC)
	case c.Kind == wire.String:
		t.parse, err = parser(f, (*schema.Record).String, hasString, parseText(c))
	case c.Kind == wire.Bool:
		t.parse, err = parser(f, (*schema.Record).Bool, hasBool, parseBool)
	case c.Kind == wire.Float || c.Kind == wire.Double:
		t.parse, err = parser(f, (*schema.Record).Float, hasFloat, parseFloat)
	case c.Kind == wire.Enum:
		t.parse, err = parser(f, (*schema.Record).Enum, hasEnum, parseEnum(c.Enum))
	case unsigned(c.Kind):
		t.parse, err = parser(f, (*schema.Record).Uint, hasUint, parseUint(width(c.Kind)))
	default:
		t.parse, err = parser(f, (*schema.Record).Int, hasInt, parseInt(width(c.Kind)))
	}
	if err != nil {
		b.located(err)
		return nil
	}
	return t
}

func addStrings(r *schema.Record, c schema.StringList, elements []string) {
	r.AddString(c, elements...)
}
func addUints(r *schema.Record, c schema.UintList, elements []uint64) { r.AddUint(c, elements...) }

// filling is a column whose parser is being built.
type filling struct {
	*binding
	to      *schema.Column
	resolve bool
}

func parser[C ~struct{ schema.Handle }, V any](f filling, put func(*schema.Record, C, V),
	has func(*schema.Record, C) bool, parse func(string) (V, error)) (func(string) (value, error), error) {
	handle, err := schema.Lookup[C](f.layout.File.Schema.Message, f.to.Name)
	if err != nil {
		return nil, err
	}
	s := &setter[C, V]{column: handle, put: put, kept: f.to.Deferred || f.to.KeepFirst}
	if f.resolve {
		s.filled = has
	}
	return func(text string) (value, error) {
		v, err := parse(text)
		if err != nil {
			return nil, reason(err)
		}
		return &typed[C, V]{s, v}, nil
	}, nil
}

var errNotUTF8 = errors.New("it is not UTF-8")
