package writer_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/chunk"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	e23 "github.com/hotpb/hotpb/go/internal/testgen/vectors_2023/vectors_2023hot"
	e24 "github.com/hotpb/hotpb/go/internal/testgen/vectors_2024/vectors_2024hot"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/rt/writer"
	"github.com/hotpb/hotpb/go/view"
	"github.com/hotpb/hotpb/go/wire"
)

// node is a message of the model: a plain record of the calls on a writer.
type node struct {
	parent *node
	number uint32
	ended  bool
	bytes  []byte // encoded fields; a child is appended when it ends
}

func (n *node) end() {
	if !n.ended {
		n.ended = true
		if n.parent != nil {
			n.parent.bytes = wire.AppendBytes(wire.AppendTag(n.parent.bytes, n.number, wire.BytesType), n.bytes)
		}
	}
}

// model computes the result of calls in any order (WRT-15).
type model struct {
	top    *node // the innermost open message, nil when the root has ended
	misuse bool
}

// settle ends the messages that are open inside n. It returns false if the call writes nothing.
func (m *model) settle(n *node) bool {
	if m.misuse || n.ended {
		m.misuse = true
		m.endAll()
		return false
	}
	for ; m.top != n; m.top = m.top.parent {
		m.top.end()
	}
	return true
}

func (m *model) endAll() {
	for ; m.top != nil; m.top = m.top.parent {
		m.top.end()
	}
}

func (m *model) open(n *node, number uint32) *node {
	child := &node{parent: n, number: number, ended: true} // of a rejected call
	if m.settle(n) {
		child.ended = false
		m.top = child
	}
	return child
}

// random runs a script that the bytes encode, on open and ended handles, on a writer and on the model, and returns
// the model's root.
func random(script []byte, w p3.ChildWriter) (root *node, misused bool) {
	type handle struct {
		w p3.ChildWriter
		n *node
	}
	handles := []handle{{w, &node{}}}
	m := &model{top: handles[0].n}
	next := func() int {
		if len(script) == 0 {
			return 0
		}
		b := script[0]
		script = script[1:]
		return int(b)
	}
	text := strings.Repeat("text ", 100)
	for len(script) > 0 {
		op, at := next(), len(handles)-1
		if op >= 0xf0 { // a handle other than the last one
			at, op = next()%len(handles), next()
		}
		h := handles[at]
		put := func(field []byte) {
			if m.settle(h.n) {
				h.n.bytes = append(h.n.bytes, field...)
			}
		}
		opened := func(w p3.ChildWriter, number uint32) {
			handles = append(handles, handle{w, m.open(h.n, number)})
		}
		depth := 0
		for n := h.n; n.parent != nil; n = n.parent {
			depth++
		}
		switch op % 11 {
		case 0:
			id := int32(next()) << (next() % 32)
			h.w.SetId(id)
			put(wire.AppendInt32(wire.AppendTag(nil, 1, wire.VarintType), id))
		case 1:
			name := text[:next()*2%len(text)]
			h.w.SetName(name)
			put(wire.AppendString(wire.AppendTag(nil, 2, wire.BytesType), name))
		case 2, 3:
			if depth < writer.MaxDepth {
				opened(h.w.SetChild(), 3)
			}
		case 4:
			if depth < writer.MaxDepth {
				opened(h.w.AddChildren(), 9)
			}
		case 5:
			h.w.End()
			if m.settle(h.n) {
				h.n.end()
				m.top = h.n.parent
			}
		case 6:
			numbers := make([]int32, next()%50)
			for i := range numbers {
				numbers[i] = int32(i*i*i - 7)
			}
			h.w.AddNumbers(numbers)
			if len(numbers) > 0 {
				put(packedNumbers(numbers))
			}
		case 7:
			numbers := make([]int32, 1+next()%50)
			packed := h.w.PackedNumbers()
			for i := range numbers {
				numbers[i] = int32(i * 37)
				packed.Add(numbers[i])
			}
			packed.End()
			put(packedNumbers(numbers))
		case 8:
			if depth < writer.MaxDepth {
				h.w.AddCounts("key", 5)
				put(wire.AppendBytes(wire.AppendTag(nil, 5, wire.BytesType), []byte("\x0a\x03key\x10\x05")))
			}
		case 9:
			part := text[:next()]
			h.w.SetNameParts([]byte(part), nil, []byte("end"))
			put(wire.AppendString(wire.AppendTag(nil, 2, wire.BytesType), part+"end"))
		case 10:
			raw := wire.AppendInt32(wire.AppendTag(nil, 1, wire.VarintType), int32(next()))
			if depth < writer.MaxDepth { // the writer does not look into it, the reader does
				h.w.AddChildrenRaw(raw)
				put(wire.AppendBytes(wire.AppendTag(nil, 9, wire.BytesType), raw))
			}
		}
	}
	misused = m.misuse
	m.endAll()
	if w.IsOpen() {
		w.End()
	}
	return handles[0].n, misused
}

