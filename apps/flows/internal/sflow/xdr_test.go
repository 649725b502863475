package sflow

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The reference is slow and generic: it writes and reads structures by testdata/structures.txt, and knows none of them.

type xdrField struct{ name, kind string }

type xdrStructure struct {
	in     string // sample, flow or counter
	format uint32
	name   string
	least  int // bytes, without variable parts
	fields []xdrField
}

type xdrTable struct {
	types map[string][]xdrField
	all   []xdrStructure
}

// values are those of a structure: uint64, []byte, or []any of these and of values.
type values map[string]any

func readTable(t testing.TB) *xdrTable {
	t.Helper()
	text, err := os.ReadFile("testdata/structures.txt")
	if err != nil {
		t.Fatal(err)
	}
	table := &xdrTable{types: map[string][]xdrField{}}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		head, tail, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatal(line)
		}
		var fields []xdrField
		for f := range strings.SplitSeq(tail, ", ") {
			name, kind, ok := strings.Cut(f, " ")
			if !ok {
				t.Fatal(line)
			}
			fields = append(fields, xdrField{name, kind})
		}
		words := strings.Fields(head)
		if words[0] == "type" {
			table.types[words[1]] = fields
			continue
		}
		format, least := must(strconv.ParseUint(words[1], 10, 32)), must(strconv.Atoi(words[3]))
		table.all = append(table.all, xdrStructure{words[0], uint32(format), words[2], least, fields})
	}
	return table
}

func (x *xdrTable) find(t testing.TB, name string) *xdrStructure {
	t.Helper()
	i := slices.IndexFunc(x.all, func(s xdrStructure) bool { return s.name == name })
	if i < 0 {
		t.Fatal(name)
	}
	return &x.all[i]
}

// suffix cuts <> or [n] from a type.
func suffix(kind string) (element string, n int, list bool) {
	if element, list = strings.CutSuffix(kind, "<>"); list {
		return element, -1, true
	}
	if i := strings.IndexByte(kind, '['); i >= 0 {
		return kind[:i], must(strconv.Atoi(kind[i+1 : len(kind)-1])), true
	}
	return kind, 0, false
}

var sizes = map[string]int{"u32": 4, "f32": 4, "u64": 8, "ip4": 4, "ip6": 16}

// append writes a value. What pads it is not zero.
func (x *xdrTable) append(b []byte, kind string, v any) []byte {
	if n := sizes[kind]; n == 4 && kind[0] != 'i' {
		return binary.BigEndian.AppendUint32(b, uint32(v.(uint64)))
	} else if n == 8 {
		return binary.BigEndian.AppendUint64(b, v.(uint64))
	} else if n > 0 {
		return append(b, v.([]byte)...)
	}
	if kind == "address" {
		a := v.([]byte)
		return append(binary.BigEndian.AppendUint32(b, map[int]uint32{0: 0, 4: 1, 16: 2}[len(a)]), a...)
	}
	element, n, list := suffix(kind)
	switch {
	case !list:
		return x.appendFields(b, x.types[kind], v.(values))
	case element == "opaque" || element == "string":
		if n < 0 {
			b = binary.BigEndian.AppendUint32(b, uint32(len(v.([]byte))))
		}
		b = append(b, v.([]byte)...)
		for i := len(v.([]byte)); i%4 != 0; i++ {
			b = append(b, 0xa5)
		}
		return b
	}
	if n < 0 {
		b = binary.BigEndian.AppendUint32(b, uint32(len(v.([]any))))
	}
	for _, e := range v.([]any) {
		b = x.append(b, element, e)
	}
	return b
}

func (x *xdrTable) appendFields(b []byte, fields []xdrField, v values) []byte {
	for _, f := range fields {
		b = x.append(b, f.kind, v[f.name])
	}
	return b
}

// read reads a value; nil where the bytes end.
func (x *xdrTable) read(b []byte, kind string) (v any, rest []byte) {
	if n := sizes[kind]; n > 0 {
		switch {
		case len(b) < n:
			return nil, nil
		case kind[0] == 'i':
			return b[:n], b[n:]
		case n == 4:
			return uint64(binary.BigEndian.Uint32(b)), b[4:]
		}
		return binary.BigEndian.Uint64(b), b[8:]
	}
	number := func() int {
		v, tail := x.read(b, "u32")
		if v == nil {
			return -1
		}
		b = tail
		return int(v.(uint64))
	}
	if kind == "address" {
		n := number()
		size, ok := map[int]int{0: 0, 1: 4, 2: 16}[n]
		if !ok || len(b) < size {
			return nil, nil
		}
		return b[:size], b[size:]
	}
	element, n, list := suffix(kind)
	if !list {
		all := values{}
		for _, f := range x.types[kind] {
			if all[f.name], b = x.read(b, f.kind); all[f.name] == nil {
				return nil, nil
			}
		}
		return all, b
	}
	if n < 0 {
		if n = number(); n < 0 || n > len(b) {
			return nil, nil
		}
	}
	if element == "opaque" || element == "string" {
		padded := (n + 3) / 4 * 4
		if len(b) < padded {
			return nil, nil
		}
		return b[:n], b[padded:]
	}
	items := []any{}
	for range n {
		var item any
		if item, b = x.read(b, element); item == nil {
			return nil, nil
		}
		items = append(items, item)
	}
	return items, b
}

