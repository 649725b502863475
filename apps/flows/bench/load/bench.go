//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
	"github.com/hotpb/hotpb/apps/flows/internal/load"
)

// bench has the programs, a folder for their output, and the processors.
type bench struct {
	folder string // in memory, so that no disk is measured
	flows  string // our collector
	rival  string // goflow2
}

func newBench() (*bench, error) {
	parent := "/dev/shm"
	if _, err := os.Stat(parent); err != nil {
		parent = ""
	}
	folder, err := os.MkdirTemp(parent, "hotpb-load-")
	if err != nil {
		return nil, err
	}
	b := &bench{folder: folder, flows: filepath.Join(folder, "flows"), rival: filepath.Join(folder, "goflow2")}
	for program, source := range map[string][2]string{
		b.flows: {"..", "."}, b.rival: {".", "github.com/netsampler/goflow2/v2/cmd/goflow2"},
	} {
		build := exec.Command("go", "build", "-o", program, source[1])
		build.Dir, build.Stderr = source[0], os.Stderr
		if err := build.Run(); err != nil {
			b.close()
			return nil, fmt.Errorf("build of %s in %s: %w", source[1], source[0], err)
		}
	}
	b.senderAlone(1)
	return b, nil
}

func (b *bench) close() { _ = os.RemoveAll(b.folder) }

// senderAlone keeps this process off the collector's processors, which are the first ones, if there are more.
func (b *bench) senderAlone(first int) {
	others, all := unix.CPUSet{}, runtime.NumCPU() // at the start of this process
	if first < all {
		for i := first; i < all; i++ {
			others.Set(i)
		}
	} else {
		fmt.Printf("this machine has %d processors: the sender shares one with the collector, and the rates mean little\n", all)
		for i := range all {
			others.Set(i)
		}
	}
	if err := unix.SchedSetaffinity(0, &others); err != nil {
		fmt.Println("the sender cannot be kept off the collector's processor:", err)
	}
}

// alone returns a command that runs on the first processor only.
func alone(command ...string) []string { return on(1, command...) }

// on returns a command that runs on the first processors only.
func on(n int, command ...string) []string {
	return append([]string{"taskset", "-c", fmt.Sprintf("0-%d", min(n, runtime.NumCPU())-1)}, command...)
}

// ring is the traffic to send: from eight exporters for each worker, of one protocol, or of all.
func ring(protocol string, workers int) (*generate.Ring, error) {
	o := generate.Options{Seed: 1, Exporters: 8 * workers}
	for p := flow.Unknown + 1; p < flow.Protocols; p++ {
		if protocol == "all" || protocol == p.String() {
			o.Protocols = append(o.Protocols, p)
		}
	}
	if o.Protocols == nil {
		return nil, fmt.Errorf("unknown protocol %q; use netflow5, netflow9, ipfix, sflow5 or all", protocol)
	}
	return generate.NewRing(generate.New(o), 4096), nil
}

// probe is one run of a collector under load.
type probe struct {
	load.Sent
	got     uint64        // flows that came out in time
	dropped uint64        // datagrams that the kernel dropped
	cpu     time.Duration // of the collector
	memory  uint64
}

// held reports whether nothing was lost and the sender reached the requested rate.
func (p probe) held() bool { return p.got == p.Flows }

func (p probe) perFlow() float64 { return float64(p.cpu.Nanoseconds()) / float64(max(1, p.got)) }

// settled waits until a count stops growing: until a third of a second without change, for at most three seconds.
func settled(ctx context.Context, wanted uint64, count func() (uint64, error)) (uint64, error) {
	last, changed := uint64(0), time.Now()
	for end := time.Now().Add(3 * time.Second); ; {
		n, err := count()
		if err != nil || n == wanted || time.Since(changed) > time.Second/3 || time.Now().After(end) || ctx.Err() != nil {
			return n, err
		}
		if n != last {
			last, changed = n, time.Now()
		}
		time.Sleep(50 * time.Millisecond)
	}
}
