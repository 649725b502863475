package schema_test

import (
	"encoding/hex"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

type boundary int8

func (boundary) EnumValues() []schema.EnumValue {
	return []schema.EnumValue{{Name: "UNDEFINED"}, {Name: "EXTERNAL", Number: 1}}
}

type taggedLabel struct {
	Name  string       `hotpb:"name,1,,utf8"`
	Inner *taggedLabel `hotpb:"inner,2"`
}

type taggedCounts struct {
	Bytes   uint64  `hotpb:"bytes,9,fixed64,from=1"`
	Packets *uint32 `hotpb:"packets,10"`
}

type taggedFlow struct {
	taggedCounts
	Src     netip.Addr        `hotpb:"src_addr,5,,from=8,from=27"`
	Start   time.Time         `hotpb:"start,11,,millis,from=9/22"`
	Took    time.Duration     `hotpb:"took,12,,wellknown"`
	Country string            `hotpb:"country,13,,deferred,group=geo"`
	Labels  []taggedLabel     `hotpb:"labels,14"`
	Path    []uint32          `hotpb:"path,15,,unpacked"`
	Side    boundary          `hotpb:"side,16"`
	MAC     [6]byte           `hotpb:"mac,17,,disabled"`
	Tags    map[string]uint16 `hotpb:"tags,18"`
	Delta   int               `hotpb:"delta,19,sint32,refuse"`
	Nested  struct {
		On bool `hotpb:"on,1"`
	} `hotpb:"nested,20,group"`
	One  *string `hotpb:"one,21,,oneof=choice"`
	Two  *[]byte `hotpb:"two,22,,oneof=choice"`
	Left any     `hotpb:"-"`
}

func TestTagsMakeASchema(t *testing.T) {
	s, err := schema.FromStruct[taggedFlow]("Flow", schema.Package("flows"))
	if err != nil {
		t.Fatal(err)
	}
	plan := compile(t, s)
	b, err := schema.Bind[taggedFlow](plan)
	if err != nil {
		t.Fatal(err)
	}
	packets, two := uint32(0), []byte("2")
	got, err := b.Append(nil, &taggedFlow{
		taggedCounts: taggedCounts{7, &packets}, Src: netip.MustParseAddr("::1"), Start: time.UnixMilli(5), Took: time.Second + 1,
		Country: "FR", Labels: []taggedLabel{{Name: "a", Inner: &taggedLabel{Name: "b"}}}, Path: []uint32{1, 0}, Side: 1,
		Tags: map[string]uint16{"k": 3}, Delta: -1, MAC: [6]byte{1}, Two: &two,
	})
	const want = "2a1000000000000000000000000000000001" + "490700000000000000" + "5000" + "5805" + "620408011001" + "6a024652" +
		"72080a016112030a0162" + "78017800" + "800101" + "9201050a016b1003" + "980101" + "a301a401" + "b2010132"
	if hex.EncodeToString(got) != want || err != nil {
		t.Errorf("%x instead of %s (%v)", got, want, err)
	}
	for _, c := range s.Columns() {
		switch c.Name {
		case "src_addr":
			if len(c.Sources) != 2 || c.Sources[1] != (schema.Source{Element: 27}) {
				t.Errorf("src_addr is filled from %v", c.Sources)
			}
		case "start":
			if len(c.Sources) != 1 || c.Sources[0] != (schema.Source{Enterprise: 9, Element: 22}) || c.Unit != schema.Millis {
				t.Errorf("start is %+v", c)
			}
		case "country":
			if !c.Deferred || c.Group != "geo" {
				t.Errorf("country is %+v", c)
			}
		case "mac":
			if !c.Disabled || c.Logical != schema.MAC {
				t.Errorf("mac is %+v", c)
			}
		}
	}
	if e := s.EnumTypes(); len(e) != 1 || e[0].Name != "flows.boundary" || len(e[0].Values) != 2 {
		t.Errorf("the enums are %v", e)
	}
}

func TestTagsThatAreWrongAreRefused(t *testing.T) {
	from := func(_ any, err error) error { return err }
	for want, err := range map[string]error{
		"A: has no tag with a name and a number": from(schema.FromStruct[struct{ A int }]("M")),
		`"x" is not a number`: from(schema.FromStruct[struct {
			A int `hotpb:"a,x"`
		}]("M")),
		`"integer" is not a kind`: from(schema.FromStruct[struct {
			A int `hotpb:"a,1,integer"`
		}]("M")),
		`"loud" is not an option`: from(schema.FromStruct[struct {
			A int `hotpb:"a,1,,loud"`
		}]("M")),
		`"70000" is not an element`: from(schema.FromStruct[struct {
			A int `hotpb:"a,1,,from=70000"`
		}]("M")),
		"has no unit": from(schema.FromStruct[struct {
			A time.Time `hotpb:"a,1"`
		}]("M")),
		"has a unit and is not a time": from(schema.FromStruct[struct {
			A int `hotpb:"a,1,,millis"`
		}]("M")),
		"a chan int has no usual kind": from(schema.FromStruct[struct {
			A chan int `hotpb:"a,1"`
		}]("M")),
		"an enum needs a type with a method EnumValues, which int does not have": from(schema.FromStruct[struct {
			A int `hotpb:"a,1,enum"`
		}]("M")),
		"a: is not exported": from(schema.FromStruct[struct {
			a int `hotpb:"a,1"`
		}]("M")),
		"a message is a struct, not a int": from(schema.FromStruct[struct {
			A int `hotpb:"a,1,message"`
		}]("M")),
		"int: is not a struct": from(schema.FromStruct[int]("M")),
	} {
		if !errors.Is(err, wire.InvalidSchema) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}
