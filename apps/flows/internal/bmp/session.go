package bmp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/routes"
)

// session is the connection of a router.
type session struct {
	server  *Server
	conn    net.Conn
	address netip.Addr
	router  *routes.Router
	began   time.Time

	peers    map[peerKey]*peer
	update   routes.Update
	messages uint64
	offset   int64 // of the message that is being read

	// For those that wait until the routes are complete.
	state atomic.Uint64 // peers, and those of them that have sent all: see progress
	last  atomic.Int64  // when a route came last, in nanoseconds since began
	came  atomic.Bool   // a route has come

	// Of the server, under its lock.
	lost     time.Time // when the connection ended; zero before
	replaced bool      // by another connection of the router
	inUse    bool      // look-ups use the routes
}

// peer is a neighbour of the router.
type peer struct {
	routes.Peer
	ended bool  // has sent all of its routes
	sides uint8 // a bit for each set of flags with which it came up
}

// The bounds of a session.
const (
	maxPeers    = 1000
	messageTime = 30 * time.Second // from the beginning of a message, or from that of the connection, to the message's end
)

// malformed is a message that cannot be read.
type malformed struct {
	number uint64
	offset int64
	kind   kind
	cause  error
}

func (m *malformed) Error() string {
	return fmt.Sprintf("message %d, at byte %d, %v: %v", m.number, m.offset, m.kind, m.cause)
}

// errEnd is the end that a router has announced.
var errEnd = errors.New("the router ended the session")

// run reads messages until the session ends. The error is never nil.
func (s *session) run() error {
	in := bufio.NewReaderSize(s.conn, 1<<16)
	body := make([]byte, 0, 4096)
	for ; ; s.messages++ {
		if s.messages > 0 { // a router may have nothing to say for long
			s.conn.SetReadDeadline(time.Time{})
			if _, err := in.Peek(1); err != nil {
				return err
			}
		}
		s.conn.SetReadDeadline(time.Now().Add(s.server.messageTime))
		var h [headSize]byte
		if _, err := io.ReadFull(in, h[:]); err != nil {
			return err
		}
		k, n, err := head(h)
		if err == nil && s.messages == 0 && k != initiation {
			err = errors.New("it is no initiation, which must come first")
		}
		if err != nil {
			return &malformed{s.messages + 1, s.offset, k, err}
		}
		s.server.counts.messages[min(k, kinds)].Add(1)
		if k.skipped() {
			if _, err := in.Discard(n); err != nil {
				return err
			}
		} else {
			if cap(body) < n {
				body = make([]byte, n)
			}
			body = body[:n]
			if _, err := io.ReadFull(in, body); err != nil {
				return err
			}
			if err := s.read(k, body); err != nil {
				if errors.Is(err, routes.ErrFull) || errors.Is(err, routes.ErrClosed) || errors.Is(err, errEnd) {
					return err
				}
				return &malformed{s.messages + 1, s.offset, k, err}
			}
		}
		s.offset += headSize + int64(n)
	}
}

// read reads a message.
func (s *session) read(k kind, b []byte) error {
	switch k {
	case initiation:
		name, err := texts(b, fieldName)
		if err == nil && s.messages == 0 {
			s.server.log.Info("a router sends its routes", "router", s.address.String(), "name", name)
		}
		return err
	case termination:
		if _, err := texts(b, fieldReason); err != nil {
			return err
		}
		return errEnd
	}
	h, b, err := readPeer(b)
	if err != nil {
		return err
	}
	switch k {
	case peerUp:
		err = s.up(&h, b)
	case peerDown:
		if len(b) == 0 {
			return errors.New("the reason is cut off")
		}
		err = s.down(&h)
	case routeMonitoring:
		err = s.routes(&h, b)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", &h, err)
	}
	return nil
}

