package schema_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// The columns of the article are a table here, too: each field of its Column is a field here, or needs none.
func TestTheColumnsOfTheArticle(t *testing.T) {
	s := schema.New("FlowMessage", schema.Package("flows"))
	boundary := s.AddEnum(schema.Enum{Name: "flows.Boundary", Values: []schema.EnumValue{{Name: "UNDEFINED"}, {Name: "EXTERNAL", Number: 1}}})
	for _, c := range []schema.Column{
		{Name: "TimeReceived", Number: 1, Kind: wire.Uint64, ClickHouse: "DateTime CODEC(DoubleDelta, LZ4)"},
		{Name: "SrcAddr", Number: 2, Kind: wire.Bytes, Logical: schema.IP},
		{Name: "SrcAS", Number: 3, Kind: wire.Uint32, KeepFirst: true, Deferred: true},
		{Name: "SrcMAC", Number: 4, Kind: wire.Uint64, Logical: schema.MAC, Disabled: true, Group: "l2"},
		{Name: "InIfBoundary", Number: 5, Kind: wire.Enum, Enum: boundary},
		{Name: "DstASPath", Number: 6, Kind: wire.Uint32, Repeated: true},
	} {
		s.Add(c)
	}
	plan := compile(t, s)

	// A key is a handle, found by its name; another kind of value has another type of handle.
	as, err := schema.Lookup[schema.UintColumn](s.Message, "SrcAS")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := schema.Lookup[schema.StringColumn](s.Message, "SrcAS"); !errors.Is(err, wire.TypeMismatch) {
		t.Errorf("a handle of another kind: %v", err)
	}
	// The message has the enum, the list, and no column that is off; numbers are those of the definition.
	text, err := plan.Proto()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"enum Boundary {", "Boundary InIfBoundary = 5;", "repeated uint32 DstASPath = 6;", "bytes SrcAddr = 2;", "uint32 SrcAS = 3;"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	if strings.Contains(text, "SrcMAC = 4;") {
		t.Errorf("a column that is off is in\n%s", text)
	}
	// Columns that users must not switch off, a program switches on after them.
	on := compile(t, s, schema.OnGroup("l2"), schema.Off("Src*"), schema.On("SrcAS"))
	r := on.NewRecord()
	mac, err := schema.Lookup[schema.MACColumn](s.Message, "SrcMAC")
	if err != nil {
		t.Fatal(err)
	}
	r.MAC(mac, 1)
	r.Uint(as, 64500)
	r.Uint(as, 64501) // the first counts
	expect(t, r, "18f4f703")
	// The length needs no reserved bytes, and the message no capacity: the buffer is the caller's.
	r.Reset()
	r.Uint(as, 64500)
	if out, err := r.AppendDelimited([]byte{0xff}); err != nil || hex.EncodeToString(out) != "ff0418f4f703" {
		t.Errorf("%x, %v", out, err)
	}
}
