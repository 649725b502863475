package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
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
	made, err := filepath.Glob(filepath.Join(out, "*.bin"))
	if err != nil || len(made) != len(want) {
		t.Fatalf("SHA256SUMS names %d files, %d are made (%v)", len(want), len(made), err)
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

// However the fields of a message are laid out, its labels and samples are the same, in the same order.
func TestEveryLayoutHoldsTheSameSeries(t *testing.T) {
	all := []series{
		{labels: []label{{"__name__", "up"}, {"job", "x"}, {"zone", "東京"}}, samples: []sample{{1.5, 1000}, {0, 2000}, {2, 0}}},
		{labels: []label{{"__name__", "down"}}, samples: []sample{{3, 4}}},
	}
	for range 200 { // enough for every branch of the layouts
		all = append(all, all[0])
	}
	plain := appendRequest(all, plainLayout)
	for _, l := range []layout{samplesFirst, shuffled, unknownSprinkled} {
		request := appendRequest(all, l)
		if bytes.Equal(request, plain) {
			t.Errorf("layout %d changes nothing", l)
		}
		if got := knownFields(t, request, []int{1, 2}); !slices.Equal(got, knownFields(t, plain, []int{1, 2})) {
			t.Errorf("layout %d: other fields than the plain one", l)
		}
	}
}

// knownFields returns the labels and samples of a request, field by field, each level's in the order of their numbers.
func knownFields(t *testing.T, message []byte, levels []int) []string {
	var found [3][]string
	for len(message) > 0 {
		num, typ, n := protowire.ConsumeTag(message)
		m := protowire.ConsumeFieldValue(num, typ, message[n:])
		if n < 0 || m < 0 {
			t.Fatal("malformed")
		}
		value := message[n : n+m]
		message = message[n+m:]
		if num > 2 {
			continue // unknown
		}
		if len(levels) > 0 {
			inner, _ := protowire.ConsumeBytes(value)
			found[num] = append(found[num], knownFields(t, inner, levels[1:])...)
			continue
		}
		found[num] = append(found[num], string(value))
	}
	return append(found[1], found[2]...)
}
