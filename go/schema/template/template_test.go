package template_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/hotpb/hotpb/go/wire"
)

// exported has a column for each kind of field that a template may have, filled from the element of its number.
type exported struct {
	*schema.Schema
	explicit      bool // all columns have explicit presence
	small         schema.UintColumn
	large         schema.UintColumn
	fixed         schema.UintColumn
	signed        schema.IntColumn
	zigzag        schema.IntColumn
	flag          schema.BoolColumn
	kind          schema.EnumColumn
	ip            schema.IPColumn
	mac           schema.MACColumn
	name          schema.StringColumn
	raw           schema.BytesColumn
	float, double schema.FloatColumn
	first, last   schema.TimeColumn
	observed      schema.TimeColumn
	span          schema.DurationColumn
	dropped       schema.UintColumn
	masked        schema.UintColumn
}

func newExported(options ...schema.Option) *exported {
	s := schema.New("Exported")
	from := func(elements ...uint16) []schema.Option {
		var sources []schema.Source
		for _, e := range elements {
			sources = append(sources, schema.Source{Element: e})
		}
		return append([]schema.Option{schema.From(sources...)}, options...)
	}
	e := s.NewEnum("Kind", schema.EnumValue{Name: "NONE"})
	return &exported{
		Schema: s,
		small:  s.Uint32("small", 1, from(1)...), large: s.Uint64("large", 2, from(2)...), fixed: s.Fixed64("fixed", 3, from(3)...),
		signed: s.Int32("signed", 4, from(4)...), zigzag: s.Sint64("zigzag", 5, from(5)...), flag: s.Bool("flag", 6, from(6)...),
		kind: s.Enum("kind", 7, e, from(7)...), ip: s.IP("ip", 8, from(8)...), mac: s.MAC("mac", 9, from(56)...),
		name: s.String("name", 10, append(from(82), schema.CheckUTF8)...), raw: s.Bytes("raw", 11, from(11)...),
		float: s.Float("float", 12, from(12)...), double: s.Double("double", 13, from(13)...),
		first: s.Timestamp("first", 14, schema.Millis, from(22, 150, 152, 154, 156, 158)...),
		last:  s.Timestamp("last", 15, schema.Seconds, from(21, 151)...), observed: s.Timestamp("observed", 16, schema.WellKnown, from(325, 323)...),
		span:    s.Duration("span", 17, schema.Micros, from(161)...),
		dropped: s.Uint32("dropped", 18, append(from(18), schema.OnMisfit(schema.Drop))...),
		masked:  s.Uint32("masked", 19, append(from(19), schema.OnMisfit(schema.Mask))...),
	}
}

