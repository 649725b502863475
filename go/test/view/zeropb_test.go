package view_test

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	raft "github.com/hotpb/hotpb/go/internal/testgen/raft/rafthot"
	proto3 "github.com/hotpb/hotpb/go/internal/testgen/test_messages_proto3/test_messages_proto3hot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

// roadToOne lists zeropb's "Road to v1.0.0" with the restrictions that its README states, point by point, and the
// tests that prove each point here. This file checks that these tests exist.
var roadToOne = map[string][]string{
	"message encoding": {
		"TestRandomEditsMeanTheSameToTheStockRuntime",
		"TestATreeIsBuiltFromTheTopAndFromTheBottom",
	},
	"all field types": {"TestEveryFieldTypeIsSetAndRead"},
	"repeated fields of all types, packed or not": {
		"TestEveryFieldTypeIsRepeatedPackedOrNot",
		"TestRepeatedNumbersReadPackedUnpackedAndMixed",
	},
	"native enums": {
		"TestEnumsHaveNamesAndNumbers",
		"TestEveryFieldTypeIsSetAndRead",
	},
	"ergonomic building of trees":        {"TestATreeIsBuiltFromTheTopAndFromTheBottom"},
	"fuzz testing":                       {"FuzzMessage", "FuzzEdit"},
	"accessors are inlined":              {"TestAccessorsAreInlined"},
	"sparse field numbers without a map": {"TestSparseFieldNumbersAllocateNothing"},
	"messages beyond 64 KiB, to 2 GiB": {
		"TestAMessageBeyond64KiBIsReadAndEdited",
		"TestAMessageOfTwoGigabytesIsReadAtBothEnds",
	},
	"unknown fields are kept":              {"TestUnknownFieldsStayWhereTheyAre"},
	"nested messages":                      {"TestChildrenGrowAndTheLengthsOfTheirParentsFollow"},
	"messages of other files and packages": {"TestMessagesOfOtherPackagesAreReadAndEdited"},
	"split messages are merged": {
		"TestPartsOfASplitMessageMergeInOrder",
		"TestASplitMessageIsMergedWhenItIsEdited",
	},
	"groups": {"TestGroupsAreEditedLikeMessages"},
	"extensions": {
		"TestAnExtensionIsAnUnknownFieldUntilItIsAskedFor",
		"TestExtensionsAreEdited",
	},
	"repeated fields are iterated and indexed": {"TestRepeatedFieldsAreIteratedAndIndexed"},
	"required fields are checked": {
		"TestMissingRequiredFieldsAreFoundByCheckInitializedOnly",
		"TestAnEditedMessageIsCheckedForRequiredFields",
	},
	"no allocation: decode, access, iteration": {"TestNoAccessorAllocates"},
	"no allocation: mutation, encoding":        {"TestNoEditAllocatesOnceThereIsRoom"},
	"maps": {
		"TestMapsShowAllEntriesAndLookUpTheLast",
		"TestMapEntriesArePutAndDeletedByKey",
		"TestMessagesInMapsAreEditedByKey",
	},
	"oneofs": {
		"TestTheLastRunOfAOneofMemberCounts",
		"TestSettingAOneofMemberClearsTheOthers",
	},
	"presence": {
		"TestImplicitPresenceIsClearedBySettingTheDefault",
		"TestAnAbsentFieldIsAppended",
	},
	"proto2 defaults": {"TestAClearedFieldHasItsDefault"},
	"limits": {
		"TestDepthIsCountedFromTheRootThroughAllLevels",
		"TestLimitsHoldForEdits",
	},
	"errors with offset and path": {"TestInvalidVectorsGiveTheirErrors"},
	"damaged nested messages are error values": {
		"TestADamagedChildIsAnErrorValueWhereItIsOpened",
		"TestADamagedChildIsAnErrorWhenItIsOpenedForEditing",
	},
	"concurrent readers": {"TestOneViewServesManyReadersAtOnce"},
	"a view that outlives its buffer is caught": {
		"TestDebugBuildCatchesAViewThatOutlivesItsBuffer",
		"TestDebugBuildCatchesAViewThatOutlivesAnEdit",
	},
}

func TestEveryPointOfZeropbsRoadHasItsTest(t *testing.T) {
	var all strings.Builder
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), "_test.go") {
			b, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			all.Write(b)
		}
	}
	for point, tests := range roadToOne {
		for _, test := range tests {
			if !strings.Contains(all.String(), "\nfunc "+test+"(") {
				t.Errorf("%s: there is no %s", point, test)
			}
		}
	}
}

