package template_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/schema/template"
)

// IANA's elements of the types dateTimeSeconds, dateTimeMilliseconds, dateTimeMicroseconds and dateTimeNanoseconds; the last
// two have the format of NTP (RFC 7011, section 6.1).
func TestEachElementHasTheTimeOfItsType(t *testing.T) {
	at := time.Unix(1_700_000_000, 5e8)
	for _, c := range []struct {
		elements []uint16
		data     string
		want     time.Time
	}{
		{[]uint16{150, 151, 260, 261, 264, 265, 322}, "6553f100", at.Truncate(time.Second)},
		{[]uint16{152, 153, 160, 258, 269, 272, 323, 359, 360}, fmt.Sprintf("%016x", at.UnixMilli()), at},
		{[]uint16{154, 155, 268, 271, 324}, "e8fe6f80 80000fff", at},
		{[]uint16{156, 157, 270, 273, 325}, "e8fe6f80 80000000", at},
	} {
		for _, number := range c.elements {
			s := schema.New("Times")
			column := s.Timestamp("at", 1, schema.Micros, schema.From(schema.Source{Element: number}))
			plan := schematest.Compile(t, s)
			data := bytesOf(t, c.data)
			r := plan.NewRecord()
			r.Time(column, c.want)
			got, _, err := bind(t, plan, element(number, uint16(len(data)))).Append(nil, data, template.Clock{})
			if err != nil || !bytes.Equal(got, r.Encoded()) {
				t.Errorf("element %d: %x instead of %x, %v", number, got, r.Encoded(), err)
			}
		}
	}
}

// Elements 21, 22, 158 and 159 are numbers, which an exporter may send with fewer bytes than they have (RFC 7011, section 6.2).
func TestRelativeTimesMayBeShort(t *testing.T) {
	clock := template.NetFlowClock(1_700_000_000, 100_000)
	for number, want := range map[uint16]time.Time{
		21: clock.Boot.Add(5 * time.Millisecond), 22: clock.Boot.Add(5 * time.Millisecond),
		158: clock.Export.Add(-5 * time.Microsecond), 159: clock.Export.Add(-5 * time.Microsecond),
	} {
		for _, unit := range []schema.Unit{schema.Millis, schema.Nanos, schema.WellKnown} {
			s := schema.New("Times")
			column := s.Timestamp("at", 1, unit, schema.From(schema.Source{Element: number}))
			plan := schematest.Compile(t, s)
			r := plan.NewRecord()
			r.Time(column, want)
			for _, size := range []int{1, 2, 3, 4, 5, 8} {
				data := append(make([]byte, size-1), 5)
				got, _, err := bind(t, plan, element(number, uint16(size))).Append(nil, data, clock)
				if err != nil || !bytes.Equal(got, r.Encoded()) {
					t.Errorf("element %d of %d bytes: %x instead of %x, %v", number, size, got, r.Encoded(), err)
				}
			}
			for _, size := range []uint16{0, 9} {
				if _, err := template.Bind(plan, []template.Field{element(number, size)}); err == nil {
					t.Errorf("element %d of %d bytes was bound", number, size)
				}
			}
		}
	}
}

// Times that a column's unit cannot hold are none, and no other ones.
func TestTimesBeyondAColumnsUnitAreNone(t *testing.T) {
	for _, unit := range []schema.Unit{schema.Millis, schema.Micros, schema.Nanos} {
		s := schema.New("Times")
		column := s.Timestamp("at", 1, unit, schema.From(schema.Source{Element: 152}), schema.OnMisfit(schema.Drop))
		plan := schematest.Compile(t, s)
		bound := bind(t, plan, element(152, 8))
		for _, millis := range []uint64{1 << 40, 1<<63 - 1, 1 << 62, 1 << 54, 1 << 53} {
			r := plan.NewRecord()
			per := int64(map[schema.Unit]int{schema.Millis: 1, schema.Micros: 1e3, schema.Nanos: 1e6}[unit])
			if n := int64(millis); n*per/per == n {
				r.Time(column, time.UnixMilli(n))
				if len(r.Encoded()) == 0 {
					t.Errorf("%d ms in unit %d: none", millis, unit)
				}
			}
			got, _, _ := bound.Append(nil, binary.BigEndian.AppendUint64(nil, millis), template.Clock{})
			if !bytes.Equal(got, r.Encoded()) {
				t.Errorf("%d ms in unit %d: %x instead of %x", millis, unit, got, r.Encoded())
			}
			late := plan.NewRecord()
			late.Time(column, time.UnixMilli(int64(millis)))
			if !bytes.Equal(late.Encoded(), r.Encoded()) {
				t.Errorf("%d ms in unit %d with a handle: %x instead of %x", millis, unit, late.Encoded(), r.Encoded())
			}
		}
	}
}
