package wire

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// table is built at run time: a recursive message with a field of each sort and a map.
func table() []MessageTable {
	return []MessageTable{
		{Name: "Node", Fields: []FieldTable{
			{Name: "id", Number: 1, Kind: Int32},
			{Name: "name", Number: 2, Kind: String, Flags: VerifyUtf8},
			{Name: "node", Number: 3, Kind: Message},
			{Name: "nodes", Number: 4, Kind: Message, Flags: Repeated},
			{Name: "numbers", Number: 5, Kind: Sint64, Flags: Repeated},
			{Name: "fixed", Number: 6, Kind: Fixed32, Flags: Repeated},
			{Name: "by_name", Number: 7, Kind: Message, Flags: Repeated | Map, Index: 1},
			{Name: "labels", Number: 8, Kind: Message, Flags: Repeated, Index: 2},
			{Name: "group", Number: 20, Kind: Group},
			{Name: "loose", Number: 1000, Kind: String},
			{Name: "far", Number: 2032, Kind: Message, Flags: Repeated, Index: 2},
		}},
		{Name: "Node.ByNameEntry", Fields: []FieldTable{
			{Name: "key", Number: 1, Kind: String, Flags: VerifyUtf8},
			{Name: "value", Number: 2, Kind: Message},
		}},
		{Name: "Label", Fields: []FieldTable{
			{Name: "name", Number: 1, Kind: String, Flags: VerifyUtf8},
			{Name: "value", Number: 2, Kind: String, Flags: VerifyUtf8},
		}},
	}
}

func TestNumbersAreFoundAmongFieldsWithGaps(t *testing.T) {
	for _, numbers := range [][]uint32{{}, {1}, {2}, {1, 2, 3}, {1, 3}, {2, 4, 6, 9}, {1, 2, 3, 7, 1000, 2032}} {
		m := MessageTable{}
		for _, number := range numbers {
			m.Fields = append(m.Fields, FieldTable{Number: number})
		}
		for number := range uint32(2100) {
			if got, want := m.Find(number), slices.Index(numbers, number); got != want {
				t.Fatalf("%d among %d: %d, want %d", number, numbers, got, want)
			}
		}
		if got := m.Find(MaxNumber); got != -1 {
			t.Error(got)
		}
	}
}

func TestCheckSaysWhatWhereAndInWhichField(t *testing.T) {
	for _, test := range []struct {
		name, input string
		want        Error
	}{
		{"tag cut off", "\x80", Error{Truncated, 0, ""}},
		{"tag too long", "\x80\x80\x80\x80\x80\x00", Error{InvalidTag, 0, ""}},
		{"tag too large", "\xff\xff\xff\xff\x1f", Error{InvalidTag, 0, ""}},
		{"number zero", "\x08\x01\x00\x01", Error{InvalidTag, 2, ""}},
		{"wire type 7", "\x0f", Error{InvalidWireType, 0, ""}},
		{"value cut off", "\x08\x80", Error{Truncated, 1, "id"}},
		{"value too long", "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", Error{VarintOverflow, 1, "id"}},
		{"length past the end", "\x12\x02a", Error{Truncated, 2, "name"}},
		{"bad string", "\x12\x03ab\xff", Error{InvalidUtf8, 4, "name"}},
		{"nested", "\x1a\x04\x1a\x02\x08\x80", Error{Truncated, 5, "node.node.id"}},
		{"nested past its own range", "\x1a\x03\x12\x02a\x62", Error{Truncated, 4, "node.name"}},
		{"element", "\x22\x00\x22\x02\x08\x01\x22\x01\x08", Error{Truncated, 9, "nodes[2].id"}},
		{"packed and unpacked", "\x2a\x02\x01\x01\x28\x01\x2a\x02\x01\x80", Error{Truncated, 9, "numbers[4]"}},
		{"packed width", "\x35\x01\x02\x03\x04\x32\x06\x01\x02\x03\x04\x05\x06", Error{Truncated, 11, "fixed[2]"}},
		{"map key", "\x3a\x00\x3a\x04\x0a\x02a\xff", Error{InvalidUtf8, 7, "by_name[1].key"}},
		{"map value", "\x3a\x03\x12\x01\x08", Error{Truncated, 5, "by_name[0].value.id"}},
		{"unknown inside an entry", "\x3a\x02\x48\x80", Error{Truncated, 3, "by_name[0].9"}},
		{"group not ended", "\xa3\x01\x08\x01", Error{Truncated, 4, "group"}},
		{"group ended by another", "\xa3\x01\x08\x01\xac\x01", Error{GroupMismatch, 4, "group"}},
		{"end without a start", "\x0c", Error{GroupMismatch, 0, ""}},
		{"unknown group", "\x4b\x08\x80", Error{Truncated, 2, "9.1"}},
		{"other wire type", "\x0a\x05a", Error{Truncated, 2, "1"}},
	} {
		err := Check(table(), 0, []byte(test.input), Options{})
		if err == nil || *err != test.want {
			t.Errorf("%s: %v, want %v", test.name, err, &test.want)
		}
		if Valid(table(), 0, []byte(test.input), Options{}) {
			t.Errorf("%s: Valid accepts it", test.name)
		}
	}
}

