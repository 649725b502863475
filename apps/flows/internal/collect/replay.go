package collect

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Source returns datagrams, and io.EOF at its end. Package capture implements it.
type Source interface {
	Next() (flow.Datagram, error) // the payload is valid until the next call
}

// grace is how long the output may take for the last flows if a replay is ended early.
const grace = 5 * time.Second

// Replay decodes the datagrams of a source. At speed 1 the datagrams are as far apart as they were received, at 2
// half as far, at 0 they follow as fast as they can be decoded. Replay waits for the output. It drops flows only
// if ctx ends, which also ends the replay.
func (e *Engine) Replay(ctx context.Context, from Source, speed float64) error {
	w, err := e.worker()
	if err != nil {
		return err
	}
	var cancel context.CancelFunc
	w.PutWait = 0
	w.ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	defer func() {
		w.due(true) // also after an error: nobody replays the rest
		w.flush()
	}()

	p := pace{speed: speed, begin: time.Now()}
	due := p.begin.Add(w.ChunkTime)
	for {
		dg, err := from.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		wait := p.until(dg.Received)
		if speed > 0 && (wait > w.ChunkTime || elapsed(due)) {
			w.flush()
			due = time.Now().Add(w.ChunkTime)
		}
		if !Sleep(ctx, wait) {
			return ctx.Err()
		}
		w.follow()
		w.add(&dg)
	}
}

// pace computes when a datagram is due.
type pace struct {
	speed float64
	begin time.Time // of the replay
	first time.Time // when the first datagram was received
	last  time.Time // when the previous one was received
}

// longPause is left out: a capture may have been resumed, and times that come from headers jump.
const longPause = time.Minute

// until returns how long it takes until a datagram is due.
func (p *pace) until(received time.Time) time.Duration {
	if p.speed <= 0 {
		return 0
	}
	if p.first.IsZero() {
		p.first, p.last = received, received
	}
	if step := received.Sub(p.last); step < 0 || step > longPause {
		p.first = p.first.Add(step)
	}
	p.last = received
	return time.Until(p.begin.Add(time.Duration(float64(received.Sub(p.first)) / p.speed)))
}

// Sleep waits; it returns false if ctx has ended.
func Sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
