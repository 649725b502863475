package yaml

import (
	"math"
	"net"
	"net/netip"

	"github.com/goccy/go-yaml/ast"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// constant records what SetConstants will set for a column.
func (r *reader) constant(m *schema.Message, name string, h schema.Handle, n ast.Node) {
	s := r.file.Schema
	if m != s.Message {
		r.fail(n, "only columns of %s can have constants", s.Message.Name)
		return
	}
	var set func(*schema.Record)
	if c, err := schema.Lookup[schema.UintColumn](s.Message, name); err == nil {
		if v, ok := r.unsigned(n, narrow(m, name)); ok {
			set = func(record *schema.Record) { record.Uint(c, v) }
		}
	} else if c, err := schema.Lookup[schema.IntColumn](s.Message, name); err == nil {
		low, high := int64(math.MinInt64), int64(math.MaxInt64)
		if narrow(m, name) {
			low, high = math.MinInt32, math.MaxInt32
		}
		v := r.integer(n, "the constant", low, high)
		set = func(record *schema.Record) { record.Int(c, v) }
	} else if c, err := schema.Lookup[schema.FloatColumn](s.Message, name); err == nil {
		v, ok := number(n)
		if !ok {
			r.fail(n, "the constant must be a number")
		}
		set = func(record *schema.Record) { record.Float(c, v) }
	} else if c, err := schema.Lookup[schema.BoolColumn](s.Message, name); err == nil {
		v := r.flag(n, "the constant")
		set = func(record *schema.Record) { record.Bool(c, v) }
	} else if c, err := schema.Lookup[schema.StringColumn](s.Message, name); err == nil {
		v := r.text(n, "the constant")
		set = func(record *schema.Record) { record.String(c, v) }
	} else if c, err := schema.Lookup[schema.EnumColumn](s.Message, name); err == nil {
		v := r.enumValue(m, name, n)
		set = func(record *schema.Record) { record.Enum(c, v) }
	} else if c, err := schema.Lookup[schema.IPColumn](s.Message, name); err == nil {
		v, err := netip.ParseAddr(r.text(n, "the constant"))
		if err != nil {
			r.fail(n, "the constant is not an address: %v", err)
		}
		set = func(record *schema.Record) { record.IP(c, v) }
	} else if c, err := schema.Lookup[schema.MACColumn](s.Message, name); err == nil {
		v := r.mac(n)
		set = func(record *schema.Record) { record.MAC(c, v) }
	} else {
		r.fail(n, "columns of this type cannot have constants")
		return
	}
	r.file.constants = append(r.file.constants, set)
}

// narrow reports whether the numbers of a column have 32 bits.
func narrow(m *schema.Message, name string) bool {
	c, _, _ := m.Find(name)
	switch c.Kind {
	case wire.Int32, wire.Sint32, wire.Sfixed32, wire.Uint32, wire.Fixed32:
		return true
	}
	return false
}

func (r *reader) unsigned(n ast.Node, narrow bool) (v uint64, ok bool) {
	if i, isInteger := n.(*ast.IntegerNode); isInteger {
		switch i := i.Value.(type) {
		case uint64:
			v, ok = i, true
		case int64:
			v, ok = uint64(i), i >= 0
		}
	}
	switch {
	case !ok:
		r.fail(n, "the constant must be a number that is not negative")
	case narrow && v > math.MaxUint32:
		r.fail(n, "the constant must be from 0 to %d", math.MaxUint32)
		return 0, false
	}
	return v, ok
}

func number(n ast.Node) (float64, bool) {
	switch n := n.(type) {
	case *ast.FloatNode:
		return n.Value, true
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case uint64:
			return float64(v), true
		case int64:
			return float64(v), true
		}
	}
	return 0, false
}

// enumValue reads a name or a number.
func (r *reader) enumValue(m *schema.Message, name string, n ast.Node) int32 {
	if _, ok := n.(*ast.IntegerNode); ok {
		return int32(r.integer(n, "the constant", math.MinInt32, math.MaxInt32))
	}
	text := r.text(n, "the constant")
	c, _, _ := m.Find(name)
	for _, v := range c.Enum.Values {
		if v.Name == text {
			return v.Number
		}
	}
	r.fail(n, "the enum has no value %s", text)
	return 0
}

func (r *reader) mac(n ast.Node) (v uint64) {
	address, err := net.ParseMAC(r.text(n, "the constant"))
	if err != nil || len(address) != 6 {
		r.fail(n, "the constant is not a hardware address of six bytes")
		return 0
	}
	for _, b := range address {
		v = v<<8 | uint64(b)
	}
	return v
}
