//go:build unix

package main

import (
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
)

// routers are simulated exporters, each with a socket that it keeps.
type routers struct {
	*generate.Generator
	sockets map[netip.AddrPort]*net.UDPConn
}

func newRouters(t *testing.T, exporters int) *routers {
	r := &routers{sockets: map[netip.AddrPort]*net.UDPConn{}}
	r.Generator = generate.New(generate.Options{
		Seed: 1, Exporters: exporters, Protocols: []flow.Protocol{flow.NetFlow9, flow.IPFIX}, Start: time.Now(),
	})
	for i, e := range r.Exporters() {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 4, 0, byte(i+1))})
		if err != nil {
			t.Skipf("no address for each exporter: %v", err)
		}
		t.Cleanup(func() { conn.Close() })
		r.sockets[e.From] = conn
	}
	return r
}

// send sends datagrams, slowly enough for the kernel's smallest buffers.
func (r *routers) send(t *testing.T, to string, datagrams int) (flows uint64) {
	t.Helper()
	before := r.Sums().Flows
	for i := range datagrams {
		dg := r.Next()
		if _, err := r.sockets[dg.From].WriteToUDPAddrPort(dg.Payload, netip.MustParseAddrPort(to)); err != nil {
			t.Fatal(err)
		}
		if i%16 == 0 {
			time.Sleep(2 * time.Millisecond)
		}
	}
	return r.Sums().Flows - before
}

var endedWith = regexp.MustCompile(`msg=ended datagrams=(\d+) flows=(\d+) delivered=(\d+) lost_at_end=0(.*)`)

// The templates that one worker has learnt are those of four, and then of two, whichever of them an exporter has. Each
// collector receives its signal right after the last datagram, and delivers the flows of all its workers.
func TestAStateServesAnyNumberOfWorkers(t *testing.T) {
	folder := t.TempDir()
	r := newRouters(t, 24)
	for i, arguments := range [][]string{
		{"--workers=1"}, {"--workers=4"}, {"--workers=2", "--steer=session"}, {"--workers=4", "--state="},
	} {
		p := startProcess(t, append([]string{"--output=file", "--file-folder=" + filepath.Join(folder, fmt.Sprint(i)),
			"--state=" + filepath.Join(folder, "state.json")}, arguments...)...)
		sent := r.send(t, p.listen, 300)
		p.signal(t, syscall.SIGTERM)
		p.exitCode(t, fine)
		ended := endedWith.FindStringSubmatch(p.log.String())
		if ended == nil {
			t.Fatal(p.log.String())
		}
		got, _ := strconv.ParseUint(ended[2], 10, 64)
		if all := ended[2] == ended[3] && got == sent && ended[4] == ""; all != (i < 3) {
			t.Errorf("%v: %d flows sent, %d decoded, %s delivered, %s: without a state there should be a loss, else none\n%s",
				arguments, sent, got, ended[3], ended[4], strings.TrimSpace(p.log.String()))
		}
	}
}