func TestEveryFieldTypeIsSetAndRead(t *testing.T) {
	e, b := edited(t)
	e.SetSingleInt32(math.MinInt32)
	e.SetSingleInt64(math.MinInt64)
	e.SetSingleUint32(math.MaxUint32)
	e.SetSingleUint64(math.MaxUint64)
	e.SetSingleSint32(math.MinInt32)
	e.SetSingleSint64(math.MinInt64)
	e.SetSingleFixed32(math.MaxUint32)
	e.SetSingleFixed64(math.MaxUint64)
	e.SetSingleSfixed32(math.MinInt32)
	e.SetSingleSfixed64(math.MinInt64)
	e.SetSingleFloat(float32(math.Inf(-1)))
	e.SetSingleDouble(math.SmallestNonzeroFloat64)
	e.SetSingleBool(true)
	e.SetSingleString("ä")
	e.SetSingleBytes([]byte{0xff})
	e.SetSingleClosed(1)
	child := e.NewSingleChild()
	child.SetId(1)
	data := e.NewData()
	data.SetSingleInt32(1)
	var v p2.AllView
	if err := v.Decode(b.Bytes()); err != nil || b.Err() != nil {
		t.Fatal(err, b.Err())
	}
	c, err := v.SingleChild()
	d, err2 := v.Data()
	if v.SingleInt32() != math.MinInt32 || v.SingleInt64() != math.MinInt64 || v.SingleUint32() != math.MaxUint32 || v.SingleUint64() != math.MaxUint64 ||
		v.SingleSint32() != math.MinInt32 || v.SingleSint64() != math.MinInt64 || v.SingleFixed32() != math.MaxUint32 || v.SingleFixed64() != math.MaxUint64 ||
		v.SingleSfixed32() != math.MinInt32 || v.SingleSfixed64() != math.MinInt64 || !math.IsInf(float64(v.SingleFloat()), -1) ||
		v.SingleDouble() != math.SmallestNonzeroFloat64 || !v.SingleBool() || v.SingleString() != "ä" || v.SingleBytes()[0] != 0xff ||
		v.SingleClosed() != p2.Closed(1) || err != nil || c.Id() != 1 || err2 != nil || d.SingleInt32() != 1 {
		t.Errorf("%x", b.Bytes())
	}
}

// each adds the elements to a field in two calls, and checks that they read back the same.
func each[T comparable](t *testing.T, b *view.Buffer, e *p2.AllEdit, add func(...T), read func() []T, values ...T) {
	t.Helper()
	add(values...)
	add(values[0])
	if got, want := read(), append(slices.Clone(values), values[0]); !slices.Equal(got, want) || b.Err() != nil {
		t.Errorf("%v, want %v: %v", got, want, b.Err())
	}
}

