package template_test

import (
	"bytes"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/schema/template"
)

// listed has lists of each kind of number, filled from the element of their number and from ten times that.
type listed struct {
	*schema.Schema
	small    schema.UintList
	signed   schema.IntList
	unpacked schema.UintList
	floats   schema.FloatList
	flags    schema.BoolList
	labels   schema.UintList
	name     schema.StringColumn
	raw      schema.BytesList
	texts    schema.StringList
	ips      schema.IPList
}

func newListed() *listed {
	s := schema.New("Listed")
	from := func(elements ...uint16) schema.Option {
		var sources []schema.Source
		for _, e := range elements {
			sources = append(sources, schema.Source{Element: e})
		}
		return schema.From(sources...)
	}
	return &listed{
		Schema: s, small: s.Uint32s("small", 1, from(1, 10)), signed: s.Sint64s("signed", 2, from(2, 20)),
		unpacked: s.Uint32s("unpacked", 3, from(3, 30), schema.Unpacked), floats: s.Doubles("floats", 4, from(4)), flags: s.Bools("flags", 5, from(5)),
		labels: s.Uint32s("labels", 6, from(70, 71, 72, 73)), name: s.String("name", 7, from(82)),
		raw: s.BytesList("raw", 8, from(8, 80, 73)), texts: s.Strings("texts", 9, from(9, 90), schema.CheckUTF8), ips: s.IPs("ips", 10, from(100, 101)),
	}
}

const anyLength = template.VariableLength

func array(number, length, each uint16) template.Field {
	return template.Field{Element: number, Length: length, Each: each}
}

