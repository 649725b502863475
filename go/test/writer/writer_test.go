package writer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/chunk"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/rt/writer"
	"github.com/hotpb/hotpb/go/wire"
)

// fill writes a field of every kind, some 700 bytes.
func fill(w p2.AllWriter) {
	w.SetSingleInt32(-1)
	w.SetSingleUint64(1 << 60)
	w.SetSingleSint32(-70_000)
	w.SetSingleFixed32(7)
	w.SetSingleDouble(1.5)
	w.SetSingleBool(true)
	w.SetSingleString("some text")
	w.SetSingleClosed(p2.Closed_CLOSED_NEGATIVE)
	child := w.SetSingleChild()
	child.SetId(7)
	child.SetName("a child")
	child.End()
	for i := range 3 {
		w.AddRepeatedInt32(int32(i) << (7 * i))
	}
	w.AddPackedSint64(numbers)
	packed := w.PackedPackedUint32()
	for i := range uint32(20) {
		packed.Add(i * 1000)
	}
	packed.End()
	w.AddPackedFixed32([]uint32{1, 2, 3})
	w.SetSingleBytesParts(part1, part2)
	w.AddKeyString("key", "value")
	entry := w.AddValueChild(3)
	entry.SetName("in a map")
	entry.End()
	group := w.SetData()
	group.SetSingleString("in a group")
	group.End()
	all := w.AddRepeatedAll()
	deep := all.SetSingleAll()
	deep.SetSingleString(long)
	deep.End()
	all.SetSingleInt32(4)
	all.End()
	w.AddRepeatedChildRaw(part1)
	p2.E_ExtInt32.Write(w, 77)
	x := p2.E_ExtChild.Open(w)
	x.SetId(5)
	x.End()
	w.AppendRaw(unknown)
}

var (
	numbers = []int64{1, -1, 1 << 40, -1 << 62}
	part1   = []byte{0x08, 0x2a}
	part2   = bytes.Repeat([]byte{7}, 100)
	long    = strings.Repeat("long ", 60)
	unknown = wire.AppendString(wire.AppendTag(nil, 60_000, wire.BytesType), "unknown")
)

