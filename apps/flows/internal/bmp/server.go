// Package bmp receives the routes of routers by the BGP Monitoring Protocol (RFC 7854), and keeps them in tables.
//
// It reads unicast routes of IPv4 and IPv6 of the global table: those of the Loc-RIB (RFC 9069), or else those that peers
// have sent, after or before the router's policy. It skips those that the router sends to peers (RFC 8671), those of VRFs
// and other families, statistics, and mirrored messages.
package bmp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/routes"
)

// Options say who may send routes, and what is kept.
type Options struct {
	Listen string
	From   []netip.Prefix
	Fields routes.Fields
	Expire time.Duration // how long the routes of a router stay that has lost its connection
	Pause  time.Duration // without routes, after which those of all peers are complete
}

// Defaults are the options without those that the operator sets.
func Defaults() Options { return Options{Expire: 5 * time.Minute, Pause: time.Second} }

// maxSessions is how many connections there may be.
const maxSessions = 256

// Server receives routes. It outlives reloads.
type Server struct {
	*routes.Live
	log    *slog.Logger
	counts counts
	fault  func(error) // counts an error of the source

	messageTime time.Duration

	options atomic.Pointer[Options]

	mu       sync.Mutex
	listener net.Listener
	used     map[netip.Addr]*session // whose routes are used
	loading  map[netip.Addr]*session
	running  map[*session]bool
	full     map[netip.Addr]time.Time // routers that have exceeded a bound, and when
	closed   bool
	all      sync.WaitGroup
}

// New creates a server, which listens after Configure.
func New(log *slog.Logger, l routes.Limits) *Server {
	s := &Server{
		Live: routes.NewLive(l), log: log, fault: func(error) {}, messageTime: messageTime,
		used: map[netip.Addr]*session{}, loading: map[netip.Addr]*session{}, running: map[*session]bool{}, full: map[netip.Addr]time.Time{},
	}
	s.options.Store(&Options{})
	return s
}

func (s *Server) fields() routes.Fields { return s.options.Load().Fields }

// Configure replaces the options; fault receives errors, apart from those of the connection. Routers that may no longer
// connect lose their connection, and all do when more fields are kept: they connect again, and send all routes. Without
// an address to listen on, all end.
func (s *Server) Configure(o Options, fault func(error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.options.Load()
	if o.Listen != "" && !s.closed && (s.listener == nil || o.Listen != before.Listen) {
		listen := net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 15 * time.Second, Count: 4}}
		l, err := listen.Listen(context.Background(), "tcp", o.Listen)
		if err != nil {
			return err
		}
		s.stopListening()
		s.listener = l
		s.all.Go(func() { s.accept(l) })
		s.log.Info("routers may send routes", "address", l.Addr().String())
	}
	if o.Listen == "" {
		s.stopListening()
	}
	s.fault = fault
	s.options.Store(&o)
	for session := range s.running {
		if o.Listen == "" || o.Fields&^before.Fields != 0 || !o.allows(session.address) {
			session.conn.Close()
		}
	}
	for _, session := range s.used {
		if o.Listen == "" || !o.allows(session.address) {
			s.forget(session)
		}
	}
	return nil
}

func (s *Server) stopListening() {
	if s.listener != nil {
		s.listener.Close()
		s.listener = nil
	}
}

// Address is the one that the server listens on; nil for none.
func (s *Server) Address() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return nil
	}
	return s.listener.Addr()
}

func (o *Options) allows(a netip.Addr) bool {
	for _, p := range o.From {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// Run looks after the tables until ctx ends, and then ends all sessions.
func (s *Server) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.mu.Lock()
			s.closed = true
			s.stopListening()
			for session := range s.running {
				session.conn.Close()
			}
			s.mu.Unlock()
			s.all.Wait()
			return
		case now := <-tick.C:
			s.look(now)
		}
	}
}

// lookEvery is how often the server looks for routes that are complete, and for those that have expired.
const lookEvery = 250 * time.Millisecond

