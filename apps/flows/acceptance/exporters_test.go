//go:build acceptance && linux

package acceptance

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/load"
)

// observed is where the traffic goes that exporters look at: nothing else is of it, what they themselves send least of
// all.
const observed = "net 127.0.3.0/24"

// find finds a daemon, which users' paths often have not.
func find(t *testing.T, name string) string {
	t.Helper()
	for _, folder := range []string{"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/"} {
		if _, err := os.Stat(folder + name); err == nil {
			return folder + name
		}
	}
	t.Fatalf("no %s: apps/flows/setup exporters", name)
	return ""
}

// softflowd is one that looks at loopback.
type softflowd struct {
	*tap
	control string
	process *load.Process
}

func startSoftflowd(t *testing.T, p *tap, version int) *softflowd {
	t.Helper()
	folder := t.TempDir()
	s := &softflowd{tap: p, control: filepath.Join(folder, "control")}
	var err error
	s.process, err = load.StartProcess(filepath.Join(folder, "log"), find(t, "softflowd"), "-d", "-i", "lo", "-N",
		"-v", strconv.Itoa(version), "-n", p.receiver().String(), "-c", s.control, "-p", filepath.Join(folder, "pid"),
		"-t", "expint=1", "-t", "maxlife=3", "-B", "8388608", observed)
	must(t, err)
	t.Cleanup(s.process.Kill)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(s.control); err == nil {
			return s
		}
		if time.Now().After(end) || !s.process.Running() {
			t.Fatalf("softflowd does not start: %s", s.process.Tail())
		}
	}
}

// ask sends it a command.
func (s *softflowd) ask(t *testing.T, command string) string {
	t.Helper()
	out, err := exec.Command(find(t, "softflowctl"), "-c", s.control, command).CombinedOutput()
	if err != nil {
		t.Fatalf("softflowctl %s: %v\n%s", command, err, out)
	}
	return string(out)
}

// account is what it says of itself.
type account struct{ packets, records uint64 }

// account has it export all that it knows, and asks what that was.
func (s *softflowd) account(t *testing.T) (a account) {
	t.Helper()
	figure := func(pattern, text string) uint64 {
		found := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("no %s in\n%s", pattern, text)
		}
		n, err := strconv.ParseUint(found[1], 10, 64)
		must(t, err)
		return n
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		s.ask(t, "expire-all")
		statistics := s.ask(t, "statistics")
		if figure(`Number of active flows: (\d+)`, statistics) == 0 {
			return account{
				packets: figure(`Packets processed: (\d+)`, statistics),
				records: figure(`Flows exported: \d+ \((\d+) records\)`, statistics),
			}
		}
		if time.Now().After(end) {
			t.Fatalf("softflowd does not export all that it has:\n%s", statistics)
		}
	}
}

// startPmacctd starts one with a plugin that exports.
func startPmacctd(t *testing.T, configuration string) *load.Process {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "pmacctd.conf")
	text := fmt.Sprintf("daemonize: false\npcap_interface: lo\npcap_filter: %s\npidfile: %s\n"+
		"aggregate: src_host,dst_host,src_port,dst_port,proto,tos\n%s",
		observed, filepath.Join(folder, "pid"), configuration)
	must(t, os.WriteFile(file, []byte(text), 0o644))
	p, err := load.StartProcess(filepath.Join(folder, "log"), find(t, "pmacctd"), "-f", file)
	must(t, err)
	t.Cleanup(p.Kill)
	return p
}

// stopPmacctd has it send what it still has; it ends all of its processes by itself.
func stopPmacctd(t *testing.T, p *load.Process) {
	t.Helper()
	if !p.Running() {
		t.Fatalf("pmacctd has ended: %s", p.Tail())
	}
	must(t, p.Signal(syscall.SIGINT))
	for end := time.Now().Add(10 * time.Second); p.Running(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("pmacctd does not end: %s", p.Tail())
		}
	}
}

// traffic is what there is to see: conversations of UDP and TCP among addresses of 127.0.3.0/24.
func traffic(t *testing.T, conversations int) {
	t.Helper()
	sink, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 3, 1)})
	must(t, err)
	defer func() { _ = sink.Close() }()
	server, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 3, 1)})
	must(t, err)
	defer func() { _ = server.Close() }()
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				buffer := make([]byte, 4096)
				for {
					n, err := c.Read(buffer)
					if err != nil {
						return
					}
					_, _ = c.Write(buffer[:n])
				}
			}()
		}
	}()
	for i := range conversations {
		from := net.IPv4(127, 0, 3, byte(2+i%200))
		if i%4 == 0 {
			must(t, overTCP(from, server.Addr().(*net.TCPAddr), bytes.Repeat([]byte("flow"), 100+i%300)))
		} else {
			must(t, overUDP(from, sink.LocalAddr().(*net.UDPAddr), 1+i%7, 20+i*13%1200))
		}
		time.Sleep(time.Millisecond)
	}
}

func overUDP(from net.IP, to *net.UDPAddr, packets, size int) error {
	c, err := net.DialUDP("udp4", &net.UDPAddr{IP: from}, to)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	for range packets {
		if _, err := c.Write(make([]byte, size)); err != nil {
			return err
		}
	}
	return nil
}

func overTCP(from net.IP, to *net.TCPAddr, data []byte) error {
	c, err := net.DialTCP("tcp4", &net.TCPAddr{IP: from}, to)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Write(data); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, len(data)))
	return err
}
