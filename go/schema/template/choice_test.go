package template_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/hotpb/hotpb/go/wire"
)

// choices has columns of all shapes, each of which the elements 1 to 4 may fill.
type choices struct {
	*schema.Schema
	small, large, fixed, present schema.UintColumn
	signed                       schema.IntColumn
	name                         schema.StringColumn
	raw                          schema.BytesColumn
	when                         schema.TimeColumn
}

func newChoices(options ...schema.Option) *choices {
	s := schema.New("Choices")
	var all []schema.Source
	for e := range uint16(4) {
		all = append(all, schema.Source{Element: e + 1})
	}
	options = append(options, schema.From(all...))
	return &choices{
		Schema: s, small: s.Uint32("small", 1, options...), large: s.Uint64("large", 2, options...),
		fixed: s.Fixed64("fixed", 3, options...), present: s.Uint64("present", 4, append(options, schema.CountZero)...),
		signed: s.Int64("signed", 5, options...), name: s.String("name", 6, options...), raw: s.Bytes("raw", 7, options...),
		when: s.Timestamp("when", 8, schema.Millis, options...),
	}
}

// set sets all columns from the values of the sources, in the order of the sources. It is a slow reading of the rule.
func (c *choices) set(r *schema.Record, values [][]byte, explicit bool) {
	if len(values) == 0 {
		return
	}
	chosen := values[0]
	for _, v := range values {
		if len(bytes.Trim(v, "\x00")) > 0 {
			chosen = v
			break
		}
	}
	number := func(b []byte) (v uint64) {
		for _, c := range b {
			v = v<<8 | uint64(c)
		}
		return v
	}
	v, unused := number(chosen), 64-8*len(chosen)
	if v != 0 || explicit {
		r.Uint(c.small, v)
		r.Uint(c.large, v)
		r.Uint(c.fixed, v)
	}
	if first := number(values[0]); first != 0 || explicit {
		r.Uint(c.present, first)
	}
	if v != 0 || explicit {
		r.Int(c.signed, int64(v<<unused)>>unused)
	}
	if text := bytes.TrimRight(chosen, "\x00"); len(text) > 0 || explicit {
		r.String(c.name, string(text))
	}
	r.Bytes(c.raw, chosen)
	if v != 0 || explicit {
		r.Time(c.when, timeOf(v))
	}
}

// Of several sources the first that is not zero fills a column, whatever its shape, the order of the fields and their
// lengths.
func TestOfSeveralSourcesTheFirstThatIsNotZeroFillsAColumn(t *testing.T) {
	for name, options := range map[string][]schema.Option{
		"plain": nil, "first": {schema.KeepFirst}, "deferred": {schema.Deferred}, "optional": {schema.Optional},
	} {
		random := rand.New(rand.NewPCG(1, 9))
		s := newChoices(options...)
		plan := schematest.Compile(t, s.Schema)
		for round := range 4000 {
			var fields []template.Field
			for _, i := range random.Perm(4)[:1+random.IntN(4)] {
				f := element(uint16(1+i), uint16(1+random.IntN(7)))
				if round%3 == 0 && random.IntN(3) == 0 {
					f.Length = template.VariableLength
				}
				fields = append(fields, f)
				if random.IntN(3) == 0 {
					fields = append(fields, element(f.Element, 3), element(99, 2)) // a second one of the element, a stranger
				}
			}
			bound := bind(t, plan, fields...)
			var set []byte
			first := map[uint16][]byte{}
			for _, f := range fields {
				value := make([]byte, f.Length)
				if f.Length == template.VariableLength {
					value = make([]byte, 1+random.IntN(7))
					set = append(set, byte(len(value)))
				}
				if random.IntN(2) == 0 {
					for i := range value {
						value[i] = byte(random.IntN(2) * random.IntN(128))
					}
				}
				if first[f.Element] == nil {
					first[f.Element] = value
				}
				set = append(set, value...)
			}
			var values [][]byte
			for e := range uint16(4) {
				if v := first[e+1]; v != nil {
					values = append(values, v)
				}
			}
			want, got := plan.NewRecord(), plan.NewRecord()
			s.set(want, values, name == "optional")
			if n, err := bound.AppendRecord(got, set, template.Clock{}); err != nil || n != len(set) {
				t.Fatal(n, err)
			}
			direct, _, err := bound.Append(nil, set, template.Clock{})
			if err != nil || sorted(t, got.Encoded()) != sorted(t, want.Encoded()) || sorted(t, direct) != sorted(t, want.Encoded()) {
				t.Fatalf("%s: %v of %x:\n%x and\n%x instead of\n%x, %v", name, fields, set, got.Encoded(), direct, want.Encoded(), err)
			}
			if bound.AllMisfits() != want.AllMisfits() {
				t.Fatalf("%s: %v of %x: %d misfits instead of %d", name, fields, set, bound.AllMisfits(), want.AllMisfits())
			}
		}
	}
}

