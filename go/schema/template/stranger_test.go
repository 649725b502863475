package template_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/schema/template"
)

func TestTheMessagesOfASetBeginWithThePrefix(t *testing.T) {
	s := newExported()
	plan := schematest.Compile(t, s.Schema)
	bound := bind(t, plan, element(1, 4), element(11, template.VariableLength))
	set := append(bytesOf(t, "00000005 03616263 00000006 c8"), bytes.Repeat([]byte{'x'}, 200)...) // lengths of one byte and of two
	for _, size := range []int{0, 1, 30, 114, 115, 116, 300} {
		r := plan.NewRecord()
		r.Uint(s.small, 99)
		r.Bytes(s.raw, bytes.Repeat([]byte{'p'}, size))
		prefix := bytes.Clone(r.Encoded())
		var want []byte
		for _, f := range []struct {
			number uint64
			raw    []byte
		}{{5, []byte("abc")}, {6, bytes.Repeat([]byte{'x'}, 200)}} {
			r.Reset()
			r.Uint(s.small, 99)
			r.Bytes(s.raw, bytes.Repeat([]byte{'p'}, size))
			r.Uint(s.small, f.number)
			r.Bytes(s.raw, f.raw)
			want, _ = r.AppendDelimited(want)
		}
		for range 2 { // the second time with another guess of the length
			got, records, err := bound.AppendSetAfter([]byte("before"), prefix, set, template.Clock{})
			if err != nil || records != 2 || !bytes.Equal(got[6:], want) {
				t.Fatalf("prefix of %d bytes: %x instead of %x (%d records, %v)", len(prefix), got[6:], want, records, err)
			}
		}
		got, records, err := bound.AppendSetAfter([]byte("before"), prefix, set[:len(set)-1], template.Clock{})
		if first := want[:len(got)-6]; err == nil || records != 1 || !bytes.Equal(got[6:], first) {
			t.Fatalf("prefix of %d bytes, set cut off: %x instead of %x (%d records, %v)", len(prefix), got[6:], first, records, err)
		}
	}
}

func TestAFieldThatDoesNotFitIsPassedOver(t *testing.T) {
	s := schema.New("Flow")
	from := func(elements ...uint16) schema.Option {
		var sources []schema.Source
		for _, e := range elements {
			sources = append(sources, schema.Source{Element: e})
		}
		return schema.From(sources...)
	}
	number, address := s.Uint64("number", 1, from(1, 85)), s.IP("address", 2, from(8))
	plan := schematest.Compile(t, s)
	bound, refused, err := template.BindFitting(plan, []template.Field{element(1, 9), element(8, 5), element(85, 1)})
	if err != nil || len(refused) != 2 {
		t.Fatalf("refused %v, %v", refused, err)
	}
	r := plan.NewRecord()
	r.Uint(number, 7)
	if got, n, err := bound.Append(nil, append(make([]byte, 14), 7), template.Clock{}); err != nil || n != 15 || !bytes.Equal(got, r.Encoded()) {
		t.Errorf("%x instead of %x (%d bytes, %v); %v", got, r.Encoded(), n, err, address)
	}
	if _, _, err := template.BindFitting(plan, nil); err == nil {
		t.Error("a template without bytes is bound")
	}
}

func TestMisfitsOfAllColumnsAreCountedTogether(t *testing.T) {
	s := newExported()
	plan := schematest.Compile(t, s.Schema)
	bound := bind(t, plan, element(1, 8), element(22, 4), element(82, 2))
	record := bytesOf(t, "ffffffffffffffff 00000001 ffff")
	r := plan.NewRecord()
	for range 2 {
		if _, _, err := bound.Append(nil, record, template.Clock{}); err != nil {
			t.Fatal(err)
		}
		r.Reset()
		if _, err := bound.AppendRecord(r, record, template.Clock{}); err != nil {
			t.Fatal(err)
		}
	}
	if bound.AllMisfits() != 6 || r.AllMisfits() != 6 {
		t.Errorf("%d and %d misfits", bound.AllMisfits(), r.AllMisfits())
	}
}

