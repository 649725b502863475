package schema_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/wire"
)

// common is embedded.
type common struct {
	Int32  int32
	Sint32 int8
}

// bound has a field for each column of newColumns, and is written by setBound, too.
type bound struct {
	common
	Sint64    int64
	S32       int64 `hotpb:"sfixed32"`
	Uint32    uint64
	Fixed64   uint64
	Float     float32
	Double    float64
	Bool      bool
	Text      string
	Bytes     []byte
	Enum      int32
	Closed    int
	IP        netip.Addr
	MAC       net.HardwareAddr
	Time      time.Time
	WellKnown *time.Time
	Span      time.Duration
	inner     int    //lint:ignore U1000 a field that is not exported is none of the struct's columns
	Left      string `hotpb:"-"`
}

func (c *columns) setBound(r *schema.Record, v *bound) {
	r.Int(c.int32, int64(v.Int32))
	r.Int(c.sint32, int64(v.Sint32))
	r.Int(c.sint64, v.Sint64)
	r.Int(c.sfixed32, v.S32)
	r.Uint(c.uint32, v.Uint32)
	r.Uint(c.fixed64, v.Fixed64)
	r.Float(c.float, float64(v.Float))
	r.Float(c.double, v.Double)
	r.Bool(c.bool, v.Bool)
	r.String(c.text, v.Text)
	r.Bytes(c.bytes, v.Bytes)
	r.Enum(c.enum, v.Enum)
	r.Enum(c.closed, int32(v.Closed))
	r.IP(c.ip, v.IP)
	if len(v.MAC) == 6 {
		mac := uint64(0)
		for _, b := range v.MAC {
			mac = mac<<8 | uint64(b)
		}
		r.MAC(c.mac, mac)
	}
	if !v.Time.IsZero() {
		r.Time(c.time, v.Time)
	}
	if v.WellKnown != nil {
		r.Time(c.wellKnown, *v.WellKnown)
	}
	r.Duration(c.span, v.Span)
}

// random returns numbers of all lengths, zero among them.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 7))} }

func (r random) number() uint64 {
	if r.IntN(4) == 0 {
		return 0
	}
	return r.Uint64() >> r.IntN(64)
}

func (r random) text() []byte {
	b := make([]byte, r.IntN(2)*r.IntN(300))
	for i := range b {
		b[i] = byte(r.IntN(140)) // some are not UTF-8
	}
	return b
}

func (r random) addr() netip.Addr {
	if v := r.number(); v&1 == 0 {
		return netip.Addr{}
	} else if v&2 == 0 {
		return netip.AddrFrom4([4]byte{1, 2, byte(v >> 8), byte(v >> 16)})
	}
	return netip.AddrFrom16([16]byte{15: byte(r.Uint32())})
}

func (r random) bound() *bound {
	v := &bound{
		common: common{int32(r.number()), int8(r.number())}, Sint64: int64(r.number()), S32: int64(r.number()),
		Uint32: r.number(), Fixed64: r.number(), Float: float32(r.number()), Double: float64(r.number()), Bool: r.IntN(2) == 0,
		Text: string(r.text()), Bytes: r.text(), Enum: int32(r.number()), Closed: r.IntN(4), IP: r.addr(),
		Span: time.Duration(r.number()), Left: "left",
	}
	if r.IntN(2) == 0 {
		v.MAC = net.HardwareAddr{byte(r.number()), 0, 1, 2, 3, 4}
		v.Time = time.Unix(int64(r.number()>>30), 5)
		t := time.Unix(int64(r.number()>>30)-1, 77)
		v.WellKnown = &t
	}
	return v
}

