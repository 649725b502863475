//go:build acceptance && linux

// Package acceptance runs the collector as its users do, between live exporters and a real broker, kills what can be
// killed, and compares at the ends. check.sh starts it.
package acceptance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/broker"
)

// program is the collector, built once.
var program string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "hotpb-acceptance-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	program = filepath.Join(folder, "flows")
	build := exec.Command("go", "build", "-o", program, "..")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "go build:", err)
		return 1
	}
	return m.Run()
}

// startBroker starts a broker that ends with the test.
func startBroker(t *testing.T, more string) *broker.Broker {
	t.Helper()
	b, err := broker.Start(t.TempDir(), more)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, b.Kill()) })
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// equal fails when two figures are not the same; all are printed.
func equal[V comparable](t *testing.T, subject string, got, want V) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", subject, got, want)
		return
	}
	t.Logf("%s: %v, as it should be", subject, got)
}
