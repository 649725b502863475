package view_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

func decode(t *testing.T, records ...[]byte) *p2.AllView {
	t.Helper()
	v := new(p2.AllView)
	if err := v.Decode(join(records...)); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTheZeroViewIsAnEmptyMessage(t *testing.T) {
	var v p2.AllView
	if v.HasSingleInt32() || v.SingleString() != "" || v.RepeatedInt32Len() != 0 || v.WhichKind() != 0 || len(v.RawBytes()) != 0 {
		t.Error("the zero view has fields")
	}
	if err := v.Validate(); err != nil {
		t.Error(err)
	}
	for range v.RepeatedInt32() {
		t.Error("the zero view has elements")
	}
	if unknowns := v.UnknownFields(); unknowns.Next() {
		t.Error("the zero view has unknown fields")
	}
	if c, err := v.SingleChild(); err != nil || c.HasId() {
		t.Error("the zero view has a child", err)
	}
	if p2.E_ExtInt32.Has(&v) {
		t.Error("the zero view has an extension")
	}
}

func TestEachElementIsFoundByItsIndex(t *testing.T) {
	var records [][]byte
	sizes := []int{0, 1, 100, 127, 128, 129, 20_000}
	for i, size := range sizes {
		records = append(records, message(318, varint(1, uint64(i)), text(2, strings.Repeat("x", size))), varint(1, 5), text(9999, "unknown"))
		v := decode(t, records...)
		for n := range i + 1 {
			if c, err := v.RepeatedChildNth(n); err != nil || c.Id() != int32(n) || len(c.Name()) != sizes[n] {
				t.Errorf("of %d, element %d: %d, %d bytes, %v", i+1, n, c.Id(), len(c.Name()), err)
			}
		}
		for _, n := range []int{-1, i + 1} {
			if _, err := v.RepeatedChildNth(n); !errors.Is(err, wire.HandleMisuse) {
				t.Errorf("of %d, element %d: %v", i+1, n, err)
			}
		}
	}
}

// VIW-4
func TestStringsAndBytesPointIntoTheInput(t *testing.T) {
	input := join(text(14, "borrowed"), text(15, "bytes"))
	v := decode(t, input)
	within := func(p *byte) bool {
		at, start := uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(unsafe.SliceData(v.RawBytes())))
		return at >= start && at < start+uintptr(len(input))
	}
	if !within(unsafe.StringData(v.SingleString())) || !within(unsafe.SliceData(v.SingleBytes())) {
		t.Error("a value was copied")
	}
	if b := v.SingleBytes(); cap(b) != len(b) {
		t.Error("appending to a borrowed slice would write into the message")
	}
}

func TestAFailedDecodeLeavesAnEmptyView(t *testing.T) {
	v := decode(t, varint(1, 5))
	if err := v.Decode([]byte{0x08, 0x05, 0x72, 0x05}); !errors.Is(err, wire.Truncated) {
		t.Fatal(err)
	}
	if v.HasSingleInt32() || len(v.RawBytes()) != 0 {
		t.Error("a field of the damaged message shows")
	}
}