// written returns the output of fill, in one piece.
func written(t testing.TB, policy chunk.LengthPolicy) []byte {
	t.Helper()
	out := writer.NewBuffer(nil, policy)
	w := p2.NewAllWriter(out)
	fill(w)
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// canonical returns the canonical form of an encoded All.
func canonical(t testing.TB, b []byte) []byte {
	t.Helper()
	var v p2.AllReencoder
	if err := errors.Join(v.Decode(b), v.Validate()); err != nil {
		t.Fatalf("%v: %x", err, b)
	}
	out, err := v.AppendCanonical(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryOutputGetsTheSameMessage(t *testing.T) {
	want := canonical(t, written(t, chunk.Minimal))
	if len(want) < 600 {
		t.Fatalf("only %d bytes", len(want))
	}
	for size := 64; size < 900; size += 7 {
		for _, policy := range []chunk.LengthPolicy{chunk.Compact, chunk.Fixed4, chunk.Minimal} {
			heap := writer.NewHeapBuffer(writer.HeapOptions{Policy: policy, FirstChunk: size, LargestChunk: 2 * size})
			fixed := writer.NewFixedBuffer(make([]byte, 2000), policy)
			for range 3 { // reused
				heap.Reset()
				fixed.Reset(make([]byte, 2000))
				for _, out := range []writer.Output{heap, fixed} {
					w := p2.NewAllWriter(out)
					fill(w)
					if err := w.End(); err != nil {
						t.Fatal(err)
					}
				}
				joined := bytes.Join(heap.Chunks(), nil)
				if !bytes.Equal(canonical(t, joined), want) || !bytes.Equal(canonical(t, fixed.Bytes()), want) {
					t.Fatalf("size %d, policy %d", size, policy)
				}
				if !bytes.Equal(heap.AppendTo(nil), joined) || heap.Size() != int64(len(joined)) {
					t.Fatal("the chunks are not the whole")
				}
			}
		}
		for _, policy := range []chunk.StreamPolicy{chunk.StreamCompact, chunk.StreamFixed4} {
			source := &collector{size: func(i int) int { return size + i%5 }}
			w := p2.NewAllWriter(writer.NewChunkWriter(source, policy))
			fill(w)
			if err := w.End(); err != nil || source.unsound() != "" || !bytes.Equal(canonical(t, source.joined()), want) {
				t.Fatalf("size %d: %v %s", size, err, source.unsound())
			}
			var file bytes.Buffer
			w = p2.NewAllWriter(writer.NewChunkWriter(chunk.NewIOSource(&file, size), policy))
			fill(w)
			if err := w.End(); err != nil || !bytes.Equal(canonical(t, file.Bytes()), want) {
				t.Fatalf("size %d: %v", size, err)
			}
		}
	}
}

// WTR-4: wherever the room ends, the bytes before it parse.
func TestRoomMayEndAtEveryByte(t *testing.T) {
	for _, policy := range []chunk.LengthPolicy{chunk.Compact, chunk.Fixed4, chunk.Minimal} {
		whole := written(t, policy)
		out := writer.NewFixedBuffer(nil, policy)
		for room := range len(whole) + 1 {
			out.Reset(make([]byte, room))
			w := p2.NewAllWriter(out)
			fill(w)
			err := w.End()
			validLen, status := out.Status()
			if (err == nil) != (room == len(whole)) || err != nil && err != wire.BufferExhausted || status != err {
				t.Fatalf("room %d of %d: %v, %v", room, len(whole), err, status)
			}
			if validLen != int64(len(out.Bytes())) {
				t.Fatalf("valid_len %d of %d", validLen, len(out.Bytes()))
			}
			canonical(t, out.Bytes())
		}
		if !bytes.Equal(out.Bytes(), whole) {
			t.Errorf("in exactly enough room: %x", out.Bytes())
		}
	}
	size := int64(len(written(t, chunk.Compact)))
	for chunks := range 14 {
		source := &collector{size: func(i int) int { return max(chunks-i, 0) * 64 }}
		out := writer.NewChunkWriter(source, chunk.StreamCompact)
		w := p2.NewAllWriter(out)
		fill(w)
		err := w.End()
		validLen, _ := out.Status()
		if problem := source.unsound(); problem != "" || (err != nil) != (validLen < size) {
			t.Fatalf("%s: %v with %d bytes", problem, err, validLen)
		}
		canonical(t, source.joined()[:validLen])
	}
}

// WTR-4: the limit of a heap chain, and its reset.
func TestAHeapLimitHoldsAndResetForgetsTheError(t *testing.T) {
	for _, limit := range []int64{1, 64, 100, 300} {
		out := writer.NewHeapBuffer(writer.HeapOptions{Limit: limit, FirstChunk: 64})
		for range 2 {
			w := p2.NewAllWriter(out)
			fill(w)
			if err := w.End(); err != wire.BufferExhausted || out.Size() > limit {
				t.Fatalf("%v, %d bytes of %d", err, out.Size(), limit)
			}
			canonical(t, out.AppendTo(nil))
			out.Reset()
		}
	}
}

func TestDelimitedMessagesStandBehindTheirLengths(t *testing.T) {
	var file bytes.Buffer
	io1 := writer.NewIOWriter(&file)
	var buffer writer.Buffer
	var heap writer.HeapBuffer
	var want []byte
	for i := range 100 {
		id := int32(i * i)
		message := wire.AppendInt32(wire.AppendTag(nil, 1, wire.VarintType), id)
		message = wire.AppendString(wire.AppendTag(message, 2, wire.BytesType), long)
		want = wire.AppendDelimited(want, message)
		for _, out := range []writer.Output{io1.Delimited(), buffer.Delimited(), heap.Delimited()} {
			w := p3.NewChildWriter(out)
			w.SetId(id)
			w.SetName(long)
			if err := w.End(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := io1.Flush(); err != nil {
		t.Fatal(err)
	}
	// Lengths may be padded where a chunk has left: compare the messages only.
	for _, stream := range [][]byte{file.Bytes(), buffer.Bytes(), heap.AppendTo(nil)} {
		var got []byte
		messages := wire.NewDelimitedReader(bytes.NewReader(stream), wire.Options{})
		for {
			message, err := messages.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = wire.AppendDelimited(got, message)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes, want %d", len(got), len(want))
		}
	}
	if !bytes.Equal(buffer.Bytes(), want) {
		t.Error("a buffer's lengths are not minimal")
	}
}

func TestABufferGrowsFromMemoryThatIsGiven(t *testing.T) {
	memory := make([]byte, 0, 16)
	out := writer.NewBuffer(memory, chunk.Compact)
	w := p3.NewChildWriter(out)
	w.SetId(1)
	if got := memory[:2]; !bytes.Equal(got, []byte{8, 1}) {
		t.Errorf("%x", got)
	}
	child := w.SetChild()
	child.SetName(strings.Repeat("x", 200)) // moves, with the open slot
	w.SetId(2)
	if err := w.End(); err != nil || len(out.Bytes()) != 2+3+3+200+2 {
		t.Errorf("%v: %x", err, out.Bytes())
	}
}

type failing struct {
	after int
	short bool
}

var errDisk = errors.New("the disk is full")

func (f *failing) Write(b []byte) (int, error) {
	if f.after -= len(b); f.after < 0 {
		if f.short {
			return 0, nil
		}
		return 0, errDisk
	}
	return len(b), nil
}

func TestAnErrorOfTheIOWriterIsGivenByEnd(t *testing.T) {
	for name, test := range map[string]struct {
		disk *failing
		text int
		want error
	}{
		"at the last chunk": {&failing{}, 10, errDisk},
		"in the middle":     {&failing{after: 5000}, 100_000, errDisk},
		"a short write":     {&failing{short: true}, 10, io.ErrShortWrite},
		"none":              {&failing{after: 1 << 20}, 100_000, nil},
	} {
		out := writer.NewIOWriter(test.disk)
		w := p3.NewChildWriter(out)
		w.SetName(strings.Repeat("x", test.text))
		if err := w.End(); err != test.want {
			t.Errorf("%s: %v", name, err)
		}
		if err := out.Flush(); err != test.want {
			t.Errorf("%s: flushed with %v", name, err)
		}
	}
}

// WTR-8, WTR-12: misuse that Go detects at run time, and other languages by compilers and destructors.
func TestHandlesOutOfTurn(t *testing.T) {
	for name, test := range map[string]struct {
		write func(out *writer.FixedBuffer, w p3.ChildWriter) error
		want  string
		code  error
	}{
		"End of a parent ends its child": {func(_ *writer.FixedBuffer, w p3.ChildWriter) error {
			w.SetChild().SetChild().SetId(1)
			return w.End()
		}, "1a041a020801", nil},
		"a copy is the same handle": {func(_ *writer.FixedBuffer, w p3.ChildWriter) error {
			same := w
			same.SetId(1)
			w.SetId(2)
			return same.End()
		}, "08010802", nil},
		"End of a child that its parent ended": {func(_ *writer.FixedBuffer, w p3.ChildWriter) error {
			c := w.SetChild()
			w.SetId(1)
			return c.End()
		}, "1a000801", wire.HandleMisuse},
		"a parent that ends inside its child's function": {func(_ *writer.FixedBuffer, w p3.ChildWriter) error {
			w.SetChildWith(func(c p3.ChildWriter) {
				c.SetId(1)
				w.End()
				c.SetId(2)
			})
			return w.End()
		}, "1a020801", wire.HandleMisuse},
		"a function that ends its message": {func(_ *writer.FixedBuffer, w p3.ChildWriter) error {
			w.SetChildWith(func(c p3.ChildWriter) {
				c.SetId(1)
				c.End()
			})
			w.SetId(2)
			return w.End()
		}, "1a0208010802", nil},
		"a function that leaves a message open": {func(_ *writer.FixedBuffer, w p3.ChildWriter) error {
			w.SetChildWith(func(c p3.ChildWriter) { c.SetChild().SetId(1) })
			w.SetId(2)
			return w.End()
		}, "1a041a0208010802", nil},
		"a handle of before Reset": {func(out *writer.FixedBuffer, w p3.ChildWriter) error {
			w.SetId(1)
			out.Reset(make([]byte, 100))
			p3.NewChildWriter(out).SetId(2)
			w.SetId(3)
			return w.End()
		}, "0802", wire.HandleMisuse},
		"a second message in a delimited one": {func(out *writer.FixedBuffer, w p3.ChildWriter) error {
			w.End()
			out.Reset(make([]byte, 100))
			first := p3.NewChildWriter(out.Delimited())
			first.SetId(1)
			p3.NewChildWriter(out.Delimited()).SetId(2)
			return first.End()
		}, "020801", wire.HandleMisuse},
		"an empty span touches nothing": {func(_ *writer.FixedBuffer, w p3.ChildWriter) error {
			c := w.SetChild()
			w.AddNumbers(nil)
			c.SetId(1)
			return w.End()
		}, "1a020801", nil},
	} {
		out := writer.NewFixedBuffer(make([]byte, 100), chunk.Compact)
		err := test.write(out, p3.NewChildWriter(out))
		if got := fmt.Sprintf("%x", out.Bytes()); got != test.want || err != test.code {
			t.Errorf("%s: %s and %v", name, got, err)
		}
	}
}

func TestIsOpenSaysWhetherAMessageCanBeWrittenTo(t *testing.T) {
	var out writer.Buffer
	w := p3.NewChildWriter(&out)
	c := w.SetChild()
	if !w.IsOpen() || !c.IsOpen() {
		t.Error("neither has ended")
	}
	w.SetId(1)
	if !w.IsOpen() || c.IsOpen() {
		t.Error("the child has ended")
	}
	if w.End(); w.IsOpen() {
		t.Error("all has ended")
	}
}

// WRT-31: a packed record is not a level.
func TestAPackedRecordMayStandInTheDeepestMessage(t *testing.T) {
	for _, delimited := range []bool{false, true} {
		var out writer.Buffer
		w := p3.NewChildWriter(&out)
		if delimited {
			w.End()
			w = p3.NewChildWriter(out.Delimited())
		}
		deepest := w
		for range writer.MaxDepth {
			deepest = deepest.SetChild()
		}
		deepest.AddNumbers([]int32{1})
		packed := deepest.PackedNumbers()
		packed.Add(2)
		packed.End()
		deepest.SetId(3)
		if deepest.SetChild(); w.End() != wire.DepthExceeded {
			t.Error("level 101 is opened")
		}
		if !bytes.HasSuffix(out.Bytes(), []byte{0x22, 1, 1, 0x22, 1, 2, 8, 3}) {
			t.Errorf("%x", out.Bytes())
		}
	}
}

func TestVarintsOfEveryLength(t *testing.T) {
	for shift := range 64 {
		for _, v := range []uint64{1 << shift, 1<<shift - 1, 1<<shift | 1, ^uint64(0) >> shift} {
			var out writer.Buffer
			w := p2.NewAllWriter(&out)
			w.SetSingleUint64(v) // makes room, so that the fields below take the short way
			w.SetSingleUint64(v)
			w.AddPackedUint64([]uint64{v})
			packed := w.PackedPackedUint64()
			packed.Add(v)
			packed.End()
			if err := w.End(); err != nil {
				t.Fatal(err)
			}
			varint := wire.AppendVarint(nil, v)
			var want []byte
			for range 2 {
				want = wire.AppendVarint(wire.AppendTag(want, 4, wire.VarintType), v)
			}
			for range 2 {
				want = wire.AppendBytes(wire.AppendTag(want, 404, wire.BytesType), varint)
			}
			if !bytes.Equal(out.Bytes(), want) {
				t.Fatalf("%d: %x, want %x", v, out.Bytes(), want)
			}
		}
	}
}

// TestLengthsOfEverySize ends messages around the sizes at which their lengths grow, in outputs with room and without, deep and
// beside each other.
func TestLengthsOfEverySize(t *testing.T) {
	for _, size := range []int{0, 1, 125, 126, 127, 128, 129, 300, 16381, 16382, 16383, 16384, 16385, 1<<21 - 2, 1 << 21} {
		text := bytes.Repeat([]byte("x"), size)
		var want []byte
		leaf := wire.AppendBytes(wire.AppendTag(nil, 15, wire.BytesType), text)
		for range 3 {
			nested := leaf
			for range 4 {
				nested = wire.AppendBytes(wire.AppendTag(nil, 19, wire.BytesType), nested)
			}
			want = append(want, nested...)
		}
		memory := make([]byte, len(want)+64)
		exact := make([]byte, len(want))
		for name, out := range map[string]writer.Output{
			"growing": &writer.Buffer{}, "with room": writer.NewFixedBuffer(memory, chunk.Compact), "exact": writer.NewFixedBuffer(exact, chunk.Compact),
			"heap": writer.NewHeapBuffer(writer.HeapOptions{Policy: chunk.Minimal}),
		} {
			w := p2.NewAllWriter(out)
			for range 3 {
				levels := []p2.AllWriter{w}
				for range 4 {
					levels = append(levels, levels[len(levels)-1].SetSingleAll())
				}
				levels[4].SetSingleBytes(text)
				for i := 4; i > 0; i-- {
					if err := levels[i].End(); err != nil {
						t.Fatal(name, size, err)
					}
				}
			}
			if err := w.End(); err != nil {
				t.Fatal(name, size, err)
			}
			var got []byte
			switch out := out.(type) {
			case *writer.Buffer:
				got = out.Bytes()
			case *writer.FixedBuffer:
				got = out.Bytes()
			case *writer.HeapBuffer:
				got = out.AppendTo(nil)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes: %d bytes, want %d", name, size, len(got), len(want))
			}
		}
	}
}
