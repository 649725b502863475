package output

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Queue bounds the bytes that an output has taken and not delivered yet: when they are as many, Put waits, so that who
// calls it reads no further. It does not hold the chunks themselves: each output keeps them as it needs them.
type Queue struct {
	room *semaphore.Weighted
	size int64
	used atomic.Int64

	mu   sync.Mutex
	open context.Context // until it is closed
	shut context.CancelFunc
	puts sync.WaitGroup // that are on their way in
}

// NewQueue makes an empty queue for size bytes.
func NewQueue(size int64) *Queue {
	q := &Queue{room: semaphore.NewWeighted(size), size: size}
	q.open, q.shut = context.WithCancel(context.Background())
	return q
}

// Size is how many bytes have room.
func (q *Queue) Size() int64 { return q.size }

// Used is how many bytes are in the queue. A chunk larger than the queue waits until it has all of it for itself.
func (q *Queue) Used() int64 { return q.used.Load() }

// take waits until n bytes have room, and has them. begun has to be called when what was taken is where the output will
// find it: until then the output does not stop.
func (q *Queue) take(ctx context.Context, n int) (begun func(), err error) {
	q.mu.Lock()
	if q.open.Err() != nil {
		q.mu.Unlock()
		return nil, ErrClosed
	}
	q.puts.Add(1)
	q.mu.Unlock()
	if !q.room.TryAcquire(q.weight(n)) {
		waiting, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(q.open, cancel)
		err = q.room.Acquire(waiting, q.weight(n))
		stop()
		cancel()
		if err != nil {
			q.puts.Done()
			if ctx.Err() == nil {
				err = ErrClosed
			}
			return nil, err
		}
	}
	q.used.Add(int64(n))
	return q.puts.Done, nil
}

// give makes room again.
func (q *Queue) give(n int) {
	q.used.Add(-int64(n))
	q.room.Release(q.weight(n))
}

func (q *Queue) weight(n int) int64 { return min(int64(n), q.size) }

// close lets nobody in any more, and returns when all who were on their way are in or have been refused. It tells whether
// it is the first to do so.
func (q *Queue) close() (first bool) {
	q.mu.Lock()
	first = q.open.Err() == nil
	q.shut()
	q.mu.Unlock()
	q.puts.Wait()
	return first
}
