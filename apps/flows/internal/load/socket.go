//go:build linux

package load

import (
	"bufio"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"
)

// Listeners are the UDP sockets of a port.
type Listeners struct {
	Sockets int
	Queued  uint64 // bytes that are not yet read
	Dropped uint64 // datagrams for which there was no room
}

// ListenersOf asks the kernel for the sockets of a port.
func ListenersOf(port uint16) (all Listeners, err error) {
	for _, file := range []string{"/proc/net/udp", "/proc/net/udp6"} {
		f, err := os.Open(file)
		if os.IsNotExist(err) {
			continue // no IPv6
		}
		if err != nil {
			return all, err
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			// sl local rem st tx:rx tr:when retrnsmt uid timeout inode ref pointer drops
			fields := strings.Fields(lines.Text())
			if len(fields) < 13 || !strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", port)) {
				continue
			}
			_, rx, _ := strings.Cut(fields[4], ":")
			queued, _ := strconv.ParseUint(rx, 16, 64)
			dropped, _ := strconv.ParseUint(fields[12], 10, 64)
			all.Sockets, all.Queued, all.Dropped = all.Sockets+1, all.Queued+queued, all.Dropped+dropped
		}
		if err := f.Close(); err != nil {
			return all, err
		}
	}
	return all, nil
}

// FreePort returns a UDP port of loopback on which nobody listens.
func FreePort() (netip.AddrPort, error) {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return netip.AddrPort{}, err
	}
	defer func() { _ = c.Close() }()
	return c.LocalAddr().(*net.UDPAddr).AddrPort(), nil
}

// FreePage returns a free TCP address of loopback for a page.
func FreePage() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}

// WaitForListener waits until the process listens on a port.
func (p *Process) WaitForListener(port uint16) error {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if !p.Running() {
			return p.failed(p.err)
		}
		if l, err := ListenersOf(port); err != nil || l.Sockets > 0 {
			return err
		}
	}
	return p.failed(fmt.Errorf("it does not listen on port %d", port))
}