func bind(t testing.TB, plan *schema.Plan, fields ...template.Field) *template.Template {
	t.Helper()
	bound, err := template.Bind(plan, fields)
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

func element(number, length uint16) template.Field {
	return template.Field{Element: number, Length: length}
}

func bytesOf(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// SCH-65.
func TestADataRecordIsWrittenAsTheTemplateHasIt(t *testing.T) {
	clock := template.NetFlowClock(1700000000, 100000) // started at 1699999900
	variable := template.Field{Element: 82, Length: template.VariableLength}
	for name, c := range map[string]struct {
		fields []template.Field
		data   string
		want   string
	}{
		"numbers, sorted":      {[]template.Field{element(2, 8), element(1, 2)}, "0000000000012345 0102", "088202" + "10c5c604"},
		"passed over":          {[]template.Field{element(99, 3), element(1, 1), element(98, 2)}, "ffffff 07 ffff", "0807"},
		"zeros":                {[]template.Field{element(1, 4), element(2, 8)}, "00000000 0000000000000000", ""},
		"odd lengths":          {[]template.Field{element(1, 3), element(2, 5), element(3, 7)}, "010203 0102030405 01020304050607", "08838404" + "10" + hexVarint(0x0102030405) + "190706050403020100"},
		"reduced and signed":   {[]template.Field{element(4, 2), element(5, 1)}, "fffe ff", "20feffffffffffffffff01" + "2801"},
		"bools":                {[]template.Field{element(6, 1)}, "01", "3001"},
		"a bool of two":        {[]template.Field{element(6, 1)}, "02", ""},
		"IPv4":                 {[]template.Field{element(8, 4)}, "c0000201", "421000000000000000000000ffffc0000201"},
		"no IPv4":              {[]template.Field{element(8, 4)}, "00000000", ""},
		"no IPv6":              {[]template.Field{element(8, 16)}, strings.Repeat("00", 16), ""},
		"no source":            {[]template.Field{element(152, 8), element(150, 4)}, "0000000000000000 00000000", ""},
		"the second source":    {[]template.Field{element(152, 8), element(150, 4)}, "0000000000000005 00000000", "7005"},
		"the start itself":     {[]template.Field{element(152, 8), element(22, 4)}, "0000000000000000 00000000", "70" + hexVarint(1699999900000)},
		"no time before":       {[]template.Field{element(150, 4), element(158, 4)}, "00000000 00000000", ""},
		"IPv6":                 {[]template.Field{element(8, 16)}, "20010db8000000000000000000000001", "421020010db8000000000000000000000001"},
		"a MAC":                {[]template.Field{element(56, 6)}, "000000000102", "488202"},
		"a padded string":      {[]template.Field{element(82, 8)}, "6574683000000000", "520465746830"},
		"bytes":                {[]template.Field{element(11, 3)}, "000100", "5a03000100"},
		"floats":               {[]template.Field{element(12, 8), element(13, 4)}, "3ff8000000000000 3fc00000", "650000c03f" + "69000000000000f83f"},
		"uptime":               {[]template.Field{element(22, 4), element(21, 4)}, "00000001 000003e8", "70" + hexVarint(1699999900001) + "78" + hexVarint(1699999901)},
		"the first source":     {[]template.Field{element(152, 8), element(22, 4)}, "0000000000000005 00000001", "70" + hexVarint(1699999900001)},
		"seconds":              {[]template.Field{element(150, 4)}, "00000005", "708827"},
		"milliseconds":         {[]template.Field{element(152, 8)}, "0000000000000005", "7005"},
		"NTP":                  {[]template.Field{element(154, 8)}, "83aa7e81 80000000", "70dc0b"},
		"NTP after 2036":       {[]template.Field{element(156, 8)}, "00000001 00000000", hexMillis(1<<32 + 1 - 2208988800)},
		"before the export":    {[]template.Field{element(158, 4)}, "000007d0", "70" + hexVarint(1700000000000-2)},
		"a well-known time":    {[]template.Field{element(323, 8)}, "00000000000003e9", "8201060801" + "10c0843d"},
		"a span":               {[]template.Field{element(161, 4)}, "00000002", "8801d00f"},
		"masked":               {[]template.Field{element(19, 8)}, "0000000100000002", "980102"},
		"dropped":              {[]template.Field{element(18, 8), element(1, 1)}, "0000000100000002 01", "0801"},
		"a variable length":    {[]template.Field{element(1, 1), variable, element(2, 1)}, "01 03616263 02", "0801" + "5203616263" + "1002"},
		"a long one":           {[]template.Field{variable, element(2, 1)}, "ff0003616263 02", "5203616263" + "1002"},
		"a variable number":    {[]template.Field{{Element: 1, Length: template.VariableLength}}, "020102", "088202"},
		"variable passed over": {[]template.Field{{Element: 99, Length: template.VariableLength}, element(2, 1)}, "020102 05", "1005"},
		"of an enterprise":     {[]template.Field{{Enterprise: 9, Element: 1, Length: 1}, element(1, 1)}, "05 06", "0806"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newExported()
			plan := schematest.Compile(t, s.Schema)
			bound := bind(t, plan, c.fields...)
			data := bytesOf(t, c.data)
			got, n, err := bound.Append([]byte("before"), append(data, "after"...), clock)
			if got := hex.EncodeToString(got[6:]); err != nil || n != len(data) || got != c.want {
				t.Errorf("%s instead of %s (%d of %d bytes, %v)", got, c.want, n, len(data), err)
			}
			r := plan.NewRecord()
			if n, err := bound.AppendRecord(r, data, clock); err != nil || n != len(data) {
				t.Errorf("%d of %d bytes, %v", n, len(data), err)
			}
			expect(t, r, c.want)
		})
	}
}

func expect(t *testing.T, r *schema.Record, want string) {
	t.Helper()
	if got := hex.EncodeToString(r.Encoded()); got != want || r.Err() != nil {
		t.Errorf("got  %s (%v)\nwant %s", got, r.Err(), want)
	}
}

func hexVarint(v uint64) string { return hex.EncodeToString(wire.AppendVarint(nil, v)) }

func hexMillis(seconds uint64) string { return "70" + hexVarint(seconds*1000) }

// randomTemplate is a template and records of it, with what handles make of them.
func randomTemplate(r *rand.Rand, s *exported, variable bool) (fields []template.Field, set []byte, write []func(*schema.Record)) {
	records := 1 + r.IntN(4)
	elements := r.Perm(20)[:1+r.IntN(12)]
	for _, e := range elements {
		f := element(uint16(e), uint16(1+r.IntN(8)))
		switch e {
		case 8:
			f.Length = []uint16{4, 16}[r.IntN(2)]
		case 9:
			f.Element, f.Length = 56, 6
		case 10:
			f.Element = 82
		case 12, 13:
			f.Length = []uint16{4, 8}[r.IntN(2)]
		}
		if variable && r.IntN(3) == 0 {
			f.Length = template.VariableLength
		}
		fields = append(fields, f)
	}
	for range records {
		byNumber := make([]func(*schema.Record), 20)
		var inOrder []func(*schema.Record)
		for i, f := range fields {
			value := make([]byte, f.Length)
			if f.Length == template.VariableLength {
				value = make([]byte, []int{0, 1, 2, 4, 6, 8, 16, 300}[r.IntN(8)])
				if len(value) > 254 || r.IntN(2) == 0 {
					set = append(set, 255, byte(len(value)>>8), byte(len(value)))
				} else {
					set = append(set, byte(len(value)))
				}
			}
			for i := range value {
				value[i] = byte(r.IntN(3)) * byte(r.IntN(130))
			}
			set = append(set, value...)
			do := s.setField(f.Element, value)
			byNumber[elements[i]] = do
			inOrder = append(inOrder, do)
		}
		for _, f := range fields {
			if f.Length == template.VariableLength {
				byNumber = inOrder
			}
		}
		write = append(write, func(r *schema.Record) {
			for _, do := range byNumber {
				if do != nil {
					do(r)
				}
			}
		})
	}
	return fields, set, write
}

// setField sets a field's column by its handle.
func (s *exported) setField(element uint16, b []byte) func(*schema.Record) {
	number := uint64(0)
	if len(b) <= 8 {
		for _, c := range b {
			number = number<<8 | uint64(c)
		}
	}
	isNumber := len(b) > 0 && len(b) <= 8
	extended := int64(number<<(64-8*min(8, len(b)))) >> (64 - 8*min(8, len(b)))
	return func(r *schema.Record) {
		floating := func(c schema.FloatColumn) {
			switch len(b) {
			case 4:
				r.Float(c, float64(math.Float32frombits(uint32(number))))
			case 8:
				r.Float(c, math.Float64frombits(number))
			}
		}
		switch {
		case element == 8:
			if a, ok := netip.AddrFromSlice(b); ok && (s.explicit || !a.IsUnspecified()) {
				r.IP(s.ip, a)
			}
		case element == 82:
			r.String(s.name, string(bytes.TrimRight(b, "\x00")))
		case element == 11:
			r.Bytes(s.raw, b)
		case element == 12:
			floating(s.float)
		case element == 13:
			floating(s.double)
		case !isNumber:
		case element == 1:
			r.Uint(s.small, number)
		case element == 2:
			r.Uint(s.large, number)
		case element == 3:
			r.Uint(s.fixed, number)
		case element == 4:
			r.Int(s.signed, extended)
		case element == 5:
			r.Int(s.zigzag, extended)
		case element == 6:
			r.Bool(s.flag, number == 1)
		case element == 7:
			if number <= math.MaxInt32 { // others are misfits
				r.Enum(s.kind, int32(number))
			}
		case element == 56:
			r.MAC(s.mac, number)
		case element == 18:
			r.Uint(s.dropped, number)
		case element == 19:
			r.Uint(s.masked, number)
		}
	}
}

func TestRandomTemplatesAreWrittenAsWithHandles(t *testing.T) {
	for name, options := range map[string][]schema.Option{"plain": nil, "first": {schema.KeepFirst}, "deferred": {schema.Deferred}, "optional": {schema.Optional}} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(4, 7))
			s := newExported(options...)
			s.explicit = name == "optional"
			plan := schematest.Compile(t, s.Schema)
			handles, batch := plan.NewRecord(), plan.NewBatch()
			for round := range 2000 {
				fields, set, write := randomTemplate(random, s, round%2 == 0)
				bound := bind(t, plan, fields...)
				var want []byte
				for _, do := range write {
					handles.Reset()
					do(handles)
					want, _ = handles.AppendDelimited(want)
				}
				got, n, err := bound.AppendSet([]byte("before"), set, template.Clock{})
				if name != "deferred" { // those come at the end
					if err != nil || n != len(write) || !bytes.Equal(got[6:], want) {
						t.Fatalf("%v of %x: %x instead of %x (%d records, %v)", fields, set, got[6:], want, n, err)
					}
				}
				if n, err := bound.AddTo(batch, set, template.Clock{}); err != nil || n != len(write) {
					t.Fatalf("%v of %x: %d records in the batch, %v", fields, set, n, err)
				}
				slab, spans := batch.Take()
				got = got[:0]
				for _, s := range spans {
					got = append(got, slab[s.Start:s.End]...)
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("%v of %x: the batch has %x instead of %x", fields, set, got, want)
				}
				checkBounds(t, bound, set)
			}
		})
	}
}

