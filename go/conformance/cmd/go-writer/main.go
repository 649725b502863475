// Command go-writer lets the official conformance runner test the writer face.
//
// The program reads a message into a pool and writes it with the generated writer, through chunks of random sizes
// that leave at once and are patched afterwards. It reads the result once more and writes it with the policy
// minimal. That is the answer, because the suite compares bytes, and padded lengths are not minimal.
package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/hotpb/hotpb/go/chunk"
	"github.com/hotpb/hotpb/go/conformance/testee"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/writer"
)

func main() { testee.Main("go-writer", messages) }

// message is the interface that the generated messages have in common.
type message = interface {
	pool.Message
	UnknownFields() pool.UnknownFields
	RewriteToHot(out writer.Output, way func(int) int) error
}

func rewrite(m message, input []byte) (output []byte, unknown int, err error) {
	if err := pool.Unmarshal(m, input, pool.Options{}); err != nil {
		return nil, 0, err
	}
	taker := &taker{}
	out := writer.NewChunkWriter(taker, chunk.StreamPolicy(rand.IntN(2)))
	if err := m.RewriteToHot(out, rand.IntN); err != nil {
		return nil, 0, err
	}
	if length, err := out.Status(); err != nil || taker.open() || int(length) != len(taker.joined()) {
		return nil, 0, fmt.Errorf("%d bytes, %v, instead of %d", length, err, len(taker.joined()))
	}
	if err := pool.Unmarshal(m, taker.joined(), pool.Options{}); err != nil {
		return nil, 0, fmt.Errorf("the writer's output cannot be read: %w", err)
	}
	answer := writer.NewHeapBuffer(writer.HeapOptions{Policy: chunk.Minimal, FirstChunk: 64, LargestChunk: 1 << 10})
	if err := m.RewriteToHot(answer, rand.IntN); err != nil {
		return nil, 0, err
	}
	for unknowns := m.UnknownFields(); unknowns.Next(); {
		unknown += len(unknowns.Field().Raw())
	}
	return bytes.Join(answer.Chunks(), nil), unknown, nil
}

// taker takes chunks away, as a remote consumer does, and patches its copies.
type taker struct {
	chunks [][]byte
	slots  []int
}

func (t *taker) take(full chunk.Full) {
	if full.Data != nil {
		t.chunks = append(t.chunks, bytes.Clone(full.Data))
		t.slots = append(t.slots, full.OpenSlots)
		clear(full.Data)
	}
}

// Next implements chunk.Source.
func (t *taker) Next(full chunk.Full) (chunk.Chunk, bool) {
	t.take(full)
	return chunk.Chunk{ID: uint64(len(t.chunks)), Data: make([]byte, chunk.MinSize+rand.IntN(200))}, true
}

// Patch implements chunk.Source.
func (t *taker) Patch(patch chunk.Patch) {
	copy(t.chunks[patch.ID][patch.Offset:], patch.Bytes[:])
	t.slots[patch.ID] = patch.StillOpen
}

// Finish implements chunk.Source.
func (t *taker) Finish(last chunk.Full) { t.take(last) }

func (t *taker) open() bool {
	for _, slots := range t.slots {
		if slots != 0 {
			return true
		}
	}
	return false
}

func (t *taker) joined() []byte { return bytes.Join(t.chunks, nil) }