func TestEveryFieldTypeIsRepeatedPackedOrNot(t *testing.T) {
	e, b := edited(t)
	v := e.View
	each(t, b, e, e.AddRepeatedInt32, func() []int32 { return slices.Collect(v().RepeatedInt32()) }, math.MinInt32, 1)
	each(t, b, e, e.AddRepeatedInt64, func() []int64 { return slices.Collect(v().RepeatedInt64()) }, math.MinInt64, 1)
	each(t, b, e, e.AddRepeatedUint32, func() []uint32 { return slices.Collect(v().RepeatedUint32()) }, math.MaxUint32, 1)
	each(t, b, e, e.AddRepeatedUint64, func() []uint64 { return slices.Collect(v().RepeatedUint64()) }, math.MaxUint64, 1)
	each(t, b, e, e.AddRepeatedSint32, func() []int32 { return slices.Collect(v().RepeatedSint32()) }, math.MinInt32, 1)
	each(t, b, e, e.AddRepeatedSint64, func() []int64 { return slices.Collect(v().RepeatedSint64()) }, math.MinInt64, 1)
	each(t, b, e, e.AddRepeatedFixed32, func() []uint32 { return slices.Collect(v().RepeatedFixed32()) }, math.MaxUint32, 1)
	each(t, b, e, e.AddRepeatedFixed64, func() []uint64 { return slices.Collect(v().RepeatedFixed64()) }, math.MaxUint64, 1)
	each(t, b, e, e.AddRepeatedSfixed32, func() []int32 { return slices.Collect(v().RepeatedSfixed32()) }, math.MinInt32, 1)
	each(t, b, e, e.AddRepeatedSfixed64, func() []int64 { return slices.Collect(v().RepeatedSfixed64()) }, math.MinInt64, 1)
	each(t, b, e, e.AddRepeatedFloat, func() []float32 { return slices.Collect(v().RepeatedFloat()) }, 1.5, 0)
	each(t, b, e, e.AddRepeatedDouble, func() []float64 { return slices.Collect(v().RepeatedDouble()) }, 1.5, 0)
	each(t, b, e, e.AddRepeatedBool, func() []bool { return slices.Collect(v().RepeatedBool()) }, true, false)
	each(t, b, e, e.AddRepeatedString, func() []string { return slices.Collect(v().RepeatedString()) }, "ä", "")
	each(t, b, e, e.AddRepeatedClosed, func() []p2.Closed { return slices.Collect(v().RepeatedClosed()) }, 1, 1)
	each(t, b, e, e.AddPackedInt32, func() []int32 { return slices.Collect(v().PackedInt32()) }, math.MinInt32, 1)
	each(t, b, e, e.AddPackedSint64, func() []int64 { return slices.Collect(v().PackedSint64()) }, math.MinInt64, 1)
	each(t, b, e, e.AddPackedUint64, func() []uint64 { return slices.Collect(v().PackedUint64()) }, math.MaxUint64, 1)
	each(t, b, e, e.AddPackedSfixed32, func() []int32 { return slices.Collect(v().PackedSfixed32()) }, math.MinInt32, 1)
	each(t, b, e, e.AddPackedFixed64, func() []uint64 { return slices.Collect(v().PackedFixed64()) }, math.MaxUint64, 1)
	each(t, b, e, e.AddPackedDouble, func() []float64 { return slices.Collect(v().PackedDouble()) }, 1.5, 0)
	each(t, b, e, e.AddPackedFloat, func() []float32 { return slices.Collect(v().PackedFloat()) }, 1.5, 0)
	each(t, b, e, e.AddPackedBool, func() []bool { return slices.Collect(v().PackedBool()) }, true, false)
	each(t, b, e, e.AddPackedClosed, func() []p2.Closed { return slices.Collect(v().PackedClosed()) }, 1, 1)
	e.AddRepeatedBytes([]byte("x"), nil)
	if v().RepeatedBytesLen() != 2 || string(v().RepeatedBytesNth(0)) != "x" {
		t.Error("bytes")
	}
}

