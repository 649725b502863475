package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dgrams writes a capture.
func dgrams(t *testing.T, payloads ...[]byte) (path string) {
	t.Helper()
	var all []byte
	for _, p := range payloads {
		all = append(binary.BigEndian.AppendUint32(all, uint32(len(p))), p...)
	}
	path = filepath.Join(t.TempDir(), "x.dgrams")
	if err := os.WriteFile(path, all, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func words16(v ...int) (b []byte) {
	for _, v := range v {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	return b
}

// netflow9 is a datagram that was exported so many seconds after 2026-01-01, with one set.
func netflow9(second, source, id int, body ...int) []byte {
	b := words16(9, 1)
	for _, v := range []uint32{1000, 1767225600 + uint32(second), 1, uint32(source)} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return slices.Concat(b, words16(id, 4+2*len(body)), words16(body...))
}

// A replay has an example of each reason: when, who, which template, and a sentence.
func TestAReplayShowsAnExampleOfEachReason(t *testing.T) {
	const days = 15 * 86400
	path := dgrams(t,
		netflow9(0, 5, 0, 256, 1, 1, 4), netflow9(0, 5, 256, 0, 7),
		netflow9(1, 6, 0, 300, 0),
		netflow9(2, 7, 1, 301, 6, 5, 1, 4, 34, 4),
		netflow9(3, 8, 77, 1, 2),
		netflow9(days, 5, 256, 0, 8),
		netflow9(days, 9, 400, 0, 8),
	)
	code, _, log := flows(t, "replay", path, "--output=stdout", "--sampling-wait=0s")
	if code != fine {
		t.Fatal(log)
	}
	for _, want := range []string{
		`exporter=192.0.2.1:2055 reason=template_malformed number=1 unit=templates domain=6 template=300 received=2026-01-01T00:00:01Z detail="template 300 has no fields"`,
		`reason=malformed number=1 unit=parts domain=8 template=0 received=2026-01-01T00:00:03Z detail="`,
		`reason=waiting_expired number=1 unit=sets domain=\d template=(256|400) received=2026-01-16T00:00:00Z detail="template (256 was last sent or used at 2026-01-01 00:00:00 UTC, and expired 24h0m0s later \(--template-time\)|400 has not come from this exporter)`,
	} {
		if !regexp.MustCompile(want).MatchString(log) {
			t.Errorf("no %s in\n%s", want, log)
		}
	}
	if n := strings.Count(log, "one of its kind"); n != 3 {
		t.Errorf("%d examples\n%s", n, log)
	}
	path = dgrams(t, netflow9(2, 7, 1, 301, 6, 5, 1, 4, 34, 4), netflow9(0, 5, 0, 256, 1, 1, 4), netflow9(days, 5, 256, 0, 8))
	_, _, log = flows(t, "replay", path, "--output=stdout")
	for _, want := range []string{
		`detail="options template 301: scopes of 6 bytes and options of 5 bytes are not multiples of 4"`,
		`detail="template 256 was last sent or used at 2026-01-01 00:00:00 UTC, and expired 24h0m0s later (--template-time)"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in\n%s", want, log)
		}
	}
}

// flows explain needs no configuration, shows the datagrams that are asked for, and refuses what it cannot show.
func TestExplainShowsTheDatagramsOfACapture(t *testing.T) {
	path := dgrams(t, netflow9(0, 5, 0, 256, 1, 1, 4), netflow9(0, 5, 256, 0, 7))
	code, out, problems := flows(t, "explain", path)
	for _, want := range []string{
		"datagram 1: 32 bytes from 192.0.2.1:2055, 2026-01-01 00:00:00.000\n", "  template 256: new, 1 field, 4 bytes a record\n",
		"      octetDeltaCount  00000007  7  bytes\n", "      held until the sampling rate comes (--sampling-wait)\n",
		"      sampling rate: unknown\n", "\n2 datagrams, 1 flow\n",
	} {
		if code != fine || !strings.Contains(out, want) {
			t.Errorf("%d %s: no %q in\n%s", code, problems, want, out)
		}
	}
	if _, out, _ = flows(t, "explain", path, "--datagram=2"); !strings.HasPrefix(out, "datagram 2") || strings.Contains(out, "datagram 1:") {
		t.Error(out)
	}
	if _, out, _ = flows(t, "explain", path, "--exporter=192.0.2.7"); strings.Contains(out, "datagram 1:") {
		t.Error(out)
	}
	for arguments, want := range map[string]string{
		"--datagram=3": "--datagram=3: " + path + " has 2", "--datagram=-1": "--datagram must not be negative", "--exporter=x": "--exporter=x: it must be an address",
	} {
		if code, _, problems := flows(t, "explain", path, arguments); code == fine || !strings.Contains(problems, want) {
			t.Errorf("%d %s", code, problems)
		}
	}
}
