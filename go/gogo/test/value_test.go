package gogo_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/gogo/internal/customtest"
	twin2 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom2_twin"
	value2 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom2_value"
	cold2 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom2_value_cold"
	hot2 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom2_value_hot"
	twin3 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom3_twin"
	value3 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom3_value"
	cold3 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom3_value_cold"
	hot3 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom3_value_hot"
	"github.com/hotpb/hotpb/go/rt/codec/value"
)

func pair(gogo customtest.Message, hot customtest.Value) customtest.Pair {
	return customtest.Pair{Gogo: gogo, Value: hot}
}

// twins are gogofaster's structs and ours, from the same .proto.
var twins = []customtest.Pair{
	pair(new(twin3.WriteRequest), new(value3.WriteRequest)), pair(new(twin3.Nullable), new(value3.Nullable)),
	pair(new(twin3.Embedded), new(value3.Embedded)), pair(new(twin3.Cast), new(value3.Cast)), pair(new(twin3.Custom), new(value3.Custom)),
	pair(new(twin3.Sized), new(value3.Sized)), pair(new(twin3.Std), new(value3.Std)), pair(new(twin3.Valued), new(value3.Valued)), pair(new(twin3.Bare), new(value3.Bare)),
	pair(new(twin3.Declared), new(value3.Declared)), pair(new(twin3.Leaf), new(value3.Leaf)),
	pair(new(twin2.Entry), new(value2.Entry)), pair(new(twin2.Message), new(value2.Message)), pair(new(twin2.Record), new(value2.Record)),
	pair(new(twin2.Meta), new(value2.Meta)), pair(new(twin2.Object), new(value2.Object)),
	pair(new(twin3.Nullable), new(hot3.Nullable)), pair(new(twin3.Cast), new(hot3.Cast)), pair(new(twin3.Std), new(hot3.Std)), pair(new(twin2.Object), new(hot2.Object)),
	pair(new(twin3.Nullable), new(cold3.Nullable)), pair(new(twin3.Cast), new(cold3.Cast)), pair(new(twin3.Std), new(cold3.Std)), pair(new(twin2.Object), new(cold2.Object)),
}

// COD-101
func TestStructsAreThoseOfGogofaster(t *testing.T) {
	customtest.SameStructs(t, twins...)
}

// COD-102, COD-103, COD-104
func TestValuesAreTheSameAsGogofasters(t *testing.T) {
	customtest.SameValues(t, 30, twins...)
}

// COD-105
func TestACustomTypeThatRefusesIsAnErrorOfTheDecoder(t *testing.T) {
	m := new(value3.Custom)
	var refused *value.RefusedError
	if err := value.UnmarshalJSON([]byte(`{"id": "AAA="}`), m); !errors.As(err, &refused) || refused.Field != "gogotest.twin.custom3.Custom.id" {
		t.Errorf("UnmarshalJSON: %v", err)
	}
	if err := value.UnmarshalText([]byte(`id: "abc"`), m); !errors.As(err, &refused) {
		t.Errorf("UnmarshalText: %v", err)
	}
	if err := value.UnmarshalJSON([]byte(`{"id": "YWJjZA=="}`), m); err != nil || string(m.Id[:]) != "abcd" {
		t.Errorf("%v, %v", m, err)
	}
	if err := m.Unmarshal([]byte("\x0a\x03abc")); err == nil {
		t.Error("Unmarshal accepts it")
	}
	m.Id[0] = 0xee // which its MarshalTo refuses
	if _, err := m.Marshal(); err == nil {
		t.Error("Marshal accepts it")
	}
}