// up adds a peer. One that is up already has begun once more, without its routes; but some routers say so for the routes
// before and after their policy.
func (s *session) up(h *peerHead, b []byte) error {
	e, err := up(b)
	if err != nil {
		return err
	}
	side := uint8(1) << (h.flags & (postPolicy | adjRIBOut) >> 4)
	if p := s.peers[h.peerKey]; p != nil && p.sides&side == 0 && p.Encoding == e {
		p.sides |= side
		return nil
	} else if p != nil {
		if err := s.down(h); err != nil {
			return err
		}
	}
	if len(s.peers) >= maxPeers {
		return fmt.Errorf("%w: there are more than %d peers", routes.ErrFull, maxPeers)
	}
	p := &peer{Peer: routes.Peer{Encoding: e}, sides: side}
	if h.kind != locRIB { // which has the routes of all
		p.AS = h.as
	}
	if _, _, used := h.view(); !used && h.flags&adjRIBOut == 0 {
		p.ended = true // its routes are skipped
	}
	s.add(h, p)
	return nil
}

func (s *session) add(h *peerHead, p *peer) {
	s.peers[h.peerKey] = p
	s.server.counts.peers.Add(1)
	s.progress()
}

// down removes a peer with its routes.
func (s *session) down(h *peerHead) error {
	p := s.peers[h.peerKey]
	if p == nil {
		s.server.counts.skip(skipUnknown)
		return nil
	}
	delete(s.peers, h.peerKey)
	s.server.counts.peers.Add(-1)
	s.progress()
	return s.router.Down(&p.Peer)
}

// routes reads a route monitoring.
func (s *session) routes(h *peerHead, b []byte) error {
	body, rest, err := message(b, bgpUpdate)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes follow the BGP message", len(rest))
	}
	if err != nil {
		return err
	}
	v, reason, ok := h.view()
	if !ok {
		s.server.counts.skip(reason)
		return nil
	}
	p := s.peers[h.peerKey]
	if p == nil && h.kind == locRIB { // GoBGP does not say before that it has one
		p = &peer{}
		s.add(h, p)
	}
	if p == nil {
		s.server.counts.skip(skipUnknown)
		return nil
	}
	e := p.Encoding
	e.ShortAS = h.kind != locRIB && h.flags&shortAS != 0
	u := &s.update
	if err := u.Read(body, p.AS, e, s.server.fields()); err != nil {
		return err
	}
	s.last.Store(int64(time.Since(s.began)))
	if (u.End[routes.IPv4] || u.End[routes.IPv6]) && !p.ended {
		p.ended = true
		s.progress()
	}
	for range u.Foreign {
		s.server.counts.skip(skipFamily)
	}
	for range u.Pathless {
		s.server.counts.skip(skipPathless)
	}
	if err := s.router.Withdraw(&p.Peer, v, u.Withdrawn); err != nil {
		return err
	}
	for i := range u.Announced {
		if err := s.router.Announce(&p.Peer, v, &u.Announced[i]); err != nil {
			return err
		}
		if len(u.Announced[i].To) > 0 && !s.came.Load() {
			s.came.Store(true)
		}
	}
	return nil
}

// progress records how many peers there are, and how many of them have sent all.
func (s *session) progress() {
	ended := 0
	for _, p := range s.peers {
		if p.ended {
			ended++
		}
	}
	s.state.Store(uint64(len(s.peers))<<32 | uint64(ended))
}

// complete reports whether the routes are as good as complete, so that look-ups may use them.
func (s *session) complete(now time.Time, o *Options) bool {
	if !s.came.Load() {
		return false
	}
	age := now.Sub(s.began)
	quiet := age - time.Duration(s.last.Load())
	state := s.state.Load()
	peers, ended := uint32(state>>32), uint32(state)
	return peers > 0 && ended == peers && quiet >= o.Pause || quiet >= 10*o.Pause || age >= loadTime
}

// loadTime is how long the routes of a router may take until they are used all the same.
const loadTime = 5 * time.Minute