// checkBounds cuts the set off everywhere: records are whole or not there.
func checkBounds(t *testing.T, bound *template.Template, set []byte) {
	t.Helper()
	whole, _, _ := bound.AppendSet(nil, set, template.Clock{})
	for end := 0; end < len(set); end += 1 + len(set)/20 {
		cut := append([]byte(nil), set[:end]...)
		got, _, err := bound.AppendSet(nil, cut[:end:end], template.Clock{})
		if !bytes.HasPrefix(whole, got) || err != nil && !errors.Is(err, wire.Truncated) {
			t.Fatalf("of %x: %x is not what %x starts with (%v)", cut, got, whole, err)
		}
	}
}

func TestATemplateThatLiesIsRefused(t *testing.T) {
	s := newExported()
	s.NestedList("list", 100, s.NewMessage("Element"), schema.From(schema.Source{Element: 100}))
	s.Floats("floats", 102, schema.From(schema.Source{Element: 102}))
	s.Uint32s("labels", 103, schema.From(schema.Source{Element: 79}))
	s.Add(schema.Column{
		Name: "times", Number: 104, Kind: wire.Int64, Logical: schema.Timestamp, Unit: schema.Millis, Repeated: true,
		Sources: []schema.Source{{Element: 104}},
	})
	s.Nested("message", 101, s.NewMessage("Inner"), schema.From(schema.Source{Element: 101}))
	plan := schematest.Compile(t, s.Schema)
	many := make([]template.Field, 20000)
	for want, fields := range map[string][]template.Field{
		"template: its records have no bytes":                                           {},
		"its records have no bytes":                                                     {element(1, 0)},
		"template: field 1, element 8: an address has 4 or 16 bytes, not 7 (column ip)": {element(1, 4), element(8, 7)},
		"a number has 1 to 8 bytes, not 9 (column small)":                               {element(1, 9)},
		"a number has 1 to 8 bytes, not 0 (column small)":                               {element(1, 0), element(99, 1)},
		"a hardware address has 6 bytes, not 5":                                         {element(56, 5)},
		"a floating point number has 4 or 8 bytes, not 2":                               {element(12, 2)},
		"a time of this encoding has 8 bytes, not 4":                                    {element(154, 4)},
		"texts, bytes or addresses only (column list)":                                  {element(100, 4)},
		"texts, bytes or addresses only (column times)":                                 {element(104, 4)},
		"a floating point number has 4 or 8 bytes, not 2 (column floats)":               {{Element: 102, Length: 8, Each: 2}},
		"an array of no bytes has no elements (column floats)":                          {{Element: 102, Each: 4}, element(99, 1)},
		"an entry of a stack of labels has 3 bytes, not 4 (column labels)":              {element(79, 4)},
		"an array fills a repeated column only (column small)":                          {{Element: 1, Length: 8, Each: 4}},
		"a template cannot fill a message":                                              {element(101, 4)},
		"its records have 65538 bytes, more than a message":                             {element(82, 65534), element(1, 4)},
		"20000 fields are more than a message has":                                      many,
	} {
		if _, err := template.Bind(plan, fields); !errors.Is(err, wire.InvalidSchema) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

// Whoever appends arrays to the records of a template may do so for every template that Bind takes without them.
func TestArraysComeOnTopOfTheLargestRecord(t *testing.T) {
	plan := schematest.Compile(t, newListed().Schema)
	largest := element(99, 65534)
	for _, fields := range [][]template.Field{
		{largest, element(98, 1)},
		{largest, element(98, 1), array(1, anyLength, 2), array(2, anyLength, anyLength)},
		{largest, element(98, 1), array(1, 65534, 2)},
	} {
		if _, err := template.Bind(plan, fields); err != nil {
			t.Errorf("%v: %v", fields, err)
		}
		if _, err := template.Bind(plan, append(fields, element(97, 1))); !errors.Is(err, wire.InvalidSchema) {
			t.Errorf("%v and another byte: %v", fields, err)
		}
	}
}

func TestTemplatesCountMisfits(t *testing.T) {
	s := newExported()
	bound := bind(t, schematest.Compile(t, s.Schema), element(1, 8), element(22, 4), element(82, 2))
	out, n, err := bound.Append(nil, bytesOf(t, "ffffffffffffffff 00000001 ffff"), template.Clock{})
	if got := hex.EncodeToString(out); got != "" || n != 14 || err != nil {
		t.Errorf("%s, %d bytes, %v", got, n, err)
	}
	for _, h := range []schema.Handle{s.small.Handle, s.first.Handle, s.name.Handle} {
		if bound.Misfits(h) != 1 {
			t.Errorf("%d misfits", bound.Misfits(h))
		}
	}
}

func TestTemplatesAllocateNothing(t *testing.T) {
	s := newExported()
	plan := schematest.Compile(t, s.Schema)
	bound := bind(t, plan, element(1, 8), element(22, 4), element(82, template.VariableLength), element(8, 4), element(325, 8))
	set := bytes.Repeat(bytesOf(t, "ffffffffffffffff 00000001 03616263 01020304 0102030405060708"), 10)
	clock := template.Clock{Boot: time.Unix(1, 0)}
	out := make([]byte, 0, 10000)
	record := plan.NewRecord()
	var err error
	if n := testing.AllocsPerRun(20, func() {
		out, _, err = bound.AppendSet(out[:0], set, clock)
		record.Reset()
		_, err = bound.AppendRecord(record, set, clock)
	}); n > 0 && !schematest.WithDetector || err != nil {
		t.Errorf("%v allocations, %v", n, err)
	}
}

// FuzzTemplate binds any template to a schema with all kinds of columns and encodes any set with it: what is
// written is a stream of messages of that schema.
func FuzzTemplate(f *testing.F) {
	f.Add([]byte{0, 1, 0, 4, 0, 8, 0, 4, 0, 82, 255, 255}, []byte("\x00\x00\x00\x01\x01\x02\x03\x04\x03abc"))
	f.Add([]byte{0, 22, 0, 4, 0, 154, 0, 8}, make([]byte, 36))
	s, deferred := newExported(), newExported(schema.Deferred)
	plan, later := schematest.Compile(f, s.Schema), schematest.Compile(f, deferred.Schema)
	f.Fuzz(func(t *testing.T, description, set []byte) {
		var fields []template.Field
		for ; len(description) >= 4; description = description[4:] {
			fields = append(fields, element(binary.BigEndian.Uint16(description), binary.BigEndian.Uint16(description[2:])))
		}
		bound, err := template.Bind(plan, fields)
		if err != nil {
			if !errors.Is(err, wire.InvalidSchema) {
				t.Fatal(err)
			}
			return
		}
		clock := template.NetFlowClock(1700000000, 5)
		out, records, err := bound.AppendSet(nil, set, clock)
		if err != nil && !errors.Is(err, wire.Truncated) {
			t.Fatal(err)
		}
		// With the tag hotpbdebug all scratch is filled with another pattern each time: what is not written would differ.
		spare := make([]byte, 2, 2+len(out))
		if reused, n, _ := bound.AppendSet(spare, set, clock); n != records || !bytes.Equal(reused[2:], out) {
			t.Fatalf("%d records %x, then %d records %x", records, out, n, reused[2:])
		}
		batch := later.NewBatch()
		boundLater, err := template.Bind(later, fields)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := boundLater.AddTo(batch, set, clock); n != records {
			t.Fatalf("%d records, and %d in a batch", records, n)
		}
		for at, n := 0, 0; at < len(out); n++ {
			message, next, err := wire.CutDelimited(out, at, wire.Options{})
			if err != nil || n >= records {
				t.Fatalf("message %d of %d: %v", n, records, err)
			}
			for d := wire.NewDecoder(message); d.More(); {
				if _, _, err := d.DecodeTag(); err != nil {
					t.Fatalf("message %d is %x: %v", n, message, err)
				}
				if _, err := d.Skip(); err != nil {
					t.Fatalf("message %d is %x: %v", n, message, err)
				}
			}
			at = next
		}
	})
}
