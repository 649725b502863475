package collect

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// tape has datagrams a step apart.
type tape struct {
	n, end int
	step   time.Duration
	fail   error
}

func (s *tape) Next() (flow.Datagram, error) {
	if s.n++; s.n > s.end {
		if s.fail != nil {
			return flow.Datagram{}, s.fail
		}
		return flow.Datagram{}, io.EOF
	}
	return flow.Datagram{
		Received: time.Unix(1e9, 0).Add(time.Duration(s.n) * s.step),
		From:     netip.MustParseAddrPort("192.0.2.1:2055"),
		Payload:  payload(uint64(s.n)),
	}, nil
}

func engine(t *testing.T, o Options) *Engine {
	t.Helper()
	e, err := New(o, &Setup{Layout: mustLayout(t, small)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAReplayAtFullSpeedHasAllInItsOrder(t *testing.T) {
	k := &kept{t: t}
	if err := engine(t, options(k.Put)).Replay(t.Context(), &tape{end: 5000, step: time.Hour}, 0); err != nil {
		t.Fatal(err)
	}
	if len(k.values) != 5000 || !slices.IsSorted(k.values) {
		t.Errorf("%d flows", len(k.values))
	}
}

func TestAReplayKeepsItsTime(t *testing.T) {
	k, begin := &kept{t: t}, time.Now()
	if err := engine(t, options(k.Put)).Replay(t.Context(), &tape{end: 11, step: 20 * time.Millisecond}, 2); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took < 100*time.Millisecond || took > 5*time.Second {
		t.Errorf("took %v, not about 100 ms", took)
	}
	if len(k.values) != 11 {
		t.Errorf("%d flows", len(k.values))
	}
}

// What was read before the file turned out to be cut is not lost with it.
func TestAReplayHandsOnWhatCameBeforeAnError(t *testing.T) {
	k, broken := &kept{t: t}, errors.New("cut")
	if err := engine(t, options(k.Put)).Replay(t.Context(), &tape{end: 3, fail: broken}, 0); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if len(k.values) != 3 {
		t.Errorf("flows %v", k.values)
	}
}

// holding holds back all flows until the end.
type holding struct {
	counting
	held  []byte
	flows int
}

func (d *holding) Append(dst []byte, dg *flow.Datagram) ([]byte, int) {
	held, n := d.counting.Append(d.held, dg)
	d.held, d.flows = held, d.flows+n
	return dst, 0
}

func (d *holding) End(dst []byte) ([]byte, int) { return append(dst, d.held...), d.flows }

// stopping is a tape during whose last datagram a signal comes.
type stopping struct {
	tape
	stop func()
}

func (s *stopping) Next() (flow.Datagram, error) {
	if s.n == s.end-1 {
		s.stop()
	}
	return s.tape.Next()
}

// Nor are flows that have waited for their sampling rate, however the replay ends.
func TestAReplayHandsOnWhatWasHeldBack(t *testing.T) {
	broken := errors.New("cut")
	ctx, stop := context.WithCancel(t.Context())
	for _, c := range []struct {
		from  Source
		end   error
		flows int
	}{
		{&tape{end: 3}, nil, 3}, {&tape{end: 3, fail: broken}, broken, 3}, {&stopping{tape{end: 3}, stop}, context.Canceled, 2},
	} {
		k := &kept{t: t}
		o := options(k.Put)
		o.NewDecoder = func(l *layout.Layout, _ flow.Enricher) (Decoder, error) {
			d := &holding{}
			return d, d.Use(l, nil)
		}
		if err := engine(t, o).Replay(ctx, c.from, 0); !errors.Is(err, c.end) || len(k.values) != c.flows {
			t.Errorf("the replay ends with %v, and has %d flows", err, len(k.values))
		}
	}
}

func TestAReplayWaitsForTheOutput(t *testing.T) {
	k := &kept{t: t}
	o := options(func(ctx context.Context, c flow.Chunk) error {
		time.Sleep(5 * time.Millisecond)
		if err := ctx.Err(); err != nil {
			return err
		}
		return k.Put(ctx, c)
	})
	o.PutWait, o.ChunkBytes = time.Millisecond, 64
	if err := engine(t, o).Replay(t.Context(), &tape{end: 100}, 0); err != nil {
		t.Fatal(err)
	}
	if n := o.Counters.Dropped(count.QueueFull); n != 0 || len(k.values) != 100 {
		t.Errorf("%d dropped, %d arrived", n, len(k.values))
	}
}

// jumps are times as a capture has them that was resumed, or whose clock was set.
type jumps struct {
	tape
	at []time.Duration
}

func (s *jumps) Next() (flow.Datagram, error) {
	d, err := s.tape.Next()
	if err == nil {
		d.Received = time.Unix(1e9, 0).Add(s.at[s.n-1])
	}
	return d, err
}

func TestAReplayLeavesLongPausesOutAndGoesOnWhenTimeGoesBack(t *testing.T) {
	k, begin := &kept{t: t}, time.Now()
	s := &jumps{tape{end: 6}, []time.Duration{0, 20 * time.Millisecond, time.Hour, time.Hour + 20*time.Millisecond, 0, 20 * time.Millisecond}}
	if err := engine(t, options(k.Put)).Replay(t.Context(), s, 1); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took < 55*time.Millisecond || took > 5*time.Second || len(k.values) != 6 {
		t.Errorf("took %v, not about 60 ms; %d flows", took, len(k.values))
	}
}

func TestAReplayEndsWithItsContext(t *testing.T) {
	k := &kept{t: t}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := engine(t, options(k.Put)).Replay(ctx, &tape{end: 3, step: time.Minute}, 1)
	if !errors.Is(err, context.DeadlineExceeded) || !slices.Equal(k.values, []uint64{1}) {
		t.Errorf("%v, flows %v", err, k.values)
	}
}

// stubborn takes its first layout only.
type stubborn struct {
	counting
	calls *int
}

func (s *stubborn) Use(*layout.Layout, flow.Enricher) error {
	*s.calls++
	return errors.New("no")
}

// A chunk's layout is that of its bytes, or they would go to a topic where nobody can read them.
func TestAWorkerWhoseDecoderRefusesALayoutKeepsTheOldOne(t *testing.T) {
	k, calls := &kept{t: t}, 0
	o := options(k.Put)
	o.NewDecoder = func(l *layout.Layout, _ flow.Enricher) (Decoder, error) {
		s := &stubborn{calls: &calls}
		return s, s.counting.Use(l, nil)
	}
	e := engine(t, o)
	old := e.Setup().Layout.Hash
	w, err := e.worker()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Reload(&Setup{Layout: mustLayout(t, strings.Replace(small, "9", "10", 1))}); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(3) {
		w.follow()
		w.add(&flow.Datagram{Payload: payload(i + 1)})
	}
	w.flush()
	if k.hashes[old] != 3 || !slices.Equal(k.values, []uint64{1, 2, 3}) || calls != 1 {
		t.Errorf("%v, flows %v; asked %d times", k.hashes, k.values, calls)
	}
}
