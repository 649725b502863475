//go:build linux

// Package load puts collectors under load on loopback and measures what that costs them, for the acceptance tests
// and the benchmarks.
package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"golang.org/x/net/ipv4"

	"github.com/hotpb/hotpb/apps/flows/internal/generate"
)

// Sender sends the datagrams of a ring, each exporter from an address of its own in 127.0.1.0/24. One goroutine
// may use it.
type Sender struct {
	ring    *generate.Ring
	order   []netip.AddrPort // of the exporters in the order of the ring
	sockets map[netip.AddrPort]*socket
}

type socket struct {
	conn    *net.UDPConn
	packets *ipv4.PacketConn
	batch   []ipv4.Message
}

// batch is how many datagrams are sent at once: fewer than the smallest buffer of a socket holds.
const batch = 16

// NewSender opens a socket for each exporter of the ring.
func NewSender(ring *generate.Ring, to netip.AddrPort) (*Sender, error) {
	s := &Sender{ring: ring, sockets: map[netip.AddrPort]*socket{}}
	for i, e := range ring.Exporters() {
		from := &net.UDPAddr{IP: net.IPv4(127, 0, 1, byte(i+1))}
		conn, err := net.DialUDP("udp4", from, net.UDPAddrFromAddrPort(to))
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.sockets[e.From] = &socket{conn: conn, packets: ipv4.NewPacketConn(conn)}
		s.order = append(s.order, e.From)
	}
	return s, nil
}

// Exporters returns what each exporter has sent so far. Its address is the sender's, or that of sFlow's agent.
func (s *Sender) Exporters() map[netip.Addr]generate.Sums {
	all := map[netip.Addr]generate.Sums{}
	for _, e := range s.ring.Exporters() {
		address := e.Address
		if address == e.From.Addr() {
			address = s.sockets[e.From].conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr()
		}
		all[address] = e.Sums
	}
	return all
}

// Sums returns what all exporters have sent so far.
func (s *Sender) Sums() generate.Sums { return s.ring.Sums() }

// Sent is what one call of Send has done.
type Sent struct {
	generate.Sums
	Took time.Duration
}

// Rate returns flows per second.
func (s Sent) Rate() float64 { return float64(s.Flows) / s.Took.Seconds() }

// Send sends datagrams at an even rate per second, for some time or until ctx ends. If it cannot keep up, it sends
// as many as it can: see Sent.Rate.
func (s *Sender) Send(ctx context.Context, perSecond float64, during time.Duration) (Sent, error) {
	before, begin := s.ring.Sums(), time.Now()
	for n := 0; ctx.Err() == nil; n += batch {
		now := time.Now()
		due := begin.Add(time.Duration(float64(n) / perSecond * 1e9))
		if due.Sub(begin) >= during || now.Sub(begin) >= during+during/4 {
			break
		}
		for wait := due.Sub(now); wait > 0; wait = time.Until(due) {
			if wait > 200*time.Microsecond { // busy waiting, because sleeping is not that exact
				time.Sleep(wait - 100*time.Microsecond)
			}
		}
		if err := s.sendBatch(now); err != nil {
			return Sent{}, err
		}
	}
	after := s.ring.Sums()
	return Sent{generate.Sums{
		Datagrams: after.Datagrams - before.Datagrams, Flows: after.Flows - before.Flows,
		Bytes: after.Bytes - before.Bytes, Packets: after.Packets - before.Packets,
	}, time.Since(begin)}, nil
}

// sendBatch sends the next datagrams, those of one exporter at once.
func (s *Sender) sendBatch(now time.Time) error {
	for range batch {
		dg := s.ring.Next(now)
		socket := s.sockets[dg.From]
		socket.batch = append(socket.batch, ipv4.Message{Buffers: [][]byte{dg.Payload}})
	}
	for _, from := range s.order {
		if err := s.sockets[from].flush(); err != nil {
			return err
		}
	}
	return nil
}

// flush sends the datagrams that wait in the socket. It is not an error if nobody listens, perhaps because the
// collector was killed: the datagrams are lost, as they are with exporters.
func (s *socket) flush() error {
	for left := s.batch; len(left) > 0; {
		n, err := s.packets.WriteBatch(left, 0)
		if errors.Is(err, syscall.ECONNREFUSED) {
			continue
		}
		if err != nil {
			return fmt.Errorf("send: %w", err)
		}
		left = left[n:]
	}
	s.batch = slices.Delete(s.batch, 0, len(s.batch))
	return nil
}

// Close closes all sockets.
func (s *Sender) Close() (err error) {
	for _, socket := range s.sockets {
		err = errors.Join(err, socket.conn.Close())
	}
	return err
}