func packedNumbers(numbers []int32) []byte {
	var payload []byte
	for _, n := range numbers {
		payload = wire.AppendInt32(payload, n)
	}
	return wire.AppendBytes(wire.AppendTag(nil, 4, wire.BytesType), payload)
}

// checkScript runs a script on every output and compares with the model.
func checkScript(t *testing.T, script []byte, size int) (misused bool) {
	t.Helper()
	check := func(name string, err error, want *node, misused bool, got []byte, exact bool) {
		t.Helper()
		if misused != (err == wire.HandleMisuse) || err != nil && err != wire.HandleMisuse {
			t.Fatalf("%s: %v, want misuse %v: %x", name, err, misused, script)
		}
		if exact && !bytes.Equal(got, want.bytes) || !bytes.Equal(canonicalChild(t, got), canonicalChild(t, want.bytes)) {
			t.Fatalf("%s:\nscript %x\n   got %x\n  want %x", name, script, got, want.bytes)
		}
	}
	for _, policy := range []chunk.LengthPolicy{chunk.Compact, chunk.Fixed4, chunk.Minimal} {
		buffer := writer.NewBuffer(nil, policy)
		want, misused := random(script, p3.NewChildWriter(buffer))
		_, err := buffer.Status()
		check("buffer", err, want, misused, buffer.Bytes(), policy != chunk.Fixed4)

		heap := writer.NewHeapBuffer(writer.HeapOptions{Policy: policy, FirstChunk: size, LargestChunk: size})
		random(script, p3.NewChildWriter(heap))
		_, err = heap.Status()
		check("heap", err, want, misused, heap.AppendTo(nil), policy == chunk.Minimal)

		fixed := writer.NewFixedBuffer(make([]byte, size), policy)
		random(script, p3.NewChildWriter(fixed))
		validLen, err := fixed.Status()
		if err == wire.BufferExhausted { // a part, which parses
			canonicalChild(t, fixed.Bytes())
			if len(fixed.Bytes()) != int(validLen) {
				t.Fatalf("%d bytes, valid_len %d", len(fixed.Bytes()), validLen)
			}
		} else {
			check("fixed", err, want, misused, fixed.Bytes(), policy != chunk.Fixed4)
		}
		if policy == chunk.Minimal {
			return misused
		}
		for chunks := 0; chunks <= 8; chunks += 8 { // unlimited, and at most eight
			source := &collector{size: func(i int) int {
				if chunks > 0 && i >= chunks {
					return 0
				}
				return size + i%3*7
			}}
			out := writer.NewChunkWriter(source, chunk.StreamPolicy(policy))
			random(script, p3.NewChildWriter(out))
			validLen, err := out.Status()
			if problem := source.unsound(); problem != "" {
				t.Fatalf("%s: %x", problem, script)
			}
			if err == wire.BufferExhausted {
				canonicalChild(t, source.joined()[:validLen])
				continue
			}
			check("chunks", err, want, misused, source.joined()[:validLen], false)
		}
	}
	return misused
}

