//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asProgram has the test's binary be the program.
const asProgram = "TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is a collector of its own.
type process struct {
	*exec.Cmd
	log    buffer
	listen string
}

var listenOf = regexp.MustCompile(`addresses=\[?"?\[?([0-9.:]+)`)

func startProcess(t *testing.T, arguments ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], append([]string{"collect", "--listen=127.0.0.1:0", "--http="}, arguments...)...)}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stderr = &p.log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	until(t, "the collector listens", func() bool {
		found := listenOf.FindStringSubmatch(p.log.String())
		if found != nil {
			p.listen = found[1]
		}
		return found != nil
	})
	return p
}

func (p *process) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func (p *process) send(t *testing.T) {
	t.Helper()
	if code, _, problems := flows(t, "generate", p.listen, "--rate=2000", "--count=200", "--protocols=netflow5"); code != fine {
		t.Fatal(problems)
	}
}

func (p *process) exitCode(t *testing.T, want int) {
	t.Helper()
	_ = p.Wait()
	if got := p.ProcessState.ExitCode(); got != want {
		t.Errorf("exit code %d, not %d: %s", got, want, p.log.String())
	}
}

func TestASignalEndsTheCollectorWithAllThatWasReceived(t *testing.T) {
	folder := t.TempDir()
	p := startProcess(t, "--output=file", "--file-folder="+folder)
	p.send(t)
	p.signal(t, syscall.SIGTERM)
	p.exitCode(t, fine)
	if files, _ := filepath.Glob(filepath.Join(folder, "*.pb")); len(files) != 1 || !strings.Contains(p.log.String(), "lost_at_end=0") {
		t.Errorf("files %q: %s", files, p.log.String())
	}
}

// Nothing listens on port 1: what was received cannot be delivered.
func TestTheExitCodeTellsThatFlowsWereLostAtTheEnd(t *testing.T) {
	p := startProcess(t, "--output=kafka", "--kafka-brokers=127.0.0.1:1", "--drain=400ms")
	p.send(t)
	p.signal(t, syscall.SIGINT)
	p.exitCode(t, lossy)
	if !strings.Contains(p.log.String(), "dropped.shutdown=") || strings.Contains(p.log.String(), "lost_at_end=0") {
		t.Error(p.log.String())
	}
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	p := startProcess(t, "--output=kafka", "--kafka-brokers=127.0.0.1:1", "--drain=10m")
	p.send(t)
	p.signal(t, syscall.SIGTERM)
	until(t, "the end has begun", func() bool { return strings.Contains(p.log.String(), "msg=ending") })
	time.Sleep(sameSignal)
	p.signal(t, syscall.SIGTERM)
	p.exitCode(t, cutOff)
}

// timeout(1) signals its child, and then the group that the child is in.
func TestASignalThatComesTwiceAtOnceIsOne(t *testing.T) {
	p := startProcess(t, "--output=kafka", "--kafka-brokers=127.0.0.1:1", "--drain=1s")
	p.send(t)
	p.signal(t, syscall.SIGTERM)
	until(t, "the end has begun", func() bool { return strings.Contains(p.log.String(), "msg=ending") })
	p.signal(t, syscall.SIGTERM)
	p.exitCode(t, lossy)
}

func TestHangupReloads(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "s.yaml"), string(builtIn))
	p := startProcess(t, "--output=stdout", "--schema="+path)
	write(t, path, "columns: [")
	p.signal(t, syscall.SIGHUP)
	until(t, "the mistake is told", func() bool { return strings.Contains(p.log.String(), "the old ones stay") })
	write(t, path, strings.Replace(string(builtIn), "number: 45", "number: 46", 1))
	p.signal(t, syscall.SIGHUP)
	until(t, "the change is refused", func() bool {
		return strings.Contains(p.log.String(), "out_if_name: renumbered: was 45, is 46")
	})
	write(t, path, strings.Replace(string(builtIn), "columns:\n", "columns:\n  - {name: more, number: 99, type: uint32}\n", 1))
	p.signal(t, syscall.SIGHUP)
	until(t, "the new file is used", func() bool { return strings.Contains(p.log.String(), "msg=reloaded") })
	p.signal(t, syscall.SIGTERM)
	p.exitCode(t, fine)
}

// A reload that comes late, from a script say, must not kill a collector that still has flows to deliver.
func TestHangupWhileTheEndIsOnChangesNothing(t *testing.T) {
	p := startProcess(t, "--output=kafka", "--kafka-brokers=127.0.0.1:1", "--drain=3s")
	p.send(t)
	p.signal(t, syscall.SIGTERM)
	until(t, "the end has begun", func() bool { return strings.Contains(p.log.String(), "msg=ending") })
	for range 20 {
		time.Sleep(100 * time.Millisecond)
		p.signal(t, syscall.SIGHUP)
	}
	p.exitCode(t, lossy)
	if !strings.Contains(p.log.String(), "msg=ended") || !strings.Contains(p.log.String(), "dropped.shutdown=") {
		t.Error(p.log.String())
	}
}

// The queue is full and a worker waits for room for as long as it likes: the end does not wait for it.
func TestAWorkerThatWaitsForRoomDoesNotHoldUpTheEnd(t *testing.T) {
	p := startProcess(t, "--output=kafka", "--kafka-brokers=127.0.0.1:1", "--put-wait=1h", "--drain=1s", "--workers=1",
		"--queue-bytes=2000", "--chunk-bytes=1024")
	p.send(t)
	begin := time.Now()
	p.signal(t, syscall.SIGTERM)
	p.exitCode(t, lossy)
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("the end took %v", took)
	}
	if ended := regexp.MustCompile(` flows=(\d+) delivered=0 lost_at_end=(\d+) `).FindStringSubmatch(p.log.String()); ended == nil || ended[1] != ended[2] {
		t.Error(p.log.String())
	}
}

// Until all is over one can see what becomes of the flows that are left.
func TestMetricsAreThereUntilTheEnd(t *testing.T) {
	p := startProcess(t, "--output=kafka", "--kafka-brokers=127.0.0.1:1", "--drain=10m", "--http=127.0.0.1:0")
	p.send(t)
	p.signal(t, syscall.SIGTERM)
	until(t, "the end has begun", func() bool { return strings.Contains(p.log.String(), "msg=ending") })
	page := regexp.MustCompile(`page=(\S+)/`).FindStringSubmatch(p.log.String())
	if page == nil {
		t.Fatal(p.log.String())
	}
	until(t, "the sockets are read to their end", func() bool {
		conn, err := net.ListenPacket("udp", p.listen)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	if metrics := get(t, page[1]+"/metrics"); !strings.Contains(metrics, "\nflows_delivered_total 0\n") {
		t.Error(metrics)
	}
	time.Sleep(sameSignal)
	p.signal(t, syscall.SIGTERM)
	p.exitCode(t, cutOff)
}
