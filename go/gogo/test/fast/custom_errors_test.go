package fast_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/gogo/internal/custom"
	"github.com/hotpb/hotpb/go/gogo/internal/stock/custom2"
	"github.com/hotpb/hotpb/go/gogo/internal/stock/custom3"
	"github.com/hotpb/hotpb/go/wire"
)

// COD-100
func TestErrorsOfCustomTypesAreReturned(t *testing.T) {
	for _, m := range []codec.Message{
		&custom3.Custom{Id: custom.ID{0xee}}, &custom3.Custom{Ids: []custom.ID{{}, {0xee}}}, &custom3.Custom{ByName: map[string]custom.ID{"a": {0xee}}},
		&custom3.Custom{Choice: &custom3.Custom_Chosen{Chosen: custom.ID{0xee}}},
	} {
		if _, err := m.MarshalHot(); err == nil || !strings.Contains(err.Error(), "this ID is not written") {
			t.Errorf("%v: %v", m, err)
		}
	}
	for _, b := range []string{"\x0a\x01a", "\x1a\x04abcd\x1a\x01a", "\x3a\x06\x0a\x01k\x12\x01a", "\x42\x02ab"} {
		if err := new(custom3.Custom).UnmarshalHot([]byte(b)); err == nil || !strings.HasPrefix(err.Error(), "custom: an ID of ") {
			t.Errorf("%x: %v", b, err)
		}
	}
}

// COD-100
func TestTimesThatGoOrTheSchemaCannotHoldAreRefused(t *testing.T) {
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, m := range []*custom3.Std{
		{TimeValue: late}, {Time: &late}, {TimeValues: []time.Time{late}}, {ByTime: map[int32]*time.Time{1: &late}},
		{Times: []*time.Time{nil}}, {Texts: []*string{nil}}, {Durations: []*time.Duration{nil}},
	} {
		_, stockErr := func() (b []byte, err error) {
			defer func() {
				if recover() != nil {
					err = errors.New("gogo panics")
				}
			}()
			return m.Marshal()
		}()
		if _, err := m.MarshalHot(); err == nil || stockErr == nil {
			t.Errorf("%v: %v, gogo returns %v", m, err, stockErr)
		}
	}
	text := "a\xff"
	if _, err := (&custom3.Std{Text: &text}).MarshalHot(); !errors.Is(err, wire.InvalidUtf8) {
		t.Error(err)
	}
	for _, c := range []struct {
		field byte
		b     string
	}{
		{0x0a, "\x08\x80\xac\xe8\xd8\xb0\xd9\x07"}, {0x0a, "\x10\x80\x94\xeb\xdc\x03"}, {0x0a, "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}, // year 10000; nanoseconds
		{0x1a, "\x08\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}, {0x1a, "\x08\xff\xff\xff\xff\xff\x7f"}, {0x1a, "\x10\x80\x94\xeb\xdc\x03"}, // signs; overflow
	} {
		b := append([]byte{c.field, byte(len(c.b))}, c.b...)
		stockErr := new(custom3.Std).Unmarshal(b)
		if err := new(custom3.Std).UnmarshalHot(b); err == nil || stockErr == nil {
			t.Errorf("%x: %v, gogo returns %v", b, err, stockErr)
		}
	}
	for _, b := range []string{"\x0a\x02\x08\x80", "\x6a\x02\x09\x00", "\xa2\x01\x03\x0a\x01\xff"} {
		var e *wire.Error
		if err := new(custom3.Std).UnmarshalHot([]byte(b)); !errors.As(err, &e) || e.Path == "" {
			t.Errorf("%x: %v", b, err)
		}
	}
}

// COD-55, COD-100
func TestARequiredFieldWithoutAPointerMustComeOnTheWire(t *testing.T) {
	for b, complete := range map[string]bool{
		"\x08\x01\x10\x02\x22\x01a": true, "\x08\x01\x22\x01a": false, "\x10\x00\x22\x01a": false, "": false,
		"\x08\x01\x10\x02\x22\x01a\x2a\x05\x08\x01\x22\x01a": false, // inside another
	} {
		stockErr := new(custom2.Record).Unmarshal([]byte(b))
		err := new(custom2.Record).UnmarshalHot([]byte(b))
		if complete != (err == nil) || complete != (stockErr == nil) || !complete && !errors.Is(err, wire.MissingRequired) {
			t.Errorf("%x: %v, gogo returns %v", b, err, stockErr)
		}
		if err := new(custom2.Record).UnmarshalHotOptions([]byte(b), codec.UnmarshalOptions{AllowPartial: true}); err != nil {
			t.Errorf("%x, partial: %v", b, err)
		}
	}
}

// COD-55. The parts of a message that is a value are merged.
func TestPartsOfValuesAreMerged(t *testing.T) {
	m := new(custom3.Nullable)
	if err := m.UnmarshalHot([]byte("\x0a\x02\x08\x01\x0a\x03\x12\x01a\x72\x02\x08\x05\x72\x03\x12\x01b")); err != nil {
		t.Fatal(err)
	}
	if want := (custom3.Leaf{Id: 1, Words: []string{"a"}}); !reflect.DeepEqual(m.Value, want) || !proto.Equal(m.GetChosen(), &custom3.Leaf{Id: 5, Words: []string{"b"}}) {
		t.Errorf("%v", m)
	}
	if err := m.UnmarshalHotOptions([]byte("\x0a\x02\x08\x07\x1a\x02\x08\x09"), codec.UnmarshalOptions{Merge: true}); err != nil || m.Value.Id != 7 || len(m.Value.Words) != 1 || len(m.Values) != 1 {
		t.Errorf("%v, %v", m, err)
	}
}