// COD-105
func TestNothingButReflectionPanicsOnARefusedValue(t *testing.T) {
	m, same, different := new(value3.Custom), new(value3.Custom), new(value3.Custom)
	m.Id[0], same.Id[0], different.Id[0], different.Id[1] = 0xee, 0xee, 0xee, 1 // which MarshalTo refuses
	if text := m.String(); !strings.Contains(text, "gogotest.twin.custom3.Custom.id: custom: this ID is not written") {
		t.Errorf("String: %s", text)
	}
	if !proto.Equal(m, same) || proto.Equal(m, different) || proto.Equal(m, new(value3.Custom)) {
		t.Error("proto.Equal is wrong")
	}
	if !value.Equal(m, same) || value.Equal(m, *different) {
		t.Error("Equal is wrong")
	}
	var refused *value.RefusedError
	if _, err := value.MarshalJSON(m); !errors.As(err, &refused) || refused.Field != "gogotest.twin.custom3.Custom.id" {
		t.Errorf("MarshalJSON: %v", err)
	}
	if _, err := value.MarshalText(m); !errors.As(err, &refused) {
		t.Errorf("MarshalText: %v", err)
	}
	if _, err := proto.Marshal(m); err == nil {
		t.Error("proto.Marshal accepts it")
	}
	if err := proto.Unmarshal([]byte("\x0a\x04\xee234"), m); err != nil || proto.CheckInitialized(m) != nil {
		t.Errorf("proto.Unmarshal: %v", err) // its Unmarshal accepts what its MarshalTo refuses
	}
	if _, err := value.MarshalJSON(new(value3.Custom)); err != nil {
		t.Error(err)
	}
}

// COD-110
func TestAJSONDurationBeyondGosIsAnError(t *testing.T) {
	m := new(value3.Std)
	const longest = `{"durationValue": "9223372036.854775807s"}`
	if err := value.UnmarshalJSON([]byte(longest), m); err != nil || m.DurationValue != math.MaxInt64 {
		t.Errorf("%v, %v", m.DurationValue, err)
	}
	for _, text := range []string{`{"durationValue": "9223372036.854775808s"}`, `{"duration": "-9999999999s"}`, `{"durations": ["1s", "9999999999s"]}`} {
		if err := value.UnmarshalJSON([]byte(text), m); err == nil || !strings.Contains(err.Error(), "time.Duration") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := value.UnmarshalText([]byte("duration_value {seconds: 9999999999}"), m); err == nil {
		t.Error("UnmarshalText accepts it")
	}
	var none *value3.Std
	if value.UnmarshalJSON([]byte("{}"), none) == nil || value.UnmarshalJSON([]byte("{}"), nil) == nil {
		t.Error("nil is accepted")
	}
}

// COD-101
func TestEqualIsThatOfTheOption(t *testing.T) {
	a, b := &value3.Leaf{Id: 1, Words: []string{"x"}}, value3.Leaf{Id: 1, Words: []string{"x"}}
	if !a.Equal(b) || !a.Equal(&b) || a.Equal(nil) || a.Equal(5) || !(*value3.Leaf)(nil).Equal((*value3.Leaf)(nil)) || a.Equal((*value3.Leaf)(nil)) {
		t.Error("Equal is wrong")
	}
	if b.Id = 2; a.Equal(b) {
		t.Error("different messages are equal")
	}
}

// COD-104: the first second of 1970 is an empty Timestamp, and the zero time is not.
func TestTimesNearTheEpochAreCopied(t *testing.T) {
	for _, at := range []time.Time{time.Unix(0, 0).UTC(), time.Unix(0, 5).UTC(), time.Unix(5, 0).UTC(), {}} {
		m := &value3.Std{
			Time: &at, TimeValue: at, Times: []*time.Time{&at}, TimeValues: []time.Time{at}, ByTime: map[int32]*time.Time{1: &at},
			Choice: &value3.Std_Chosen{Chosen: &at},
		}
		text, err := prototext.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		read := new(value3.Std)
		if err := prototext.Unmarshal(text, read); err != nil {
			t.Fatal(err)
		}
		for name, copied := range map[string]proto.Message{"proto.Clone": proto.Clone(m), "prototext": read} {
			if !reflect.DeepEqual(copied, m) {
				t.Errorf("%v by %s: %v", at, name, copied)
			}
		}
	}
}
