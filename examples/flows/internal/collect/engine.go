// Package collect reads datagrams, from sockets or captures, has them decoded, and hands the flows on in chunks.
package collect

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
	"github.com/hotpb/hotpb/examples/flows/internal/flow"
	"github.com/hotpb/hotpb/examples/flows/internal/layout"
)

// Decoder makes flows of datagrams; for one goroutine. Package decode has it.
type Decoder interface {
	Append(dst []byte, dg *flow.Datagram) (out []byte, flows int)
	Use(l *layout.Layout, e flow.Enricher) error // from the next datagram on
}

// Setup is what a reload changes, together.
type Setup struct {
	Layout   *layout.Layout
	Enricher flow.Enricher // may be nil
}

// Options are the ends of an Engine, and how it cuts chunks.
type Options struct {
	NewDecoder func(l *layout.Layout, e flow.Enricher) (Decoder, error)
	Put        func(ctx context.Context, c flow.Chunk) error // takes a chunk over
	Tap        func(c flow.Chunk)                            // sees a chunk before it is put, must not keep it; may be nil
	Counters   *count.Counters
	Log        *slog.Logger

	ChunkBytes int           // a chunk of this size is handed on
	ChunkTime  time.Duration // one that is so old, too
	PutWait    time.Duration // how long Put may wait for room; what then has none is counted as QueueFull. 0: for ever
}

// Engine is what all workers have in common.
type Engine struct {
	Options
	setup atomic.Pointer[Setup]
}

// New makes an engine. The error is of a layout that the decoder cannot fill.
func New(o Options, s *Setup) (*Engine, error) {
	e := &Engine{Options: o}
	return e, e.Reload(s)
}

// Reload has the workers use another setup, each from the datagram after the one it is at. After an error all stays
// as it was.
func (e *Engine) Reload(s *Setup) error {
	// What is wrong is found here, where somebody can be told, and not in the workers.
	if _, err := e.NewDecoder(s.Layout, s.Enricher); err != nil {
		return err
	}
	e.setup.Store(s)
	return nil
}

// Setup is what is in use.
func (e *Engine) Setup() *Setup { return e.setup.Load() }