func canonicalChild(t *testing.T, b []byte) []byte {
	t.Helper()
	var v p3.ChildReencoder
	if err := errors.Join(v.Decode(b), v.Validate()); err != nil {
		t.Fatalf("%v: %x", err, b)
	}
	out, err := v.AppendCanonical(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// WRT-15, WRT-34, WRT-36, WRT-39
func TestCallsInAnyOrderGiveWhatTheModelSays(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	good, bad := 0, 0
	source := rand.New(rand.NewPCG(1, 2))
	for range n {
		script := make([]byte, source.IntN(120))
		for i := range script {
			script[i] = byte(source.IntN(256))
			if script[i] >= 0xf0 && source.IntN(4) > 0 {
				script[i] -= 0x80 // mostly on open handles
			}
		}
		if checkScript(t, script, 64+source.IntN(200)) {
			bad++
		} else {
			good++
		}
	}
	if good < n/20 || bad < n/20 {
		t.Errorf("%d scripts without misuse, %d with it", good, bad)
	}
}

func FuzzScripts(f *testing.F) {
	f.Add([]byte{2, 0, 1, 2, 4, 1, 100, 5, 7, 20, 9, 90, 0xf0, 0, 3, 0, 4, 4}, 64)
	f.Add([]byte{2, 2, 1, 120, 5, 1, 3, 0xf1, 1, 0, 1, 1}, 200)
	f.Add(bytes.Repeat([]byte{2, 4, 10, 0}, 2*writer.MaxDepth), 100) // as deep as readers accept
	f.Fuzz(func(t *testing.T, script []byte, size int) {
		checkScript(t, script[:min(len(script), 2000)], 64+int(uint(size)%1000))
	})
}

// checkRewrite writes the contents of a pool message through small chunks, and reads the result with a view.
func checkRewrite(t *testing.T, message string, input []byte, o view.Options, source *rand.Rand) {
	t.Helper()
	open := func(b []byte) []byte {
		m := reencoders[message]()
		if err := errors.Join(m.DecodeWith(b, o), m.Validate()); err != nil {
			t.Fatalf("%s: %v: %x", message, err, b)
		}
		out, err := m.AppendCanonical(nil)
		if err != nil {
			return nil // of a bad extension
		}
		return out
	}
	want := open(input)
	for _, policy := range []chunk.StreamPolicy{chunk.StreamCompact, chunk.StreamFixed4} {
		m := rewriters[message]()
		if err := pool.Unmarshal(m, input, pool.Options{MaxDepth: o.MaxDepth, Strict: o.Strict, AllowPartial: true}); err != nil {
			if !errors.Is(err, wire.CountExceeded) {
				t.Fatalf("%s: %v: %x", message, err, input)
			}
			return
		}
		rewritten := &collector{size: func(int) int { return 64 + source.IntN(300) }}
		if err := m.RewriteToHot(writer.NewChunkWriter(rewritten, policy), source.IntN); err != nil {
			// An extension that is asked for reports its required fields (REQ-4); a reencoder passes it on as it is.
			if want != nil && err != wire.DepthExceeded && !errors.Is(err, wire.MissingRequired) {
				t.Fatalf("%s: %v: %x", message, err, input)
			}
			return
		}
		if problem := rewritten.unsound(); problem != "" || !bytes.Equal(open(rewritten.joined()), want) {
			t.Fatalf("%s:\ninput %x\n  got %x\n want %x %s", message, input, rewritten.joined(), want, problem)
		}
	}
}

var (
	rewriters  = joined(p3.Rewriters_vectors, p2.Rewriters_vectors_proto2, e23.Rewriters_vectors_2023, e24.Rewriters_vectors_2024)
	reencoders = joined(p3.Reencoders_vectors, p2.Reencoders_vectors_proto2, e23.Reencoders_vectors_2023, e24.Reencoders_vectors_2024)
)

func TestWhatAPoolHoldsTheWriterWrites(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 4))
	n := 0
	for _, v := range vectors.Read(t, "wire") {
		if v.Binds("view") && v.Binds("pool") && rewriters[v.Message] != nil {
			checkRewrite(t, v.Message, v.Input, v.Limits(), source)
			n++
		}
	}
	if n < 1000 {
		t.Errorf("only %d messages", n)
	}
}

func FuzzRewrite(f *testing.F) {
	for i, v := range vectors.Read(f, "wire") {
		if i%20 == 0 {
			f.Add([]byte(v.Input), uint64(i))
		}
	}
	f.Add([]byte("\xea\x3f\x02\x30\x00"), uint64(0)) // ext_must without its required field
	f.Fuzz(func(t *testing.T, input []byte, seed uint64) {
		for _, message := range []string{"hotpb.vectors.p2.All", "hotpb.vectors.p3.All"} {
			m := reencoders[message]()
			if m.DecodeWith(input, view.Options{}) == nil && m.Validate() == nil {
				checkRewrite(t, message, input, view.Options{}, rand.New(rand.NewPCG(seed, 5)))
			}
		}
	})
}