// parse reads a structure; nil if the bytes are not one.
func (x *xdrTable) parse(b []byte, s *xdrStructure) values {
	all := values{}
	for _, f := range s.fields {
		if all[f.name], b = x.read(b, f.kind); all[f.name] == nil {
			return nil
		}
	}
	if len(b) > 0 {
		return nil
	}
	return all
}

// zero is a value of a type that is zero, or has nothing in it.
func (x *xdrTable) zero(kind string) any { return x.random(kind, nil) }

// random is a value by chance; without a source of chance, zero.
func (x *xdrTable) random(kind string, r *rand.Rand) any {
	some := func(n int) []byte {
		b := make([]byte, n)
		if r != nil {
			for i := range b {
				b[i] = byte(r.Uint32())
			}
		}
		return b
	}
	upTo := func(n int) int {
		if r == nil {
			return 0
		}
		return r.IntN(n)
	}
	switch n := sizes[kind]; {
	case n > 0 && kind[0] == 'i':
		return some(n)
	case n > 0 && r == nil:
		return uint64(0)
	case n == 4: // small numbers are common
		return uint64(r.Uint32() >> (r.IntN(4) * 8))
	case n == 8:
		return r.Uint64()
	}
	if kind == "address" {
		return some([]int{0, 4, 16}[upTo(3)])
	}
	element, n, list := suffix(kind)
	if !list {
		all := values{}
		for _, f := range x.types[kind] {
			all[f.name] = x.random(f.kind, r)
		}
		return all
	}
	if n < 0 {
		n = upTo(6)
	}
	if element == "opaque" || element == "string" {
		return some(n)
	}
	items := []any{}
	for range n {
		items = append(items, x.random(element, r))
	}
	return items
}

func (x *xdrTable) zeros(s *xdrStructure) values { return x.fill(s, nil) }

func (x *xdrTable) fill(s *xdrStructure, r *rand.Rand) values {
	all := values{}
	for _, f := range s.fields {
		all[f.name] = x.random(f.kind, r)
	}
	return all
}

// distinct are values of a field that no other field has.
func (x *xdrTable) distinct(kind string) (all []any) {
	number := func(v uint64) any { return v }
	switch kind {
	case "u32", "f32":
		return []any{number(0x123), number(0x71727374)}
	case "u64":
		return []any{number(0x7172737475767778)}
	case "ip4":
		return []any{[]byte{0x71, 0x72, 0x73, 0x74}}
	case "ip6":
		return []any{[]byte{0x20, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}
	case "address":
		return []any{x.distinct("ip4")[0], x.distinct("ip6")[0]}
	}
	element, n, list := suffix(kind)
	switch {
	case !list:
		all := values{}
		for _, f := range x.types[kind] {
			all[f.name] = x.distinct(f.kind)[0]
		}
		return []any{all}
	case element == "opaque" || element == "string":
		bytes := []byte{0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90}
		if n >= 0 {
			return []any{bytes[:n]}
		}
		return []any{bytes[:5], bytes[:6], bytes[:7], bytes[:8]}
	}
	for _, e := range x.distinct(element) {
		items := slices.Repeat([]any{e}, max(n, 1))
		all = append(all, items)
		if n < 0 {
			all = append(all, []any{e, e, x.zero(element)})
		}
	}
	return all
}

// The table agrees with itself: each structure has its size, and can be read back, whatever its padding is.
func TestStructuresHaveTheirSizes(t *testing.T) {
	x := readTable(t)
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	for _, s := range x.all {
		key := fmt.Sprint(s.in, s.format)
		if seen[key] {
			t.Errorf("%s twice", key)
		}
		seen[key] = true
		if n := len(x.appendFields(nil, s.fields, x.zeros(&s))); n != s.least {
			t.Errorf("%s: %d bytes instead of %d", s.name, n, s.least)
		}
		for range 20 {
			b := x.appendFields(nil, s.fields, x.fill(&s, r))
			v := x.parse(b, &s)
			if v == nil || len(b)%4 != 0 || string(x.appendFields(nil, s.fields, v)) != string(b) {
				t.Fatalf("%s: %x", s.name, b)
			}
		}
	}
	if len(x.all) < 90 {
		t.Errorf("%d structures", len(x.all))
	}
}