func TestListsAreFilledFromArraysAndNumbers(t *testing.T) {
	two := []template.Field{array(10, anyLength, 1), array(1, anyLength, 1)}
	stack := []template.Field{element(70, 3), element(71, 3), element(72, 3)}
	for name, c := range map[string]struct {
		fields  []template.Field
		data    string
		want    string
		misfits uint64
	}{
		"an array":     {[]template.Field{array(1, 8, 4)}, "00000001 00000080", "0a03 01 8001", 0},
		"zeros in it":  {[]template.Field{array(1, 4, 2)}, "0000 0000", "0a02 0000", 0},
		"an empty one": {[]template.Field{array(1, anyLength, 4)}, "00", "", 0},
		"of variable length": {
			[]template.Field{array(1, anyLength, 2), element(99, 1)}, "04 0001 0002 ff", "0a02 0102", 0,
		},
		"of lengths of their own": {
			[]template.Field{array(2, anyLength, anyLength)}, "0a 01ff 02ff00 00 03000103", "1205 01 ff03 8604", 0,
		},
		"that ends too early":   {[]template.Field{array(1, 5, 2)}, "0001 0002 00", "0a02 0102", 1},
		"whose element does":    {[]template.Field{array(1, anyLength, anyLength)}, "04 0101 0202", "0a01 01", 1},
		"whose length does":     {[]template.Field{array(1, anyLength, anyLength)}, "03 0101 ff", "0a01 01", 1},
		"too large":             {[]template.Field{array(1, 16, 8)}, "0000000100000000 0000000000000005", "0a01 05", 1},
		"of more than a number": {[]template.Field{array(1, anyLength, anyLength)}, "0a 09000000000000000001", "", 1},
		"unpacked":              {[]template.Field{array(3, 3, 1)}, "01 00 02", "1801 1800 1802", 0},
		"floats": {
			[]template.Field{array(4, 8, 4)}, "3fc00000 00000000", "2210 000000000000f83f 0000000000000000", 0,
		},
		"bools":    {[]template.Field{array(5, 3, 1)}, "01 00 02", "2a03 010000", 0},
		"a number": {[]template.Field{element(1, 2)}, "0102", "0a02 8202", 0},
		"a zero":   {[]template.Field{element(1, 2)}, "0000", "", 0},
		"two numbers": {
			[]template.Field{element(10, 1), element(99, 1), element(1, 1)}, "05 ff 06", "0a02 0605", 0,
		},
		"two, one of them zero":       {[]template.Field{element(10, 1), element(1, 1)}, "05 00", "0a01 05", 0},
		"unpacked numbers":            {[]template.Field{element(3, 1), element(30, 1)}, "05 06", "1805 1806", 0},
		"the array, not the number":   {[]template.Field{element(1, 1), array(10, anyLength, 1)}, "05 020708", "0a02 0708", 0},
		"the number, of no array":     {[]template.Field{element(1, 1), array(10, anyLength, 1)}, "05 00", "0a01 05", 0},
		"the first array":             {two, "0109 020708", "0a02 0708", 0},
		"the first that is not empty": {two, "0109 00", "0a01 09", 0},
		"after a text": {
			[]template.Field{{Element: 82, Length: anyLength}, element(1, 1), element(10, 1)}, "0161 05 06", "3a0161 0a02 0506", 0,
		},
		"labels":                  {stack, "000110 000200 fffff0", "3205 11 20 ffff3f", 0},
		"to the bottom":           {stack, "000110 000201 fffff0", "3202 11 20", 0},
		"and zeros":               {stack, "000110 000000 000000", "3201 11", 0},
		"explicit null":           {stack, "000110 000001 000000", "3202 11 00", 0},
		"no stack":                {stack, "000000 000000 000000", "", 0},
		"bytes":                   {[]template.Field{array(8, anyLength, 3)}, "06 010203 000000", "4203 010203 4203 000000", 0},
		"bytes of several fields": {[]template.Field{element(8, 2), element(80, 3)}, "0102 000000", "4202 0102", 0},
		"a label as bytes":        {[]template.Field{element(73, 3)}, "000110", "3201 11 4203 000110", 0},
		"texts":                   {[]template.Field{array(9, anyLength, anyLength)}, "08 026162 00 0163 01ff", "4a02 6162 4a00 4a01 63", 1},
		"padded texts":            {[]template.Field{element(9, 2), element(90, 2)}, "6100 6263", "4a01 61 4a02 6263", 0},
		"addresses": {
			[]template.Field{array(100, anyLength, anyLength)}, "18 04c0000201 1020010db8000000000000000000000001 0101",
			"5210 00000000000000000000ffffc0000201 5210 20010db8000000000000000000000001", 1,
		},
		"addresses of both": {
			[]template.Field{element(100, 4), element(101, 16)}, "c0000201 00000000000000000000000000000000",
			"5210 00000000000000000000ffffc0000201", 0,
		},
		"a label of a wrong size": {[]template.Field{{Element: 70, Length: anyLength}}, "0200ff", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newListed()
			plan := schematest.Compile(t, s.Schema)
			bound := bind(t, plan, c.fields...)
			data, want := bytesOf(t, c.data), hex.EncodeToString(bytesOf(t, c.want))
			got, n, err := bound.Append([]byte("before"), append(data, "after"...), template.Clock{})
			if got := hex.EncodeToString(got[6:]); err != nil || n != len(data) || got != want || bound.AllMisfits() != c.misfits {
				t.Errorf("%s instead of %s (%d of %d bytes, %d misfits, %v)", got, want, n, len(data), bound.AllMisfits(), err)
			}
			r := plan.NewRecord()
			if n, err := bound.AppendRecord(r, data, template.Clock{}); err != nil || n != len(data) {
				t.Errorf("%d of %d bytes, %v", n, len(data), err)
			}
			if got := hex.EncodeToString(r.Encoded()); got != want || r.AllMisfits() != c.misfits {
				t.Errorf("in a record %s instead of %s, %d misfits", got, want, r.AllMisfits())
			}
			for n := range data { // cut anywhere
				if _, _, err := bound.Append(nil, data[:n:n], template.Clock{}); err == nil {
					t.Errorf("%d bytes are a record", n)
				}
			}
		})
	}
}