func TestCheckKeepsTheLimitsOfTheCall(t *testing.T) {
	deep := []byte("\x1a\x02\x1a\x00")
	for _, test := range []struct {
		o    Options
		want *Error
	}{
		{Options{}, nil},
		{Options{MaxDepth: 2}, nil},
		{Options{MaxDepth: 1}, &Error{DepthExceeded, 2, "node.node"}},
		{Options{MaxDepth: -1}, &Error{DepthExceeded, 0, "node"}},
		{Options{MaxSize: 4}, nil},
		{Options{MaxSize: 3}, &Error{SizeExceeded, 0, ""}},
	} {
		err := Check(table(), 0, deep, test.o)
		if (err == nil) != (test.want == nil) || err != nil && *err != *test.want {
			t.Errorf("%+v: %v, want %v", test.o, err, test.want)
		}
		if Valid(table(), 0, deep, test.o) != (test.want == nil) {
			t.Errorf("%+v: Valid does not agree", test.o)
		}
	}
	loose := []byte("\xc2\x3e\x01\xff")
	if err := Check(table(), 0, loose, Options{}); err != nil {
		t.Error(err)
	}
	if err := Check(table(), 0, loose, Options{Strict: true}); !errors.Is(err, InvalidUtf8) {
		t.Error(err)
	}
}

// node returns a random, well-formed Node.
func node(r *rand.Rand, depth int) (b []byte) {
	for range r.IntN(6) {
		number := []uint32{1, 2, 3, 4, 5, 6, 7, 8, 20, 99, 1000, 2032}[r.IntN(12)]
		switch nested := depth > 0; {
		case number == 1 || number == 99:
			b = AppendVarint(AppendTag(b, number, VarintType), r.Uint64()>>r.IntN(64))
		case number == 2 || number == 1000:
			b = AppendString(AppendTag(b, number, BytesType), "text")
		case number == 5:
			b = AppendBytes(AppendTag(b, number, BytesType), AppendVarint(AppendSint64(nil, -5), 300))
		case number == 6:
			b = AppendFixed32(AppendTag(b, number, Fixed32Type), r.Uint32())
		case number == 8 || number == 2032:
			for range 1 + r.IntN(4) {
				b = AppendBytes(AppendTag(b, number, BytesType), label(r))
			}
		case nested && number == 7:
			entry := AppendString(AppendTag(nil, 1, BytesType), "key")
			b = AppendBytes(AppendTag(b, number, BytesType), AppendBytes(AppendTag(entry, 2, BytesType), node(r, depth-1)))
		case nested && number == 20:
			b = AppendTag(append(AppendTag(b, number, StartGroup), node(r, depth-1)...), number, EndGroup)
		case nested:
			b = AppendBytes(AppendTag(b, number, BytesType), node(r, depth-1))
		}
	}
	return b
}

// label returns a message of two strings, sometimes with one of them missing or double, or with another field.
func label(r *rand.Rand) (b []byte) {
	texts := []string{"", "a", "instance", "text of some length", "größe", "\u00e9\u20ac\U0001f600"}
	first := uint32(1 + r.IntN(8)/7)
	for _, number := range []uint32{first, 3 - first, 3, 1}[:2+r.IntN(9)/7] {
		b = AppendString(AppendTag(b, number, BytesType), texts[r.IntN(len(texts))])
	}
	for range r.IntN(9) / 6 {
		b = unknown(r, b)
	}
	return b
}

// unknown appends a field that a label does not know.
func unknown(r *rand.Rand, b []byte) []byte {
	number := []uint32{3, 15, 16, 1000}[r.IntN(4)]
	switch r.IntN(5) {
	case 0:
		return AppendVarint(AppendTag(b, number, VarintType), r.Uint64()>>r.IntN(64))
	case 1:
		return append(AppendTag(b, number, Fixed32Type), "\x0a\x12\xff\x00"...)
	case 2:
		return append(AppendTag(b, number, Fixed64Type), "eight by"...)
	case 3:
		return AppendString(AppendTag(b, number, BytesType), "\x80 is no UTF-8")
	}
	b = AppendTag(b, number, StartGroup)
	for range r.IntN(3) {
		b = unknown(r, b)
	}
	return AppendTag(b, number, EndGroup)
}

func TestValidAndCheckAgreeOnDamagedMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 50_000 {
		b := node(r, 4)
		checkAgrees(t, b, Options{MaxDepth: 1 + r.IntN(5)})
		if !Valid(table(), 0, b, Options{}) {
			t.Fatalf("Check rejects a well-formed message: %v: %x", Check(table(), 0, b, Options{}), b)
		}
		if len(b) == 0 {
			continue
		}
		b = slices.Clone(b[:1+r.IntN(len(b))])
		b[r.IntN(len(b))] = byte(r.UintN(256))
		refused += checkAgrees(t, b, Options{Strict: r.IntN(2) == 0, MaxDepth: 1 + r.IntN(4)})
	}
	if refused < 10_000 {
		t.Errorf("Check rejected only %d inputs: the test covers too little", refused)
	}
}

func checkAgrees(t *testing.T, b []byte, o Options) (refused int) {
	t.Helper()
	err := Check(table(), 0, b, o)
	if valid := Valid(table(), 0, b, o); valid != (err == nil) {
		t.Fatalf("Valid says %v, Check %v: %x", valid, err, b)
	}
	if err == nil {
		return 0
	}
	if err.Offset < 0 || err.Offset > int64(len(b)) {
		t.Fatalf("%v lies outside the %d bytes", err, len(b))
	}
	return 1
}

// FuzzCheck: no bytes make Check panic or disagree with Valid.
func FuzzCheck(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		f.Add(node(r, 4), false, 10)
	}
	f.Fuzz(func(t *testing.T, b []byte, strict bool, depth int) {
		checkAgrees(t, b, Options{Strict: strict, MaxDepth: depth % 200})
	})
}

func TestAGroupMayHaveMoreTablesThanSixteenBitsCount(t *testing.T) {
	group := make([]MessageTable, 70_001)
	group[0] = MessageTable{Name: "First", Fields: []FieldTable{{Name: "far", Number: 1, Kind: Message, Index: 70_000}}}
	group[70_000] = MessageTable{Name: "Last", Fields: []FieldTable{{Name: "id", Number: 1, Kind: Int32}}}
	if err := Check(group, 0, []byte("\x0a\x01\x08"), Options{}); err == nil || *err != (Error{Truncated, 3, "far.id"}) {
		t.Error(err)
	}
}

func TestALongLabelThatLooksLikeAShortOneIsValid(t *testing.T) {
	// The length of the label is 0x80 0x0a. Its bytes from the 0x0a on look like two strings in a message of 128 bytes.
	// The bytes after them would be a malformed field of the node.
	label := AppendString(AppendTag(nil, 1, BytesType), "9 letters")
	label = AppendString(AppendTag(label, 2, BytesType), strings.Repeat("v", 114))
	label = AppendString(AppendTag(label, 5, BytesType), strings.Repeat("\x80", 1150))
	b := AppendBytes(AppendTag(nil, 8, BytesType), label)
	if !bytes.HasPrefix(b, []byte{0x42, 0x80, 0x0a}) {
		t.Fatalf("% x", b[:16])
	}
	if checkAgrees(t, b, Options{}) != 0 {
		t.Error("refused")
	}
}

func TestATagOfTwoBytesIsNotATagAndALength(t *testing.T) {
	// The tag of field 2032 is 0x82 0x7f. The message has 18 bytes and begins with a string that does not fit into it; the 127
	// bytes after the tag look like two strings.
	b := []byte{0x82, 0x7f, 0x12, 0x0a, 0x7f}
	b = append(b, strings.Repeat("a", 9)...)
	b = AppendString(AppendTag(b, 1, BytesType), strings.Repeat("b", 113))
	if checkAgrees(t, b, Options{}) == 0 {
		t.Error("accepted")
	}
}

func TestAStringThatALabelHasTwiceIsChecked(t *testing.T) {
	for number := uint32(1); number <= 3; number++ {
		label := AppendString(AppendTag(nil, 1, BytesType), "name")
		label = AppendString(AppendTag(label, 2, BytesType), "value")
		label = AppendString(AppendTag(label, number, BytesType), "\x80")
		b := AppendBytes(AppendTag(nil, 8, BytesType), label)
		if refused := checkAgrees(t, b, Options{}); refused != 0 != (number < 3) {
			t.Errorf("field %d: refused %d", number, refused)
		}
	}
}