// SCH-60.
func TestAStructIsWrittenAsWithHandles(t *testing.T) {
	for name, options := range map[string][]schema.Option{
		"implicit": nil, "dropping": {schema.OnMisfit(schema.Drop)}, "first": {schema.KeepFirst}, "deferred": {schema.Deferred},
	} {
		t.Run(name, func(t *testing.T) {
			c := newColumns(options...)
			plan := compile(t, c.Schema)
			b, err := schema.Bind[bound](plan)
			if err != nil {
				t.Fatal(err)
			}
			random := newRandom(1)
			handles, record := plan.NewRecord(), plan.NewRecord()
			for range 3000 {
				v := random.bound()
				if v.Closed != 2 {
					v.Closed = 0 // no value of the enum; a struct cannot leave it out
				}
				handles.Reset()
				c.setBound(handles, v)
				want := handles.Encoded()
				got, err := b.Append([]byte("before"), v)
				if err != nil || string(got[:6]) != "before" || !bytes.Equal(got[6:], want) {
					t.Fatalf("%+v: %x instead of %x (%v)", v, got[6:], want, err)
				}
				got, err = b.AppendDelimited(nil, v)
				if want := wire.AppendDelimited(nil, want); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%+v: %x instead of %x (%v)", v, got, want, err)
				}
				record.Reset()
				b.AppendRecord(record, v)
				if got := record.Encoded(); !bytes.Equal(got, want) {
					t.Fatalf("%+v: the record has %x instead of %x", v, got, want)
				}
			}
			for _, h := range []schema.Handle{c.sfixed32.Handle, c.uint32.Handle, c.text.Handle, c.closed.Handle} {
				if got, want := b.Misfits(h), handles.Misfits(h); got != 2*want || want == 0 {
					t.Errorf("counted %d misfits in two times %d", got, want)
				}
				if got, want := record.Misfits(h), handles.Misfits(h); got != want {
					t.Errorf("the record counted %d misfits instead of %d", got, want)
				}
			}
		})
	}
}

type label struct {
	Name  string
	Value *uint32
	Inner *label
}

type shapes struct {
	Plain    label
	Pointed  *label
	Group    *label
	Each     []label
	Pointers []*label
	Packed   []uint32
	Signed   []int8
	Spread   []uint64
	Texts    []string
	IPs      []netip.Addr
	Map      map[string]label
	Pairs    []pair
	IP4      [4]byte
	IP16     [16]byte
	Slice    net.IP
	Raw      int64 // a timestamp
	Maybe    *bool
}

type pair struct {
	Key   int32
	Value string
}

type shapeColumns struct {
	*schema.Schema
	name                  schema.StringColumn
	value                 schema.UintColumn
	inner                 schema.MessageColumn
	plain, pointed, group schema.MessageColumn
	each, pointers        schema.MessageList
	packed, spread        schema.UintList
	signed                schema.IntList
	texts                 schema.StringList
	ips                   schema.IPList
	labels, pairs         schema.MapColumn
	mapKey                schema.StringColumn
	mapValue              schema.MessageColumn
	pairKey               schema.IntColumn
	pairValue             schema.StringColumn
	ip4, ip16, slice      schema.IPColumn
	raw                   schema.TimeColumn
	optional              schema.BoolColumn
}

func newShapes() *shapeColumns {
	s := schema.New("Shapes")
	label := s.NewMessage("Label")
	c := &shapeColumns{Schema: s, name: label.String("name", 1), value: label.Uint32("value", 2, schema.Optional)}
	c.inner = label.Nested("inner", 3, label)
	c.plain, c.pointed, c.group = s.Nested("plain", 1, label), s.Nested("pointed", 2, label), s.Group("group", 3, label)
	c.each, c.pointers = s.NestedList("each", 4, label), s.NestedList("pointers", 5, label)
	c.packed, c.signed, c.spread = s.Uint32s("packed", 6), s.Sint32s("signed", 7), schema.UintList{Handle: s.Add(schema.Column{Name: "spread", Number: 8, Kind: wire.Fixed64, Repeated: true, Unpacked: true})}
	c.texts, c.ips = s.Strings("texts", 9), s.IPs("ips", 1000)
	c.labels = s.Map("map", 1001, func(e *schema.Message) {
		c.mapKey, c.mapValue = e.String("key", 1), e.Nested("value", 2, label)
	})
	c.pairs = s.Map("pairs", 1002, func(e *schema.Message) {
		c.pairKey, c.pairValue = e.Int32("key", 1), e.String("value", 2)
	})
	c.ip4, c.ip16, c.slice = s.IP("ip4", 1003), s.IP("ip16", 1004), s.IP("slice", 1005)
	c.raw, c.optional = s.Timestamp("raw", 1006, schema.Seconds), s.Bool("maybe", 1007)
	return c
}

