package collect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/ipv4"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Sockets says where to listen.
type Sockets struct {
	Addresses     []string      // like ":2055"; each accepts all protocols
	Workers       int           // sockets, each with a goroutine, for each address
	BySession     bool          // spread the ports of an exporter over the workers; else all of its ports have the same one
	ReceiveBuffer int           // of each socket, in bytes; 0 is the system's default
	MaxDatagram   int           // longer ones are dropped
	Batch         int           // datagrams to read at once
	Drain         time.Duration // at the end: to read what the kernel still has, and then again to pass it on
}

// Listener reads sockets. Each worker reads from senders of its own: of those that send to one address, an exporter
// stays with one worker, and its flows stay in order.
type Listener struct {
	engine  *Engine
	options Sockets
	sockets []*socket
	stop    atomic.Bool
}

// socket is one socket and its worker.
type socket struct {
	*worker
	conn  *net.UDPConn
	raw   syscall.RawConn
	batch *ipv4.PacketConn // accepts IPv6, too: only options differ
	drops uint32           // drops by the kernel that have been counted
	blind bool             // the kernel does not report drops
}

// Listen opens the sockets. Run reads them.
func (e *Engine) Listen(o Sockets) (*Listener, error) {
	if !batched {
		o.Workers = 1
	}
	l := &Listener{engine: e, options: o}
	for _, address := range o.Addresses {
		if err := free(address); err != nil {
			l.close()
			return nil, err
		}
		for i := range o.Workers {
			s, err := l.open(address)
			if err != nil {
				l.close()
				return nil, err
			}
			l.sockets = append(l.sockets, s)
			if i == 0 && o.Workers > 1 && !o.BySession {
				if err := steer(s.raw, o.Workers); err != nil {
					e.Log.Warn("an exporter that sends from several ports may have several workers, and its flows may be out of order",
						"address", address, "error", err)
				}
			}
			address = s.conn.LocalAddr().String() // for port 0 the first socket chooses
		}
	}
	return l, nil
}

// free reports whether nobody else listens on an address. Sockets that share an address would not fail: a second
// collector would silently receive some of the exporters' datagrams.
func free(address string) error {
	conn, err := net.ListenPacket("udp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w (another collector may be running: choose other addresses with --listen)", err)
	}
	if err != nil {
		return fmt.Errorf("%w (choose other addresses with --listen)", err)
	}
	return conn.Close()
}

func (l *Listener) open(address string) (*socket, error) {
	config := net.ListenConfig{Control: share}
	conn, err := config.ListenPacket(context.Background(), "udp", address)
	if err != nil {
		return nil, err
	}
	s := &socket{conn: conn.(*net.UDPConn), batch: ipv4.NewPacketConn(conn)}
	if s.raw, err = s.conn.SyscallConn(); err == nil {
		s.worker, err = l.engine.worker()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	if want := l.options.ReceiveBuffer; want > 0 {
		if got, err := setReceiveBuffer(s.raw, want); err != nil || got < want {
			s.Log.Warn("the receive buffer is smaller than requested: raise net.core.rmem_max, or grant CAP_NET_ADMIN",
				"address", address, "asked", want, "got", got, "error", err)
		}
	}
	if s.drops, err = kernelDrops(s.raw); err != nil {
		s.blind = true
		s.Log.Warn("datagrams that the kernel drops at this socket cannot be counted", "address", address, "error", err)
	}
	return s, nil
}

// Addresses returns the addresses that the sockets listen on.
func (l *Listener) Addresses() (all []netip.AddrPort) {
	for i := 0; i < len(l.sockets); i += l.options.Workers {
		all = append(all, l.sockets[i].conn.LocalAddr().(*net.UDPAddr).AddrPort())
	}
	return all
}

// Run reads until ctx ends. Then it reads what the kernel still has, for Drain at most, and passes on the chunks,
// for Drain at most. It ends early if a socket fails.
func (l *Listener) Run(ctx context.Context) error {
	defer l.close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	putting, giveUp := context.WithCancel(context.Background())
	defer giveUp()
	var all sync.WaitGroup
	for _, s := range l.sockets {
		s.ctx = putting
		all.Go(func() {
			if err := l.serve(s); err != nil {
				cancel(fmt.Errorf("%v: %w", s.conn.LocalAddr(), err))
			}
		})
	}
	<-ctx.Done()
	l.stop.Store(true)
	defer time.AfterFunc(2*l.options.Drain, giveUp).Stop() // however long a worker may otherwise wait for room
	for _, s := range l.sockets {
		s.conn.SetReadDeadline(time.Unix(1, 0)) // wakes it
	}
	all.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (l *Listener) close() {
	for _, s := range l.sockets {
		s.conn.Close()
	}
}

// serve is the loop of one socket.
func (l *Listener) serve(s *socket) error {
	messages := make([]ipv4.Message, l.options.Batch)
	memory := make([]byte, l.options.Batch*l.options.MaxDatagram)
	for i := range messages {
		messages[i].Buffers = [][]byte{memory[i*l.options.MaxDatagram:][:l.options.MaxDatagram:l.options.MaxDatagram]}
	}
	for {
		// The order matters: Run sets stop before it wakes the socket.
		s.conn.SetReadDeadline(time.Now().Add(s.ChunkTime))
		if l.stop.Load() {
			break
		}
		err := s.read(messages)
		s.follow()
		s.due(false)
		s.flush()
		s.countDrops()
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
	}
	s.conn.SetReadDeadline(time.Time{})
	var err error
	for end := time.Now().Add(l.options.Drain); err == nil && !elapsed(end) && batched; {
		err = s.readOnce(messages, dontWait)
	}
	s.due(true)
	s.flush()
	s.countDrops()
	return nil
}

// read reads until the deadline or an error.
func (s *socket) read(messages []ipv4.Message) (err error) {
	for err == nil {
		err = s.readOnce(messages, 0)
	}
	return err
}

// readOnce reads one batch and decodes it.
func (s *socket) readOnce(messages []ipv4.Message, flags int) error {
	n, err := s.batch.ReadBatch(messages, flags)
	if err != nil {
		if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EINTR) {
			return nil
		}
		return err
	}
	now := time.Now()
	for i := range messages[:n] {
		m := &messages[i]
		from, ok := m.Addr.(*net.UDPAddr)
		if !ok {
			s.Counters.Drop(count.Truncated, 1)
			continue
		}
		p := from.AddrPort()
		dg := flow.Datagram{
			Received: now,
			From:     netip.AddrPortFrom(p.Addr().Unmap().WithZone(""), p.Port()),
			Payload:  m.Buffers[0][:m.N],
			Cut:      m.Flags&cut != 0,
		}
		s.follow() // the read may have waited for long
		s.add(&dg)
	}
	return nil
}

// countDrops counts the kernel's drops since the last call.
func (s *socket) countDrops() {
	if s.blind {
		return
	}
	if now, err := kernelDrops(s.raw); err == nil && now != s.drops {
		s.Counters.Drop(count.Socket, int(now-s.drops))
		s.drops = now
	}
}
