package writer_test

import (
	"bytes"
	"encoding/hex"
	"fmt"

	"github.com/hotpb/hotpb/go/chunk"
)

// collector is a consumer that takes every chunk away at once, as a remote consumer would, and applies the patches to
// its copy. It checks the promises of package chunk.
type collector struct {
	size    func(i int) int // of chunk number i, 0 for none
	discard bool            // for outputs that are too large to keep

	given    int
	current  []byte
	left     []left    // in the form in which they came back
	copies   [][]byte  // with the patches applied
	open     []int     // open slots
	patches  []patched // in the order in which they came
	finished int
	problem  string
}

func (c *collector) Next(full chunk.Full) (chunk.Chunk, bool) {
	c.takeBack(full)
	size := c.size(c.given)
	if size == 0 {
		return chunk.Chunk{}, false
	}
	c.given++
	if !c.discard || len(c.current) < size {
		c.current = bytes.Repeat([]byte{0xee}, size)
	}
	return chunk.Chunk{ID: uint64(c.given - 1), Data: c.current}, true
}

func (c *collector) takeBack(full chunk.Full) {
	if c.discard {
		return
	}
	if full.Data == nil {
		c.check(c.given == len(c.left), "a chunk did not come back")
		return
	}
	c.check(c.given == len(c.left)+1 && int(full.ID) == c.given-1, "chunk %d came back after %d", full.ID, c.given)
	c.left = append(c.left, left{hex.EncodeToString(full.Data), full.OpenSlots})
	c.copies = append(c.copies, bytes.Clone(full.Data))
	c.open = append(c.open, full.OpenSlots)
	for i := range full.Data { // nobody may read or write it any more
		full.Data[i] = 0xdd
	}
}

func (c *collector) Patch(p chunk.Patch) {
	if c.discard {
		return
	}
	c.patches = append(c.patches, patched{p.ID, p.Offset, hex.EncodeToString(p.Bytes[:]), p.StillOpen})
	slot := c.copies[p.ID][p.Offset : p.Offset+4]
	c.check(bytes.Equal(slot, make([]byte, 4)), "an open slot of chunk %d is %x", p.ID, slot)
	c.check(p.Bytes[0] != 0, "a patch begins with 0")
	c.open[p.ID]--
	c.check(c.open[p.ID] == p.StillOpen, "chunk %d has %d open slots, not %d", p.ID, c.open[p.ID], p.StillOpen)
	c.check(c.finished == 0, "a patch after the end")
	copy(slot, p.Bytes[:])
}

func (c *collector) Finish(last chunk.Full) {
	c.takeBack(last)
	c.finished++
	for id, open := range c.open {
		c.check(open == 0, "chunk %d has %d open slots at the end", id, open)
	}
}

func (c *collector) check(good bool, text string, args ...any) {
	if !good && c.problem == "" {
		c.problem = fmt.Sprintf(text, args...)
	}
}

// unsound returns the promise that was broken, or "".
func (c *collector) unsound() string {
	c.check(c.given == len(c.left), "a chunk did not come back")
	c.check(c.discard || c.finished > 0, "the message is not reported complete")
	return c.problem
}

func (c *collector) joined() []byte { return bytes.Join(c.copies, nil) }
