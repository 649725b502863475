package collect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

func sockets() Sockets {
	return Sockets{Addresses: []string{"127.0.0.1:0"}, Workers: 2, ReceiveBuffer: 1 << 20, MaxDatagram: 64, Batch: 16, Drain: time.Second}
}

// run starts a listener; stop ends it and waits.
func run(t *testing.T, o Options, s Sockets) (e *Engine, address string, stop func()) {
	t.Helper()
	e, err := New(o, &Setup{Layout: mustLayout(t, small)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := e.Listen(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	return e, l.Addresses()[0].String(), func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestWhatIsSentBeforeTheStopArrives(t *testing.T) {
	k := &kept{t: t}
	_, address, stop := run(t, options(k.Put), sockets())
	const senders, each = 4, 100 // which a buffer has room for that nobody may make larger
	for i := range uint64(senders) {
		c := dial(t, address)
		for n := range uint64(each) {
			if _, err := c.Write(payload(i*each + n + 1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	stop() // at once: most is still in the kernel's buffers
	slices.Sort(k.values)
	if len(k.values) != senders*each || k.values[0] != 1 || k.values[len(k.values)-1] != senders*each {
		t.Errorf("%d flows of %d arrived", len(k.values), senders*each)
	}
}

// A sender goes on while the layout changes 50 times: every flow arrives once, readable by the layout of its chunk.
func TestReloadsLoseNothing(t *testing.T) {
	k := &kept{t: t}
	e, address, stop := run(t, options(k.Put), sockets())
	c := dial(t, address)
	const reloads, between = 50, 40
	sent := uint64(0)
	for i := range reloads {
		l := mustLayout(t, strings.Replace(small, "9", fmt.Sprint(100+i), 1))
		if err := e.Reload(&Setup{Layout: l}); err != nil {
			t.Fatal(err)
		}
		for range between {
			sent++
			if _, err := c.Write(payload(sent)); err != nil {
				t.Fatal(err)
			}
			if sent%8 == 0 {
				time.Sleep(200 * time.Microsecond)
			}
		}
	}
	stop()
	slices.Sort(k.values)
	for i, v := range k.values {
		if v != uint64(i)+1 {
			t.Fatalf("flow %d is not there, or twice: %d", i+1, v)
		}
	}
	if len(k.values) != int(sent) {
		t.Errorf("%d flows of %d arrived", len(k.values), sent)
	}
	if len(k.hashes) < reloads/2 {
		t.Errorf("flows of %d layouts only", len(k.hashes))
	}
}

func TestALayoutThatDoesNotFitChangesNothing(t *testing.T) {
	k := &kept{t: t}
	e, address, stop := run(t, options(k.Put), sockets())
	before := e.Setup()
	if err := e.Reload(&Setup{Layout: mustLayout(t, strings.Replace(small, "bytes", "octets", 1))}); err == nil {
		t.Error("no error")
	}
	if e.Setup() != before {
		t.Error("the setup is another one")
	}
	if _, err := dial(t, address).Write(payload(7)); err != nil {
		t.Fatal(err)
	}
	stop()
	if !slices.Equal(k.values, []uint64{7}) {
		t.Errorf("flows %v", k.values)
	}
}

func TestDatagramsLongerThanTheBufferAreSaidToBeCut(t *testing.T) {
	k := &kept{t: t}
	o := options(k.Put)
	_, address, stop := run(t, o, sockets())
	c := dial(t, address)
	for _, p := range [][]byte{make([]byte, 65), payload(1), make([]byte, 9000)} {
		if _, err := c.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if !slices.Equal(k.values, []uint64{bytesOfCut, 1, bytesOfCut}) {
		t.Errorf("flows %v", k.values)
	}
}

func TestAnOutputThatDoesNotTakeFlowsCostsFlowsThatAreCounted(t *testing.T) {
	o := options(func(ctx context.Context, _ flow.Chunk) error {
		<-ctx.Done()
		return fmt.Errorf("no room: %w", ctx.Err())
	})
	o.PutWait = time.Millisecond
	_, address, stop := run(t, o, sockets())
	c := dial(t, address)
	for i := range uint64(20) {
		if _, err := c.Write(payload(i + 1)); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if n := o.Counters.Dropped(count.QueueFull); n != 20 {
		t.Errorf("%d dropped, not 20", n)
	}
}

// The worker waits in Put, so that the socket's buffer runs full: what was sent either arrives or is counted.
func TestWhatTheKernelDropsIsCounted(t *testing.T) {
	k, free := &kept{t: t}, make(chan struct{})
	o := options(func(ctx context.Context, c flow.Chunk) error {
		<-free
		return k.Put(ctx, c)
	})
	o.ChunkBytes = 1
	s := sockets()
	s.ReceiveBuffer = 1 << 13
	_, address, stop := run(t, o, s)
	c := dial(t, address)
	const sent = 5000
	for i := range uint64(sent) {
		if _, err := c.Write(payload(i + 1)); err != nil {
			t.Fatal(err)
		}
	}
	close(free)
	stop()
	dropped := o.Counters.Dropped(count.Socket)
	if len(k.values)+int(dropped) != sent {
		t.Errorf("%d arrived and %d are counted as dropped, of %d", len(k.values), dropped, sent)
	} else if dropped == 0 {
		t.Skip("all has arrived: this kernel gives larger buffers than it was asked for")
	}
}

// Both could have the address, and each would get some of the exporters.
func TestASecondCollectorOfAnAddressIsRefused(t *testing.T) {
	e, address, stop := run(t, options((&kept{t: t}).Put), sockets())
	defer stop()
	s := sockets()
	s.Addresses = []string{address}
	if _, err := e.Listen(s); err == nil || !strings.Contains(err.Error(), "another collector") {
		t.Errorf("%v", err)
	}
}

func TestAnAddressThatIsTakenIsToldWithAWayOut(t *testing.T) {
	occupied, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer occupied.Close()
	e, err := New(options(nil), &Setup{Layout: mustLayout(t, small)})
	if err != nil {
		t.Fatal(err)
	}
	s := sockets()
	s.Addresses = []string{"127.0.0.1:0", occupied.LocalAddr().String()}
	if _, err = e.Listen(s); err == nil || !strings.Contains(err.Error(), "--listen") {
		t.Errorf("%v", err)
	}
	var op *net.OpError
	if !errors.As(err, &op) {
		t.Errorf("the cause is not in %v", err)
	}
}

// The output hangs and the workers may wait for it for ever: the end comes all the same, with all flows counted.
func TestAnOutputThatHangsDoesNotHoldUpTheEnd(t *testing.T) {
	waits := make(chan struct{}, 1000)
	o := options(func(ctx context.Context, _ flow.Chunk) error {
		waits <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	o.PutWait = 0
	s := sockets()
	s.Drain = 10 * time.Millisecond
	_, address, stop := run(t, o, s)
	c := dial(t, address)
	const sent = 20
	for i := range uint64(sent) {
		if _, err := c.Write(payload(i + 1)); err != nil {
			t.Fatal(err)
		}
	}
	<-waits
	stop()
	if n := o.Counters.Dropped(count.Shutdown); n == 0 || n > sent {
		t.Errorf("%d of %d dropped", n, sent)
	}
}
