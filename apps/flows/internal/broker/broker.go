//go:build linux

// Package broker runs a real Kafka broker on loopback, one node in KRaft mode, that can be killed and started
// again. The acceptance tests and the benchmarks use it. `apps/setup kafka` fetches it.
package broker

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Broker is one broker with its data. One goroutine at a time may use it.
type Broker struct {
	dir, jars  string
	address    string
	properties string
	running    *exec.Cmd
	ended      chan struct{} // closed when the process has ended
}

// properties are the settings that differ from the defaults: there is only one node, nothing is created unasked,
// and a broker that was killed may register again soon.
const properties = `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@%[2]s
listeners=PLAINTEXT://%[1]s,CONTROLLER://%[2]s
controller.listener.names=CONTROLLER
log.dirs=%[3]s
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
%[4]s`

// Start creates a broker in an empty folder and waits until it accepts connections. more are further properties,
// one a line.
func Start(dir, more string) (*Broker, error) {
	jars, err := findJars()
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	b := &Broker{dir: dir, jars: filepath.Join(jars, "*"), address: ports[0]}
	b.properties = filepath.Join(dir, "server.properties")
	text := fmt.Sprintf(properties, ports[0], ports[1], filepath.Join(dir, "data"), more)
	if err := os.WriteFile(b.properties, []byte(text), 0o644); err != nil {
		return nil, err
	}
	format := b.java("kafka.tools.StorageTool", "format", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", b.properties)
	if out, err := format.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("broker: format: %w\n%s", err, out)
	}
	return b, b.Restart()
}

// findJars looks for the jars in the tools folder of this folder or of one above it.
func findJars() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		jars := filepath.Join(dir, "build", "tools", "kafka")
		if _, err := os.Stat(jars); err == nil {
			return jars, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("broker: there is no build/tools/kafka here or above; run apps/setup kafka")
		}
	}
}

func freePorts(n int) (addresses []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // all are held until all are found, so that they differ
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}

func (b *Broker) java(arguments ...string) *exec.Cmd {
	c := exec.Command("java", append([]string{
		"-Xmx512m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", b.jars,
	}, arguments...)...)
	c.Dir = b.dir
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it does not outlive its parent
	return c
}

// Address returns the host and port of the broker, which a restart does not change.
func (b *Broker) Address() string { return b.address }

// Pid returns the process id of the running broker.
func (b *Broker) Pid() int { return b.running.Process.Pid }

// Restart starts a broker that was killed, with its data, and waits until it accepts connections.
func (b *Broker) Restart() error {
	log, err := os.OpenFile(b.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the broker has its own copy
	b.running, b.ended = b.java("kafka.Kafka", b.properties), make(chan struct{})
	b.running.Stdout, b.running.Stderr = log, log
	if err := b.running.Start(); err != nil {
		return fmt.Errorf("broker: %w", err)
	}
	go func() {
		_ = b.running.Wait() // killed is the expected outcome
		close(b.ended)
	}()
	timeout := time.After(time.Minute)
	for {
		if c, err := net.Dial("tcp", b.address); err == nil {
			return c.Close()
		}
		select {
		case <-b.ended:
			return fmt.Errorf("broker: it ended while starting:\n%s", b.tail())
		case <-timeout:
			return errors.Join(fmt.Errorf("broker: it does not accept connections:\n%s", b.tail()), b.Kill())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (b *Broker) logFile() string { return filepath.Join(b.dir, "broker.log") }

func (b *Broker) tail() []byte {
	text, _ := os.ReadFile(b.logFile())
	lines := bytes.Split(text, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-20):], []byte("\n"))
}

// Kill ends the broker as a power cut would, as far as a process can. It may have ended already.
func (b *Broker) Kill() error {
	err := b.running.Process.Kill()
	<-b.ended
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