// VIW-3
func TestADamagedChildIsAnErrorValueWhereItIsOpened(t *testing.T) {
	damaged := []byte{0x08} // an absent varint
	v := decode(t, message(18, damaged), message(318, varint(1, 1)), message(318, damaged), message(718, varint(1, 3), message(2, damaged)))
	for name, err := range map[string]error{
		"singular": second(v.SingleChild()),
		"element":  second(v.RepeatedChildNth(1)),
		"map":      third(v.ValueChildFind(3)),
	} {
		if !errors.Is(err, wire.Truncated) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var seen []bool
	for _, err := range v.RepeatedChild() {
		seen = append(seen, err == nil)
	}
	if !slices.Equal(seen, []bool{true, false}) {
		t.Errorf("elements: %v", seen)
	}
	want := &wire.Error{Code: wire.Truncated, Offset: 4, Path: "single_child.id"}
	if err := v.Validate(); !errors.Is(err, want) {
		t.Errorf("Validate: %v", err)
	}
	if second(v.RepeatedChildNth(2)) == nil || second(v.RepeatedChildNth(-1)) == nil {
		t.Error("an element that is not there was opened")
	}
}

func second[T any](_ T, err error) error { return err }

func third[T any](_ T, _ bool, err error) error { return err }

// VIW-7
func TestPartsOfASplitMessageMergeInOrder(t *testing.T) {
	v := decode(t, message(18, varint(1, 1), varint(4, 10)), varint(1, 5), message(18, text(2, "later"), varint(1, 2)), message(18, varint(4, 11)))
	c, err := v.SingleChild()
	if err != nil || c.Id() != 2 || c.Name() != "later" || !slices.Equal(slices.Collect(c.Numbers()), []int32{10, 11}) {
		t.Fatal(c.Id(), c.Name(), slices.Collect(c.Numbers()), err)
	}
	var scratch []byte
	if err := c.OpenScratch(v.SingleChildMessage(), &scratch); err != nil || c.Id() != 2 || len(scratch) == 0 {
		t.Error("with scratch:", c.Id(), len(scratch), err)
	}
}

func TestPartsOfASplitMessageAreWellFormedEachByItself(t *testing.T) {
	// Merged, the two damaged halves would be a well-formed message.
	v := decode(t, message(18, []byte{0x08}), message(18, []byte{0x05}))
	if _, err := v.SingleChild(); !errors.Is(err, wire.Truncated) {
		t.Error(err)
	}
	if err := v.Validate(); !errors.Is(err, &wire.Error{Code: wire.Truncated, Offset: 4, Path: "single_child.id"}) {
		t.Error(err)
	}
}

// VIW-11
func TestRepeatedNumbersReadPackedUnpackedAndMixed(t *testing.T) {
	v := decode(t, varint(301, 1), packedVarints(301, 2, 3), varint(1, 9), packedVarints(301), varint(301, 4),
		packedFixed32(307, 5, 6), fixed32(307, 7))
	if got := slices.Collect(v.RepeatedInt32()); !slices.Equal(got, []int32{1, 2, 3, 4}) || v.RepeatedInt32Len() != 4 {
		t.Error(got, v.RepeatedInt32Len())
	}
	for i, want := range []uint32{5, 6, 7, 0} {
		if got := v.RepeatedFixed32Nth(i); got != want {
			t.Errorf("element %d is %d", i, got)
		}
	}
	numbers := v.RepeatedInt32Iter()
	numbers.Next()
	numbers.Next()
	place := numbers // a copy keeps the position
	numbers.Next()
	if !place.Next() || place.Value() != 3 || place.Nth(0) != 4 {
		t.Error("the copy did not keep its position")
	}
}

// VIW-8
func TestTheLastRunOfAOneofMemberCounts(t *testing.T) {
	v := decode(t, message(818, varint(1, 1), text(2, "gone")), varint(801, 5), message(818, varint(4, 1)), message(818, varint(4, 2)))
	if v.WhichKind() != 818 || v.HasOneofInt32() || v.OneofInt32() != 0 {
		t.Fatal(v.WhichKind())
	}
	c, err := v.OneofChild()
	if err != nil || c.HasName() || !slices.Equal(slices.Collect(c.Numbers()), []int32{1, 2}) {
		t.Error(c.HasName(), slices.Collect(c.Numbers()), err)
	}
}

// VIW-8, MAP-8, MAP-10
func TestMapsShowAllEntriesAndLookUpTheLast(t *testing.T) {
	entry := func(key, value string) []byte { return message(614, text(1, key), text(2, value)) }
	v := decode(t, entry("a", "1"), entry("b", "2"), entry("a", "3"), message(614))
	var got []string
	for key, value := range v.KeyString() {
		got = append(got, key+"="+value)
	}
	if !slices.Equal(got, []string{"a=1", "b=2", "a=3", "="}) || v.KeyStringLen() != 4 {
		t.Error(got, v.KeyStringLen())
	}
	if value, ok := v.KeyStringFind("a"); !ok || value != "3" {
		t.Error(value, ok)
	}
	if value, ok := v.KeyStringFind("c"); ok || value != "" {
		t.Error(value, ok)
	}
}

// VIW-8
func TestUndefinedValuesOfClosedEnumsAreUnknownFieldsInOrder(t *testing.T) {
	const undefined = 12345
	v := decode(t, varint(17, undefined), text(60_000, "x"), packedVarints(417, 1, undefined, 1, undefined+1), varint(17, 1), varint(817, undefined))
	if v.SingleClosed() != 1 || !slices.Equal(slices.Collect(v.PackedClosed()), []p2.Closed{1, 1}) || v.PackedClosedLen() != 2 || v.WhichKind() != 0 {
		t.Error(v.SingleClosed(), slices.Collect(v.PackedClosed()), v.PackedClosedLen(), v.WhichKind())
	}
	var got []byte
	for unknowns := v.UnknownFields(); unknowns.Next(); {
		got = unknowns.Field().Append(got)
	}
	want := join(varint(17, undefined), text(60_000, "x"), varint(417, undefined), varint(417, undefined+1), varint(817, undefined))
	if !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

// VIW-8, VIW-9, EXT-1, EXT-3
func TestAnExtensionIsAnUnknownFieldUntilItIsAskedFor(t *testing.T) {
	v := decode(t, varint(1001, 5), varint(1301, 1), packedVarints(1301, 2, 3), varint(1001, 6), varint(1017, 99))
	n := 0
	for unknowns := v.UnknownFields(); unknowns.Next(); {
		n++
	}
	if n != 5 {
		t.Errorf("%d unknown fields", n)
	}
	if x, err := p2.E_ExtInt32.Get(v); err != nil || x != 6 || !p2.E_ExtInt32.Has(v) {
		t.Error(x, err)
	}
	if numbers, err := p2.E_ExtRepeatedInt32.Get(v); err != nil || numbers.Nth(2) != 3 || p2.E_ExtRepeatedInt32.Len(v) != 3 {
		t.Error(numbers.Nth(2), err)
	}
	if p2.E_ExtClosed.Has(v) {
		t.Error("an undefined value of a closed enum is present")
	}
	n = 0
	for unknowns := v.UnknownFields().Without(p2.E_ExtInt32.Table(), p2.E_ExtRepeatedInt32.Table(), p2.E_ExtClosed.Table()); unknowns.Next(); {
		n++
	}
	if n != 1 { // the undefined value stays
		t.Errorf("%d unknown fields are left", n)
	}
	if x, err := p2.E_ExtDefaultInt32.Get(v); err != nil || x != -7 {
		t.Error("default:", x, err)
	}
}

func TestADamagedExtensionIsAnErrorWhenItIsAskedFor(t *testing.T) {
	v := decode(t, message(1018, []byte{0x08}))
	if err := v.Validate(); err != nil {
		t.Error("the extension was not read:", err)
	}
	if _, err := p2.E_ExtChild.Get(v); !errors.Is(err, wire.Truncated) {
		t.Error(err)
	}
}

// EXT-7
func TestAnExtensionIsReadWithTheOptionsOfItsMessage(t *testing.T) {
	child := message(1018, message(7, text(1, "x"))) // one level below the message, if it is read at all
	input := join(text(1014, "\xff"), child)
	for _, test := range []struct {
		options view.Options
		text    error
		child   error
	}{
		{view.Options{}, nil, nil},
		{view.Options{Strict: true}, wire.InvalidUtf8, nil},
		{view.Options{MaxDepth: 1}, nil, wire.DepthExceeded},
	} {
		v := new(p2.AllView)
		if err := v.DecodeWith(input, test.options); err != nil {
			t.Fatal(err)
		}
		if _, err := p2.E_ExtString.Get(v); !errors.Is(err, test.text) {
			t.Errorf("%+v: the string: %v", test.options, err)
		}
		c, err := p2.E_ExtChild.Get(v)
		if err == nil {
			err = c.Validate()
		}
		if !errors.Is(err, test.child) {
			t.Errorf("%+v: the message: %v", test.options, err)
		}
	}
}

// VIW-8, SET-9
func TestMessageSetItemsOfOneTypeMerge(t *testing.T) {
	item := func(number uint64, records ...[]byte) []byte {
		return group(1, varint(2, number), message(3, records...))
	}
	v := decode(t, message(922, item(1000, varint(1, 1)), item(2147483646, text(1, "b")), item(1000, varint(3, 5))))
	set, err := v.MessageSet()
	if err != nil {
		t.Fatal(err)
	}
	a, err := p2.E_ItemAItemA.Get(&set)
	if err != nil || a.Id() != 1 || !slices.Equal(slices.Collect(a.Numbers()), []int32{5}) {
		t.Error(a.Id(), slices.Collect(a.Numbers()), err)
	}
	b, err := p2.E_ItemBItemB.Get(&set)
	if err != nil || b.Text() != "b" || p2.E_ItemChild.Has(&set) {
		t.Error(b.Text(), err)
	}
}

// VIW-10
func TestMissingRequiredFieldsAreFoundByCheckInitializedOnly(t *testing.T) {
	must := join(varint(1, 1), text(2, "n"))
	for _, test := range []struct {
		input []byte
		path  string
	}{
		{message(924, message(1, must)), ""},
		{message(924, message(1, varint(1, 1))), "needs.one.name"},
		{message(924, message(2, must), message(2)), "needs.many[1].id"},
		{message(924, message(3, varint(1, 4)), message(3, varint(1, 5), message(2, must))), "needs.by_id[0].value.id"},
		{message(924, message(3, varint(1, 4)), message(3, varint(1, 4), message(2, must))), ""}, // the damaged entry is replaced
		{message(924, message(1, varint(1, 1)), message(1, text(2, "n"))), ""},                   // complete after merging
		{message(924, message(3, varint(1, 4)), message(3, varint(1, 5), message(2, must)), message(3, varint(1, 4)), message(3, varint(1, 4), message(2))), "needs.by_id[1].value.id"}, // of an entry, of those that survive
		{message(924, message(4), varint(5, 1)), ""}, // the oneof member is cleared
		{message(924, group(7)), "needs.grp.id"},
	} {
		v := decode(t, test.input)
		if err := v.Validate(); err != nil {
			t.Errorf("%x: Validate: %v", test.input, err)
		}
		err := v.CheckInitialized()
		if test.path == "" {
			if err != nil {
				t.Errorf("%x: %v", test.input, err)
			}
			continue
		}
		if want := (&wire.Error{Code: wire.MissingRequired, Offset: int64(len(test.input)), Path: test.path}); !errors.Is(err, want) {
			t.Errorf("%x: %v, want %v", test.input, err, want)
		}
	}
}

func TestDepthIsCountedFromTheRootThroughAllLevels(t *testing.T) {
	var v, c p2.AllView
	input := join(message(19, message(19, message(19, varint(1, 5)))))
	o := view.Options{MaxDepth: 2}
	if err := v.DecodeWith(input, o); err != nil {
		t.Fatal(err)
	}
	if err := v.Validate(); !errors.Is(err, wire.DepthExceeded) {
		t.Error(err)
	}
	for level := range 2 {
		if err := v.SingleAllInto(&c); err != nil {
			t.Fatal(level, err)
		}
		v = c
	}
	if err := v.SingleAllInto(&c); !errors.Is(err, wire.DepthExceeded) {
		t.Error(err)
	}
}

// FCE-3
func TestStrictChecksStringsThatTheSchemaLeavesUnchecked(t *testing.T) {
	for _, input := range [][]byte{text(14, "\xff"), text(314, "\xff"), message(614, text(1, "\xff")), text(814, "\xff")} {
		var v p2.AllView
		if err := v.Decode(input); err != nil {
			t.Errorf("%x: %v", input, err)
		}
		if err := v.DecodeWith(input, view.Options{Strict: true}); !errors.Is(err, wire.InvalidUtf8) {
			t.Errorf("%x: strict: %v", input, err)
		}
	}
}

// VIW-5
func TestOneViewServesManyReadersAtOnce(t *testing.T) {
	v := decode(t, oneOfEach(), message(18, varint(1, 8)))
	var readers sync.WaitGroup
	for range 8 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for range 200 {
				c, err := v.SingleChild() // split: merging must not touch the view
				sum := int(c.Id()) + len(v.SingleString())
				for x := range v.PackedInt32() {
					sum += int(x)
				}
				for range v.KeyString() {
					sum++
				}
				for unknowns := v.UnknownFields(); unknowns.Next(); {
					sum++
				}
				if err != nil || c.Id() != 8 || v.Validate() != nil || sum < 300 {
					t.Error(c.Id(), sum, err)
					return
				}
			}
		}()
	}
	readers.Wait()
}

func TestEnumsHaveNamesAndNumbers(t *testing.T) {
	if got := p2.Closed(1).String(); !strings.HasPrefix(got, "CLOSED_") {
		t.Error(got)
	}
	if got := p2.Closed(4711).String(); got != "4711" {
		t.Error(got)
	}
}