func (c *shapeColumns) label(r *schema.Record, v *label) {
	r.String(c.name, v.Name)
	if v.Value != nil {
		r.Uint(c.value, uint64(*v.Value))
	}
	if v.Inner != nil && r.Begin(c.inner) {
		c.label(r, v.Inner)
		r.End()
	}
}

func (c *shapeColumns) set(r *schema.Record, v *shapes) {
	singular := func(h schema.MessageColumn, v *label) {
		if v != nil && r.Begin(h) {
			c.label(r, v)
			r.End()
		}
	}
	singular(c.plain, &v.Plain)
	singular(c.pointed, v.Pointed)
	singular(c.group, v.Group)
	for i := range v.Each {
		r.BeginItem(c.each)
		c.label(r, &v.Each[i])
		r.End()
	}
	for _, each := range v.Pointers {
		r.BeginItem(c.pointers)
		if each != nil {
			c.label(r, each)
		}
		r.End()
	}
	for _, n := range v.Packed {
		r.AddUint(c.packed, uint64(n))
	}
	for _, each := range v.Signed {
		r.AddInt(c.signed, int64(each))
	}
	r.AddUint(c.spread, v.Spread...)
	r.AddString(c.texts, v.Texts...)
	for _, each := range v.IPs {
		r.AddIP(c.ips, each)
	}
	for key, value := range v.Map {
		r.BeginEntry(c.labels)
		r.String(c.mapKey, key)
		singular(c.mapValue, &value)
		r.End()
	}
	for _, each := range v.Pairs {
		r.BeginEntry(c.pairs)
		r.Int(c.pairKey, int64(each.Key))
		r.String(c.pairValue, each.Value)
		r.End()
	}
	if v.IP4 != [4]byte{} {
		r.IP(c.ip4, netip.AddrFrom4(v.IP4))
	}
	if v.IP16 != [16]byte{} {
		r.IP(c.ip16, netip.AddrFrom16(v.IP16))
	}
	if a, ok := netip.AddrFromSlice(v.Slice); ok {
		r.IP(c.slice, a)
	}
	if v.Raw != 0 {
		r.Time(c.raw, time.Unix(v.Raw, 0))
	}
	if v.Maybe != nil {
		r.Bool(c.optional, *v.Maybe)
	}
}

func (r random) label(depth int) label {
	v := label{Name: strings.Repeat("n", r.IntN(2)*r.IntN(100))}
	if n := uint32(r.number()); n&1 == 0 {
		v.Value = &n
	}
	if depth < 4 && r.IntN(2) == 0 {
		inner := r.label(depth + 1)
		v.Inner = &inner
	}
	return v
}

func (r random) shapes() *shapes {
	v := &shapes{Plain: r.label(0), Raw: int64(r.number() >> 8)}
	if r.IntN(2) == 0 {
		l := r.label(0)
		v.Pointed, v.Group = &l, &l
		v.Slice = net.IP{1, 2, 3, byte(r.number())}
		truth := false
		v.Maybe = &truth
		v.Map = map[string]label{"one": l}
	}
	for range r.IntN(4) {
		l := r.label(0)
		v.Each = append(v.Each, l)
		v.Pointers = append(v.Pointers, &l, nil)
		v.Texts = append(v.Texts, "", l.Name)
		v.IPs = append(v.IPs, r.addr())
		v.Pairs = append(v.Pairs, pair{int32(r.number()), l.Name})
		v.IP4[0], v.IP16[3] = byte(r.number()), byte(r.number())
	}
	for range r.IntN(100) {
		v.Packed = append(v.Packed, uint32(r.number()))
		v.Signed = append(v.Signed, int8(r.number()))
		v.Spread = append(v.Spread, r.number())
	}
	return v
}

