package collect

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// slack is usually enough room for the flows of the datagram that fills a chunk.
const slack = 32 << 10

// worker decodes datagrams into chunks; one goroutine uses it.
type worker struct {
	*Engine
	PutWait time.Duration   // the engine's, or another
	ctx     context.Context // of Put
	decoder Decoder
	setup   *Setup
	refused *Setup // set by the decoder
	bytes   []byte
	flows   int
}

func (e *Engine) worker() (*worker, error) {
	s := e.Setup()
	d, err := e.NewDecoder(s.Layout, s.Enricher)
	return &worker{Engine: e, PutWait: e.PutWait, ctx: context.Background(), decoder: d, setup: s}, err
}

// follow switches to another setup if there is one. It first passes on flows of the old layout: a chunk has one
// layout.
func (w *worker) follow() {
	s := w.Setup()
	if s == w.setup || s == w.refused {
		return
	}
	w.flush()
	if err := w.decoder.Use(s.Layout, s.Enricher); err != nil { // Reload has tried it
		w.Log.Error("a worker keeps the schema that it has", "error", err)
		w.refused = s
		return
	}
	w.setup = s
}

// add decodes a datagram.
func (w *worker) add(dg *flow.Datagram) {
	if w.bytes == nil {
		w.bytes = make([]byte, 0, w.ChunkBytes+slack)
	}
	var n int
	w.bytes, n = w.decoder.Append(w.bytes, dg)
	w.flows += n
	if len(w.bytes) >= w.ChunkBytes {
		w.flush()
	}
}

// due adds the flows that the decoder has held back for long enough; all of them in the end.
func (w *worker) due(end bool) {
	var n int
	if end {
		w.bytes, n = w.decoder.End(w.bytes)
	} else {
		w.bytes, n = w.decoder.Due(w.bytes, time.Now())
	}
	w.flows += n
}

// flush passes on the chunk.
func (w *worker) flush() {
	if w.flows == 0 {
		return
	}
	c := flow.Chunk{Layout: w.setup.Layout, Bytes: w.bytes, Flows: w.flows}
	if len(w.bytes) < cap(w.bytes)/2 { // the output may keep it for long
		c.Bytes, w.bytes = bytes.Clone(w.bytes), w.bytes[:0]
	} else {
		w.bytes = nil
	}
	w.flows = 0
	if w.Tap != nil {
		w.Tap(c)
	}
	if err := w.put(c); err != nil {
		reason := count.OutputFailed
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			reason = count.QueueFull
		case errors.Is(err, context.Canceled):
			reason = count.Shutdown
		}
		w.Counters.Drop(reason, c.Flows)
		w.Log.Debug("flows are dropped", "flows", c.Flows, "reason", reason, "error", err)
	}
}

func (w *worker) put(c flow.Chunk) error {
	if w.PutWait == 0 {
		return w.Put(w.ctx, c)
	}
	ctx, cancel := context.WithTimeout(w.ctx, w.PutWait)
	defer cancel()
	return w.Put(ctx, c)
}

// elapsed reports whether a deadline has passed.
func elapsed(t time.Time) bool { return !time.Now().Before(t) }