// The milliseconds since an exporter was started have 32 bits, which are over after 49 days.
func TestUptimesAreTheOnesNearestToTheExport(t *testing.T) {
	s := newExported()
	plan := schematest.Compile(t, s.Schema)
	bound := bind(t, plan, element(22, 4))
	export := time.Unix(1_700_000_000, 0)
	const turn = 1 << 32 * time.Millisecond
	for _, c := range []struct {
		uptime time.Duration
		field  string
		want   time.Duration // from the export
	}{
		{5 * time.Minute, "00000001", time.Millisecond - 5*time.Minute},
		{time.Second, "fffffff6", -1010 * time.Millisecond},                // begun before the turn, exported after it
		{turn - time.Second, "0000000a", 1010 * time.Millisecond},          // the other way round
		{5*turn + time.Second, "00000001", time.Millisecond - time.Second}, // the start is known from elsewhere
		{5*turn + time.Second, "fffffff6", -1010 * time.Millisecond},
	} {
		r := plan.NewRecord()
		r.Time(s.first, export.Add(c.want))
		got, _, err := bound.Append(nil, bytesOf(t, c.field), template.Clock{Boot: export.Add(-c.uptime), Export: export})
		if err != nil || !bytes.Equal(got, r.Encoded()) {
			t.Errorf("running for %v, %s: %x instead of %x, %v", c.uptime, c.field, got, r.Encoded(), err)
		}
	}
}

// The usual times are read in another way than the unusual ones. It makes no difference.
func TestTimesAreWrittenAsWithHandles(t *testing.T) {
	s := schema.New("Times")
	from := func(elements ...uint16) schema.Option {
		var sources []schema.Source
		for _, e := range elements {
			sources = append(sources, schema.Source{Element: e})
		}
		return schema.From(sources...)
	}
	columns := []schema.TimeColumn{
		s.Timestamp("millis", 1, schema.Millis, from(22)), s.Timestamp("nanos", 2, schema.Nanos, from(22)),
		s.Timestamp("late", 3, schema.Millis, from(22), schema.Deferred),
	}
	unix := []schema.TimeColumn{
		s.Timestamp("u_seconds", 11, schema.Seconds, from(150)), s.Timestamp("u_millis", 12, schema.Millis, from(152)),
		s.Timestamp("u_cross", 13, schema.Seconds, from(152)), s.Timestamp("u_other", 14, schema.Nanos, from(150)),
	}
	plan := schematest.Compile(t, s)
	bound := bind(t, plan, element(22, 4), element(150, 4), element(152, 8))
	random := rand.New(rand.NewPCG(22, 7))
	got, want := plan.NewRecord(), plan.NewRecord()
	for range 5000 {
		uptime := time.Duration(random.Uint64()>>(22+random.IntN(12))) * time.Microsecond
		if random.IntN(4) == 0 { // about where it is another turn
			uptime = time.Duration(1<<31-5+random.IntN(10))*time.Millisecond + time.Duration(random.IntN(2000))*time.Microsecond
		}
		clock := template.Clock{Export: time.Unix(1_700_000_000, int64(random.IntN(1e9)))}
		clock.Boot = clock.Export.Add(-uptime)
		if random.IntN(8) == 0 {
			clock.Export = time.Time{}
		}
		if random.IntN(8) == 0 {
			clock.Boot = time.Time{}
		}
		v := uint32(random.Uint64() >> (32 + random.IntN(32)))
		seconds, millis := uint32(random.Uint64()>>(32+random.IntN(33))), random.Uint64()>>(15+random.IntN(50))
		data := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, v), seconds), millis)
		want.Reset()
		if !clock.Boot.IsZero() {
			at := clock.Boot.Add(time.Duration(v) * time.Millisecond)
			if !clock.Export.IsZero() {
				at = at.Add(clock.Export.Sub(at).Round(1 << 32 * time.Millisecond))
			}
			for _, c := range columns {
				want.Time(c, at)
			}
		}
		for i, at := range []time.Time{time.Unix(int64(seconds), 0), time.UnixMilli(int64(millis)), time.UnixMilli(int64(millis)), time.Unix(int64(seconds), 0)} {
			if zero := seconds == 0 && i%3 == 0 || millis == 0 && i%3 != 0; !zero {
				want.Time(unix[i], at)
			}
		}
		got.Reset()
		if _, err := bound.AppendRecord(got, data, clock); err != nil {
			t.Fatal(err)
		}
		direct, _, err := bound.Append(nil, data, clock)
		if err != nil {
			t.Fatal(err)
		}
		decoded := plan.NewRow()
		if err := decoded.Unmarshal(direct); err != nil {
			t.Fatal(err)
		}
		wanted := bytes.Clone(want.Encoded())
		if !bytes.Equal(got.Encoded(), wanted) {
			t.Fatalf("%x, clock %v: %x instead of %x", data, clock, got.Encoded(), wanted)
		}
		row := plan.NewRow()
		if err := row.Unmarshal(wanted); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(decoded.Append(nil), row.Append(nil)) {
			t.Fatalf("%x, clock %v: at once %x instead of %x", data, clock, direct, wanted)
		}
	}
}