func TestStructsInStructsAndSlices(t *testing.T) {
	c := newShapes()
	plan := compile(t, c.Schema)
	b, err := schema.Bind[shapes](plan)
	if err != nil {
		t.Fatal(err)
	}
	random := newRandom(2)
	handles, record := plan.NewRecord(), plan.NewRecord()
	for range 3000 {
		v := random.shapes()
		handles.Reset()
		c.set(handles, v)
		want := handles.Encoded()
		got, err := b.Append(nil, v)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%+v: %x instead of %x (%v)", v, got, want, err)
		}
		record.Reset()
		b.AppendRecord(record, v)
		if got := record.Encoded(); !bytes.Equal(got, want) {
			t.Fatalf("%+v: the record has %x instead of %x", v, got, want)
		}
	}
}

func TestABindingAllocatesNothingAndIsForAllGoroutines(t *testing.T) {
	c := newShapes()
	plan := compile(t, c.Schema)
	b, err := schema.Bind[shapes](plan)
	if err != nil {
		t.Fatal(err)
	}
	random := newRandom(3)
	values := make([]*shapes, 20)
	want := make([][]byte, len(values))
	for i := range values {
		values[i] = random.shapes()
	}
	buffer := make([]byte, 0, 1<<20)
	record := plan.NewRecord()
	allocated := testing.AllocsPerRun(20, func() {
		for _, v := range values {
			buffer, _ = b.AppendDelimited(buffer[:0], v)
			buffer, _ = b.Append(buffer[:0], v)
			record.Reset()
			b.AppendRecord(record, v)
		}
	})
	if allocated >= 1 && !schematest.WithDetector {
		t.Errorf("%v allocations", allocated)
	}
	for i, v := range values {
		want[i], _ = b.AppendDelimited(nil, v)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 20 {
				for i, v := range values {
					if got, err := b.AppendDelimited(nil, v); err != nil || !bytes.Equal(got, want[i]) {
						t.Errorf("%x instead of %x (%v)", got, want[i], err)
					}
				}
			}
		}()
	}
	all.Wait()
}

func TestABindingAndHandlesMixInARecord(t *testing.T) {
	s := schema.New("Flow")
	bytesSeen, port := s.Uint64("bytes", 1), s.Uint32("port", 2, schema.KeepFirst)
	country := s.String("country", 3, schema.Deferred)
	plan := compile(t, s)
	b, err := schema.Bind[struct {
		Bytes   uint64
		Port    uint16
		Country string
	}](plan)
	if err != nil {
		t.Fatal(err)
	}
	v := struct {
		Bytes   uint64
		Port    uint16
		Country string
	}{7, 443, "FR"}
	r := plan.NewRecord()
	for _, zero := range []bool{false, true} {
		r.Reset()
		r.Uint(port, 80)
		b.AppendRecord(r, &v)
		r.Uint(port, 8080)
		if got, ok := r.GetString(country); !ok || got != "FR" {
			t.Errorf("the deferred column is %q, %v", got, ok)
		}
		r.String(country, "DE")
		want := "1050" + "0807"
		if zero {
			r.Uint(bytesSeen, 0) // takes the seven back
			want += "0800"
		}
		expect(t, r, want+"1a024445")
	}

	foreign := compile(t, schema.New("Flow")).NewRecord()
	if b.AppendRecord(foreign, &v); !errors.Is(foreign.Err(), wire.HandleMisuse) {
		t.Errorf("a record of another plan: %v", foreign.Err())
	}
}

func TestARefusedValueIsTheError(t *testing.T) {
	s := schema.New("M")
	a, _ := s.Uint32("a", 1, schema.OnMisfit(schema.Refuse)), s.Uint32("b", 2, schema.OnMisfit(schema.Mask))
	b, err := schema.Bind[struct{ A, B uint64 }](compile(t, s))
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Append(nil, &struct{ A, B uint64 }{1 << 32, 1<<32 | 5})
	if got := hex.EncodeToString(out); !errors.Is(err, wire.TypeMismatch) || !strings.Contains(err.Error(), "a: is out of range") || got != "1005" {
		t.Errorf("%s, %v", got, err)
	}
	if b.Misfits(a.Handle) != 1 {
		t.Errorf("%d misfits", b.Misfits(a.Handle))
	}
}