// TestAccessorsAreInlined asks the compiler about the raft schema: each accessor of a number, bool, enum, string or
// bytes field, and the functions of this package that it calls, must be inlined.
func TestAccessorsAreInlined(t *testing.T) {
	const pkg = "github.com/hotpb/hotpb/go/internal/testgen/raft/rafthot"
	out, err := exec.Command("go", "build", "-gcflags=-m", pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	source, err := os.ReadFile("../../internal/testgen/raft/rafthot/raft.hot.go")
	if err != nil {
		t.Fatal(err)
	}
	accessor := regexp.MustCompile(`(?m)^func \(v \*(\w+View)\) (\w+)\(\) (?:u?int(?:32|64)|bool|string|\[\]byte|float(?:32|64)|EntryType|MessageType|int) \{`)
	n := 0
	for _, m := range accessor.FindAllStringSubmatch(string(source), -1) {
		switch m[2] {
		case "scan", "RawBytes":
			continue
		}
		n++
		if want := "can inline (*" + m[1] + ")." + m[2] + "\n"; !strings.Contains(string(out), want) {
			t.Errorf("(*%s).%s is not inlined", m[1], m[2])
		}
	}
	if n < 70 {
		t.Errorf("only %d accessors were found", n)
	}
}

func TestSparseFieldNumbersAllocateNothing(t *testing.T) {
	input := join(varint(1, 1), text(2048, "x"), fixed64(18999, 2), varint(262143, 3), varint(262143, 4))
	var v p2.NumbersView
	if n := testing.AllocsPerRun(100, func() {
		if err := v.Decode(input); err != nil || v.N1() != 1 || v.N2048() != "x" || v.N18999() != 2 || v.N262143Nth(1) != 4 {
			t.Fatal(err)
		}
	}); n != 0 && !debugBuild {
		t.Errorf("%v allocations", n)
	}
}

func TestAMessageBeyond64KiBIsReadAndEdited(t *testing.T) {
	large := strings.Repeat("x", 1<<20)
	e, b := edited(t, text(14, large), varint(1, 5), message(18, text(2, large)))
	c, err := e.EditSingleChild()
	if err != nil {
		t.Fatal(err)
	}
	c.SetName(large[:70_000])
	c.SetId(7)
	e.SetSingleInt32(1 << 20)
	stands(t, e, b, text(14, large), varint(1, 1<<20), message(18, text(2, large[:70_000]), varint(1, 7)))
	if c, err := e.View().SingleChild(); err != nil || c.Id() != 7 {
		t.Error(err)
	}
}

func TestMessagesOfOtherPackagesAreReadAndEdited(t *testing.T) {
	var b view.Buffer
	var e proto3.TestAllTypesProto3Edit
	e.Start(&b)
	at := e.NewOptionalTimestamp() // from the runtime's package for well-known types, or from a test's
	at.SetSeconds(5)
	s := e.NewOptionalStruct()
	value := s.NewFields("key")
	value.SetNumberValue(1.5)
	stamp, err := e.View().OptionalTimestamp()
	if err != nil || stamp.Seconds() != 5 || b.Err() != nil {
		t.Error(err, b.Err())
	}
}

func TestRepeatedFieldsAreIteratedAndIndexed(t *testing.T) {
	e, _ := edited(t)
	for n := range int32(20) {
		c := e.AddRepeatedChild()
		c.SetId(n)
		e.AddRepeatedInt32(n)
		e.AddPackedFixed32(uint32(n))
	}
	v := e.View()
	next := int32(0)
	for c, err := range v.RepeatedChild() { // an iter.Seq2
		if at, err2 := v.RepeatedChildNth(int(next)); err != nil || err2 != nil || c.Id() != next || at.Id() != next {
			t.Error(err, err2, next)
		}
		if v.RepeatedInt32Nth(int(next)) != next || v.PackedFixed32Nth(int(next)) != uint32(next) {
			t.Error(next)
		}
		next++
	}
	if _, err := v.RepeatedChildNth(20); next != 20 || v.RepeatedChildLen() != 20 || !errors.Is(err, wire.HandleMisuse) {
		t.Error(next, err)
	}
}

func TestAnEditedMessageIsCheckedForRequiredFields(t *testing.T) {
	var b view.Buffer
	var e raft.HardStateEdit
	e.Start(&b)
	e.SetTerm(1)
	e.SetVote(2)
	var missing *wire.Error
	if err := e.View().CheckInitialized(); !errors.As(err, &missing) || missing.Code != wire.MissingRequired || missing.Path != "commit" {
		t.Error(err)
	}
	e.SetCommit(3)
	if err := e.View().CheckInitialized(); err != nil {
		t.Error(err)
	}
}

// VIW-25
func TestImplicitPresenceIsClearedBySettingTheDefault(t *testing.T) {
	var b view.Buffer
	var e proto3.TestAllTypesProto3Edit
	e.Start(&b)
	e.SetOptionalInt32(0)
	e.SetOptionalString("")
	e.SetOptionalDouble(math.Copysign(0, -1))
	if want := fixed64(12, 1<<63); !bytes.Equal(b.Bytes(), want) { // -0.0 is not the default
		t.Errorf("%x, want %x", b.Bytes(), want)
	}
	e.SetOptionalInt32(5)
	e.SetOptionalString("x")
	e.SetOptionalDouble(0)
	e.SetOptionalInt32(0)
	e.SetOptionalString("")
	if len(b.Bytes()) != 0 {
		t.Errorf("%x", b.Bytes())
	}
}

func TestAClearedFieldHasItsDefault(t *testing.T) {
	e, _ := edited(t)
	want := e.View().DefaultString()
	e.SetDefaultString("other")
	e.SetDefaultBool(false)
	if e.View().DefaultString() != "other" || e.View().DefaultBool() {
		t.Error("not set")
	}
	e.ClearDefaultString()
	e.ClearDefaultBool()
	if v := e.View(); v.DefaultString() != want || want == "" || !v.DefaultBool() || v.HasDefaultBool() {
		t.Error("not the default")
	}
	if len(maps.Collect(e.View().KeyInt32())) != 0 {
		t.Error("a map that nobody set has entries")
	}
}