// Fields may have other names, and octets names of their own; variants of a template share its counters.
func TestFieldsHaveFurtherNames(t *testing.T) {
	s := schema.New("Flow")
	high := s.Uint32("high", 1, schema.From(schema.Source{Element: 176}))
	low := s.Uint32("low", 2, schema.From(schema.Source{Element: 177}))
	whole := s.Uint32("whole", 3, schema.From(schema.Source{Element: 32}, schema.Source{Enterprise: 7, Element: 32}))
	plan := schematest.Compile(t, s)
	views := []template.View{
		{Field: 1, Octet: 2, Source: schema.Source{Element: 176}}, {Field: 1, Octet: 1, Source: schema.Source{Element: 177}},
	}
	for _, c := range []struct {
		length uint16
		data   string
		want   [3]uint64
		misfit uint64
	}{
		{1, "05", [3]uint64{0, 5, 5}, 0},
		{2, "0305", [3]uint64{3, 5, 0x305}, 0},
		{4, "00000305", [3]uint64{3, 5, 0x305}, 0},
		{4, "00010305", [3]uint64{0, 0, 0x10305}, 2},
		{template.VariableLength, "020305", [3]uint64{3, 5, 0x305}, 0},
		{template.VariableLength, "0105", [3]uint64{0, 5, 5}, 0},
		{template.VariableLength, "00", [3]uint64{0, 0, 0}, 0},
	} {
		fields := []template.Field{element(99, 1), element(32, c.length), element(99, 1)}
		plainly, refused, err := template.BindFitting(plan, fields)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		named, err := plainly.Variant(fields, template.Names{Views: views})
		if err != nil {
			t.Fatal(err)
		}
		hidden, err := plainly.Variant(fields, template.Names{Hidden: []int{1}, Views: []template.View{{Field: 1, Source: schema.Source{Enterprise: 7, Element: 32}}}})
		if err != nil {
			t.Fatal(err)
		}
		none, err := plainly.Variant(fields, template.Names{Skip: func(_ *schema.Column, s schema.Source) bool { return s.Element == 32 }})
		if err != nil {
			t.Fatal(err)
		}
		data := bytesOf(t, "ff "+c.data+" ff")
		for bound, want := range map[*template.Template][3]uint64{plainly: {0, 0, c.want[2]}, named: c.want, hidden: {0, 0, c.want[2]}, none: {}} {
			r := plan.NewRecord()
			for i, h := range []schema.UintColumn{high, low, whole} {
				if want[i] > 0 {
					r.Uint(h, want[i])
				}
			}
			got, n, err := bound.Append(nil, data, template.Clock{})
			if err != nil || n != len(data) || sorted(t, got) != sorted(t, r.Encoded()) {
				t.Errorf("%s in %d bytes: %x instead of %x (%v)", c.data, c.length, got, r.Encoded(), err)
			}
		}
		if plainly.AllMisfits() != c.misfit || named.AllMisfits() != c.misfit {
			t.Errorf("%s in %d bytes: %d misfits, and %d", c.data, c.length, plainly.AllMisfits(), named.AllMisfits())
		}
	}
}

func timeOf(millis uint64) time.Time { return time.UnixMilli(int64(millis)) }

// sorted is a message with its columns by number; of several values of a column the last one counts.
func sorted(t *testing.T, message []byte) string {
	t.Helper()
	values := map[uint64]string{}
	for d := wire.NewDecoder(message); d.More(); {
		number, _, err := d.DecodeTag()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := d.Skip()
		if err != nil {
			t.Fatal(err)
		}
		values[uint64(number)] = string(raw)
	}
	return fmt.Sprintf("%q", values)
}
