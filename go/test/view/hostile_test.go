package view_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

// repeat returns n records; each may depend on its number.
func repeat(n int, record func(i int) []byte) []byte {
	var b []byte
	for i := range n {
		b = append(b, record(i)...)
	}
	return b
}

// FCE-2, VIW-32: for any input, time and memory for reading are proportional to its size. Anything quadratic would take hours
// here.
func TestHostileShapesTakeTimeAndMemoryInProportionToTheirSize(t *testing.T) {
	n := 300_000
	if testing.Short() {
		n = 30_000
	}
	same := func(record []byte) []byte { return bytes.Repeat(record, n) }
	deep := []byte{}
	for range 99 {
		deep = group(70_000, deep)
	}
	split := same(varint(1, 1)) // its message is in two records, on each of 99 levels
	for range 99 {
		split = join(message(19, split), message(19))
	}
	for name, input := range map[string][]byte{
		"map of one key":             same(message(614, text(1, "a"), text(2, "b"))),
		"map of many keys":           repeat(n, func(i int) []byte { return message(719, text(1, fmt.Sprint(i)), message(2)) }),
		"map values in many records": message(719, same(message(2))),
		"keys again and again":       message(719, same(text(1, "k"))),
		"message in many records":    same(message(18, varint(1, 1))),
		"parts with others between":  same(join(message(18), varint(1, 1), message(19), varint(60_000, 1))),
		"interleaved repeats":        same(join(varint(301, 1), varint(302, 2), message(318), text(314, "x"), packedVarints(417, 1, 12345))),
		"unknowns and extensions":    same(join(varint(60_000, 1), varint(1301, 1), message(1018))),
		"undefined enum values":      join(same(varint(417, 12345)), message(417, bytes.Repeat(wire.AppendVarint(nil, 12345), n))),
		"the widest empty message":   same(message(319)),
		"message-set items":          message(922, same(group(1, varint(2, 1000), message(3, varint(1, 5))))),
		"one item of many parts":     message(922, group(1, varint(2, 1000), same(message(3)))),
		"a oneof to and fro":         same(join(message(818), varint(801, 1))),
		"one run in a oneof":         same(message(818, varint(1, 1))),
		"packed bools":               message(413, same([]byte{1})),
		"empty packed records":       same(message(413)),
		"deep unknown groups":        bytes.Repeat(deep, n/500),
		"split on every level":       split,
	} {
		start := time.Now()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var v p2.AllView
		if err := v.Decode(input); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := v.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := v.CheckInitialized(); err != nil && !errors.Is(err, wire.MissingRequired) {
			t.Errorf("%s: %v", name, err)
		}
		unknown := 0
		for unknowns := v.UnknownFields().Without(p2.E_ExtRepeatedInt32.Table(), p2.E_ExtChild.Table()); unknowns.Next(); {
			unknown++
		}
		_, err1 := p2.E_ExtChild.Get(&v)
		_, err2 := p2.E_ExtRepeatedInt32.Get(&v)
		set, err3 := v.MessageSet()
		_, err4 := p2.E_ItemAItemA.Get(&set)
		_, err5 := v.SingleChild()
		_, err6 := v.OneofChild()
		_, _, err7 := v.ValueAllFind("k")
		if err := errors.Join(err1, err2, err3, err4, err5, err6, err7); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for range v.RepeatedInt32() {
		}
		for _, err := range v.RepeatedAll() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !errors.Is(v.Decode(append(input, 0x80)), wire.Truncated) {
			t.Errorf("%s: cut off, it is not Truncated", name)
		}
		runtime.ReadMemStats(&after)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %v for %d bytes", name, took, len(input))
		}
		// The same as the pool's limit (LIM-3), plus, on each level that is split, the copy (VIW-7).
		allowed := max(1<<20, 32*uint64(len(input)))
		if name == "split on every level" {
			allowed += appendsTakeTwice * 100 * uint64(len(input))
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > allowed {
			t.Errorf("%s: %d bytes of memory for %d of input", name, used, len(input))
		}
	}
}

// VIW-37: elements of a fixed width in one packed record are found in one step.
func TestTheLastElementOfAPackedRecordIsAsNearAsTheFirst(t *testing.T) {
	const n = 2_000_000
	v := decode(t, message(407, bytes.Repeat([]byte{1, 0, 0, 0}, n)))
	start := time.Now()
	sum := uint32(0)
	for i := n - 200_000; i < n; i++ { // from the start each time, this would be 4*10^11 steps
		sum += v.PackedFixed32Nth(i)
	}
	if took := time.Since(start); sum != 200_000 || took > 20*time.Second {
		t.Error(sum, took)
	}
}

// VIW-6: the largest possible message. Only its ends are touched, so it is mostly address space.
func TestAMessageOfTwoGigabytesIsReadAtBothEnds(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("it needs 2 GiB of address space")
	}
	head := join(varint(2, 7), message(18, varint(1, 1)), varint(301, 1), wire.AppendTag(nil, 15, wire.BytesType))
	tail := join(message(18, varint(1, 2)), varint(301, 300), text(814, "the end"), varint(60_000, 9))
	tooMuch := int64(wire.MaxSize) + 1
	b := make([]byte, wire.MaxSize, tooMuch)
	payload := len(b) - len(head) - 5 - len(tail)
	copy(b, wire.AppendVarint(head, uint64(payload)))
	copy(b[len(b)-len(tail):], tail)
	v := decode(t, nil)
	if err := v.Decode(b); err != nil {
		t.Fatal(err)
	}
	c, err := v.SingleChild()
	if err != nil || c.Id() != 2 || v.SingleInt64() != 7 || len(v.SingleBytes()) != payload || v.RepeatedInt32Nth(1) != 300 || v.OneofString() != "the end" {
		t.Error(c.Id(), err, v.SingleInt64(), len(v.SingleBytes()), v.RepeatedInt32Nth(1), v.OneofString())
	}
	if unknowns := v.UnknownFields(); !unknowns.Next() || unknowns.Field().Number != 60_000 || unknowns.Next() {
		t.Error("the unknown field at the end is not the only one")
	}
	if err := v.Validate(); err != nil {
		t.Error(err)
	}
	if err := v.Decode(b[:tooMuch]); !errors.Is(err, &wire.Error{Code: wire.SizeExceeded}) {
		t.Error(err)
	}
}

// LIM-1, LIM-12: the stack is bounded for any requested depth.
func TestDepthIsBoundedWhateverIsAskedFor(t *testing.T) {
	deep := []byte{}
	for range 5_000 {
		deep = message(19, deep)
	}
	groups := join(bytes.Repeat(wire.AppendTag(nil, 901, wire.StartGroup), 1_000_000), bytes.Repeat(wire.AppendTag(nil, 901, wire.EndGroup), 1_000_000))
	o := view.Options{MaxDepth: 1 << 30}
	var v p2.AllView
	if err := v.DecodeWith(deep, o); err != nil {
		t.Error(err)
	}
	if err := v.Validate(); !errors.Is(err, wire.DepthExceeded) {
		t.Error(err)
	}
	if err := v.CheckInitialized(); !errors.Is(err, wire.DepthExceeded) {
		t.Error(err)
	}
	if err := v.DecodeWith(groups, o); !errors.Is(err, wire.DepthExceeded) {
		t.Error(err)
	}
}