func (s *Server) look(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.options.Load()
	for _, session := range s.loading {
		if session.complete(now, o) {
			s.use(session)
		}
	}
	maps.DeleteFunc(s.full, func(_ netip.Addr, since time.Time) bool { return now.Sub(since) >= o.Expire })
	for _, session := range s.used {
		if !session.lost.IsZero() && now.Sub(session.lost) >= o.Expire {
			s.log.Warn("the routes of a router have expired", "router", session.address.String(), "routes", session.router.Size())
			s.forget(session)
		}
	}
}

// use makes look-ups use the routes of a session in place of those of the one before.
func (s *Server) use(session *session) {
	if before := s.used[session.address]; before != nil {
		before.inUse, before.replaced = false, true
		if before.lost.IsZero() {
			before.conn.Close()
		}
	}
	delete(s.loading, session.address)
	s.used[session.address] = session
	session.inUse = true
	s.Use(session.router)
	s.log.Info("the routes of a router are complete", "router", session.address.String(), "routes", session.router.Size())
}

// forget drops the routes of a session, and ends it.
func (s *Server) forget(session *session) {
	if s.used[session.address] == session {
		delete(s.used, session.address)
	}
	if s.loading[session.address] == session {
		delete(s.loading, session.address)
	}
	session.inUse = false
	session.conn.Close()
	s.Remove(session.router)
}

// accept accepts connections until the listener closes.
func (s *Server) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files, for instance
			s.log.Warn("a router cannot connect", "error", err)
			time.Sleep(lookEvery)
			continue
		}
		if reason, ok := s.admit(conn); !ok {
			s.counts.refuse(reason)
			conn.Close()
		}
	}
}

// admit begins a session, unless there is a reason not to.
func (s *Server) admit(conn net.Conn) (reason refusal, ok bool) {
	from, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return refuseStranger, false
	}
	a := from.Addr().Unmap().WithZone("")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed || !s.options.Load().allows(a):
		return refuseStranger, false
	case len(s.running) >= maxSessions:
		return refuseSessions, false
	}
	if _, full := s.full[a]; full {
		return refuseFull, false
	}
	if before := s.loading[a]; before != nil {
		before.replaced = true
		s.forget(before)
	} else if s.used[a] == nil && len(s.used)+len(s.loading) >= maxSessions {
		return refuseSessions, false
	}
	session := &session{server: s, conn: conn, address: a, router: s.NewRouter(a), began: time.Now(), peers: map[peerKey]*peer{}}
	s.loading[a] = session
	s.running[session] = true
	s.all.Go(func() {
		err := session.run()
		conn.Close()
		s.end(session, err)
	})
	return 0, true
}

// end does what is to be done after a session.
func (s *Server) end(session *session, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, session)
	s.counts.peers.Add(-int64(len(session.peers)))
	session.lost = time.Now()
	reason, bad := s.reason(session, err)
	s.counts.ends[reason].Add(1)
	kept := session.inUse && reason != endFull
	if !kept {
		s.forget(session)
	}
	if reason == endFull && len(s.full) < maxSessions {
		s.full[session.address] = session.lost
	}
	if s.closed || session.replaced {
		return
	}
	about := []any{"router", session.address.String(), "reason", reason.String(), "error", err}
	if kept {
		about = append(about, "routes", session.router.Size(), "stay_for", s.options.Load().Expire.String())
	}
	s.log.Warn("the session of a router has ended", about...)
	if bad {
		s.fault(fmt.Errorf("router %v: %w", session.address, err))
	}
}

// reason is why a session has ended. It reports whether that is a fault of the routes.
func (s *Server) reason(session *session, err error) (reason ending, bad bool) {
	var wrong *malformed
	switch {
	case session.replaced:
		return endReplaced, false
	case errors.Is(err, routes.ErrFull):
		return endFull, true
	case errors.As(err, &wrong):
		return endMalformed, true
	case errors.Is(err, errEnd):
		return endTermination, false
	case errors.Is(err, os.ErrDeadlineExceeded):
		return endTimeout, false
	}
	return endConnection, false
}