func TestAStructThatContainsItselfEnds(t *testing.T) {
	c := newShapes()
	b, err := schema.Bind[struct{ Pointed *label }](compile(t, c.Schema))
	if err != nil {
		t.Fatal(err)
	}
	endless := &label{Name: "n"}
	endless.Inner = endless
	out, err := b.Append(nil, &struct{ Pointed *label }{endless})
	if !errors.Is(err, wire.DepthExceeded) {
		t.Errorf("%v after %d bytes", err, len(out))
	}
}

func TestWhatDoesNotFitIsRefusedWhenBound(t *testing.T) {
	s := schema.New("M")
	s.Uint32("count", 1)
	s.String("name", 2)
	s.IP("addr", 3)
	s.Timestamp("at", 4, schema.Millis)
	s.Uint32s("list", 5)
	s.MAC("mac", 6, schema.Disabled)
	inner := s.NewMessage("Inner")
	inner.Bool("ok", 1)
	s.Nested("inner", 7, inner)
	s.Int32("a_b", 8)
	s.Int32("ab", 9)
	plan := compile(t, s)
	bind := func(_ any, err error) error { return err }
	for want, err := range map[string]error{
		"Count: a int32 does not fit the column M.count: it holds unsigned numbers": bind(schema.Bind[struct{ Count int32 }](plan)),
		"Name: a int does not fit the column M.name: it holds strings or bytes":     bind(schema.Bind[struct{ Name int }](plan)),
		"Addr: a string does not fit the column M.addr":                             bind(schema.Bind[struct{ Addr string }](plan)),
		"At: a time.Duration does not fit the column M.at: it accepts time.Time":    bind(schema.Bind[struct{ At time.Duration }](plan)),
		"List: a uint32 does not fit the column M.list: it is repeated":             bind(schema.Bind[struct{ List uint32 }](plan)),
		"MAC: a string does not fit the column M.mac":                               bind(schema.Bind[struct{ MAC string }](plan)),
		"Inner: a time.Time does not fit the column M.inner":                        bind(schema.Bind[struct{ Inner time.Time }](plan)),
		".Ok: a int does not fit the column Inner.ok: it holds bools":               bind(schema.Bind[struct{ Inner struct{ Ok int } }](plan)),
		"Other: M has no such column":                                               bind(schema.Bind[struct{ Other int }](plan)),
		"A: M has no column other": bind(schema.Bind[struct {
			A int `hotpb:"other"`
		}](plan)),
		"count: is not exported": bind(schema.Bind[struct {
			count uint32 `hotpb:"count"`
		}](plan)),
		"A_B: may be the column a_b or ab": bind(schema.Bind[struct{ A_B int32 }](plan)),
		"is not a struct":                  bind(schema.Bind[int](plan)),
		"has no field for a column of M":   bind(schema.Bind[struct{}](plan)),
		"is already filled by struct { Count uint32; C uint32 \"hotpb:\\\"count\\\"\" }.Count": bind(schema.Bind[struct {
			Count uint32
			C     uint32 `hotpb:"count"`
		}](plan)),
	} {
		if !errors.Is(err, wire.TypeMismatch) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

func BenchmarkBindingOfAFlow(b *testing.B) {
	s := schema.New("Flow")
	s.Uint64("time", 1)
	s.IP("src", 2)
	s.IP("dst", 3)
	for i, name := range strings.Fields("bytes packets sport dport proto sas das inif outif etype tos") {
		s.Uint32(name, uint32(4+i))
	}
	plan, err := s.Compile()
	if err != nil {
		b.Fatal(err)
	}
	type flow struct {
		Time                                         uint64
		Src, Dst                                     [16]byte
		Bytes, Packets, SAS, DAS, InIf, OutIf, Etype uint32
		Sport, Dport                                 uint16
		Proto, Tos                                   uint8
	}
	binding, err := schema.Bind[flow](plan)
	if err != nil {
		b.Fatal(err)
	}
	v := flow{1700000000, [16]byte{15: 1}, [16]byte{15: 2}, 150000, 100, 65001, 65002, 10, 300, 0x800, 443, 51234, 6, 8}
	out := make([]byte, 0, 1000)
	for b.Loop() {
		out, _ = binding.AppendDelimited(out[:0], &v)
	}
}