// The length of a packed list needs more bytes than one from 128 on.
func TestLongListsHaveLongLengths(t *testing.T) {
	s := newListed()
	plan := schematest.Compile(t, s.Schema)
	bound := bind(t, plan, array(1, anyLength, 4), element(2, 1))
	for _, n := range []int{126, 127, 128, 129, 16000} {
		data := append([]byte{255, byte(4 * n >> 8), byte(4 * n)}, bytes.Repeat([]byte{0, 0, 0, 7}, n)...)
		out, _, err := bound.Append(nil, append(data, 1), template.Clock{})
		if err != nil {
			t.Fatal(err)
		}
		row := plan.NewRow()
		if err := row.Unmarshal(out); err != nil {
			t.Fatal(err)
		}
		list := row.Uints(s.small)
		if len(list) != n || slices.ContainsFunc(list, func(v uint64) bool { return v != 7 }) || len(row.Ints(s.signed)) != 1 {
			t.Errorf("%d: %d elements", n, len(list))
		}
	}
}

func TestARecordKeepsTheListThatItHas(t *testing.T) {
	s := newListed()
	plan := schematest.Compile(t, s.Schema)
	first, second := bind(t, plan, array(1, 2, 1)), bind(t, plan, element(1, 1), element(2, 1))
	r := plan.NewRecord()
	for range 2 {
		r.Reset()
		for _, part := range []struct {
			*template.Template
			data []byte
		}{{first, []byte{5, 6}}, {second, []byte{7, 8}}} {
			if _, err := part.AppendRecord(r, part.data, template.Clock{}); err != nil {
				t.Fatal(err)
			}
		}
		if got := hex.EncodeToString(r.Encoded()); got != "0a020506"+"120110" {
			t.Error(got)
		}
	}
}

func TestListsAllocateNothing(t *testing.T) {
	s := newListed()
	plan := schematest.Compile(t, s.Schema)
	bound := bind(t, plan, array(1, anyLength, 4), element(70, 3), element(71, 3), element(3, 2), element(30, 2))
	set := bytes.Repeat(bytesOf(t, "08 00000001 ffffffff 000110 000201 0005 0006"), 10)
	out := make([]byte, 0, 10000)
	record := plan.NewRecord()
	var err error
	if n := testing.AllocsPerRun(20, func() {
		out, _, err = bound.AppendSet(out[:0], set, template.Clock{})
		record.Reset()
		_, err = bound.AppendRecord(record, set, template.Clock{})
	}); n > 0 && !schematest.WithDetector || err != nil {
		t.Errorf("%v allocations, %v", n, err)
	}
}

// FuzzLists binds any template with arrays: direct encoding and a record make the same message, and it can be read.
func FuzzLists(f *testing.F) {
	f.Add([]byte{1, 255, 4, 70, 3, 0, 71, 3, 0}, []byte("\x08\x00\x00\x00\x01\x00\x00\x00\x02\x00\x01\x10\x00\x02\x01"))
	f.Add([]byte{2, 255, 255, 20, 2, 0, 3, 4, 2, 4, 8, 8, 5, 1, 0}, make([]byte, 40))
	s := newListed()
	plan := schematest.Compile(f, s.Schema)
	length := func(b byte) uint16 {
		if b == 255 {
			return anyLength
		}
		return uint16(b)
	}
	f.Fuzz(func(t *testing.T, description, data []byte) {
		var fields []template.Field
		for ; len(description) >= 3; description = description[3:] {
			fields = append(fields, array(uint16(description[0]), length(description[1]), length(description[2])))
		}
		bound, _, err := template.BindFitting(plan, fields)
		if err != nil {
			return
		}
		out, n, err := bound.Append(nil, data, template.Clock{})
		r := plan.NewRecord()
		m, wrong := bound.AppendRecord(r, data, template.Clock{})
		if (err == nil) != (wrong == nil) || err == nil && (n != m || !bytes.Equal(out, r.Encoded())) {
			t.Fatalf("%x, %v; in a record %x, %v", out, err, r.Encoded(), wrong)
		}
		if err := plan.NewRow().Unmarshal(out); err != nil {
			t.Fatalf("%x: %v", out, err)
		}
	})
}
