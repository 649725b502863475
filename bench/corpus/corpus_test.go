package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

func TestEveryShapeComesOutByteForByteAsItsCommittedSum(t *testing.T) {
	sums, err := os.ReadFile("SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		sum, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[file] = sum
	}
	out := t.TempDir()
	if err := run("../../vectors/corpora/prometheus_0.315_v1.snappy", out, ""); err != nil {
		t.Fatal(err)
	}
	if len(want) != len(shapes) {
		t.Fatalf("SHA256SUMS names %d files, there are %d shapes", len(want), len(shapes))
	}
	for file, sum := range want {
		request, err := os.ReadFile(out + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		got := sha256.Sum256(request)
		if hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s: sum %x, committed %s", file, got, sum)
		}
	}
}

func TestSplitMixGivesItsPublishedSequence(t *testing.T) {
	// The first values of splitmix64 from state 1234567, as its reference implementation prints them.
	r := random{state: 1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := r.next(); got != want {
			t.Errorf("value %d: got %d, want %d", i, got, want)
		}
	}
}

func TestATruncatedBodyIsRefused(t *testing.T) {
	body, err := os.ReadFile("../../vectors/corpora/prometheus_0.315_v1.snappy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readBody(body[:len(body)-1]); err == nil {
		t.Error("a truncated body was accepted")
	}
}