// Exporters of IPv4 and IPv6 with one template leave one of two addresses empty.
func TestOfSeveralAddressesTheFirstThatIsNotZeroIsTaken(t *testing.T) {
	s := schema.New("Flow")
	address := s.IP("address", 1, schema.From(schema.Source{Element: 8}, schema.Source{Element: 27}))
	text := s.String("text", 2, schema.From(schema.Source{Element: 82}))
	plan := schematest.Compile(t, s)
	none4, none6, four, six := make([]byte, 4), make([]byte, 16), []byte{192, 0, 2, 1}, append([]byte{0x20, 1}, make([]byte, 14)...)
	for _, c := range []struct{ four, six, want []byte }{{four, six, four}, {four, none6, four}, {none4, six, six}, {none4, none6, none4}} {
		r := plan.NewRecord()
		want, _ := netip.AddrFromSlice(c.want)
		if !want.IsUnspecified() {
			r.IP(address, want)
		}
		r.String(text, "a")
		a, b, v := element(8, 4), element(27, 16), element(82, template.VariableLength)
		varying := element(27, template.VariableLength)
		for _, layout := range []struct {
			fields []template.Field
			data   [][]byte
		}{
			{[]template.Field{a, b, element(82, 1)}, [][]byte{c.four, c.six, {'a'}}},
			{[]template.Field{b, a, element(82, 1)}, [][]byte{c.six, c.four, {'a'}}},
			{[]template.Field{element(99, 3), a, element(99, 2), b, v}, [][]byte{{1, 2, 3}, c.four, {4, 5}, c.six, {1, 'a'}}},
			{[]template.Field{b, element(99, template.VariableLength), element(99, 1), varying, a, element(82, 1)},
				[][]byte{c.six, {255, 0, 2, 1, 2}, {3}, {1, 4}, c.four, {'a'}}}, // the second of an element is skipped
			{[]template.Field{a, varying, v}, [][]byte{c.four, {16}, c.six, {1, 'a'}}},
		} {
			bound, refused, err := template.BindFitting(plan, layout.fields)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			data := bytes.Join(layout.data, nil)
			got, n, err := bound.Append(nil, data, template.Clock{})
			kept := plan.NewRecord()
			if _, wrong := bound.AppendRecord(kept, data, template.Clock{}); wrong != nil {
				t.Fatal(wrong)
			}
			if err != nil || n != len(data) || !sameColumns(got, r.Encoded()) || !sameColumns(kept.Encoded(), r.Encoded()) {
				t.Errorf("%+v: %x and %x instead of %x (%d bytes of %d, %v)", layout.fields, got, kept.Encoded(), r.Encoded(), n, len(data), err)
			}
		}
	}
}

// sameColumns reports whether two messages have the same two columns, in whatever order.
func sameColumns(a, b []byte) bool {
	const text = "\x12\x01a"
	cut := func(m []byte) string { return strings.Replace(string(m), text, "", 1) }
	return len(a) == len(b) && cut(a) == cut(b)
}
