package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// orderDigits are a shop.Order: id, customer, two items, a map entry, a group and a field that the schema does not have.
const orderDigits = "08 96 01 12 03 616e6e 1a 06 0a 02 7465 10 02 1a 06 0a 02 6162 10 03 f8 7f 01"

// proto3Digits are two orders of testdata/proto3.proto: every kind of field, a map with a key that comes twice, a split
// message, an unknown field; and an order with one field.
const proto3Digits = "08 96 01 12 03 616e6e 1a 06 0a 02 7465 10 02 1a 06 0a 02 6162 10 03 22 05 0a 01 61 10 01 22 05 0a 01 61 10 02 " +
	"2a 03 01 96 01 31 00 00 00 00 00 00 f0 3f 3d 00 00 80 3f 42 03 0a 01 78 42 02 10 07 4a 01 7a 50 01 5a 02 ff 00 " +
	"62 06 08 01 12 02 10 05 6a 04 08 0a 10 14 f8 7f 01\n08 01\n"

type benched struct {
	Rows []struct {
		Language, Op, Name string
		Ns                 float64 `json:"ns_per_message"`
		Allocs             float64 `json:"allocs_per_message"`
		Times              float64 `json:"times_as_fast"`
		Verified, Stock    bool
	}
	Messages int
	Missing  []string
	Advice   []string
	Options  string
}

// bench calls the command on two messages, and checks that every row is there and verified.
func (h hotpb) bench(lang, schema, name, lines string, want ...string) benched {
	t := h.t
	t.Helper()
	data := filepath.Join(h.folder, "data.hex")
	if err := os.WriteFile(data, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(h.folder, "page.html")
	out, _ := h.run(0, "bench", "--json", "-s", schema, "-I../../../proto", "-I.", "--type="+name, "--lang="+lang, "--rounds=2", "--time=1ms", "--html="+page, data)
	var got benched
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err, out)
	}
	var names []string
	for _, r := range got.Rows {
		names = append(names, r.Op+" "+r.Name)
		if !r.Verified || r.Ns <= 0 || r.Times <= 0 {
			t.Errorf("%+v", r)
		}
		if r.Stock && r.Times != 1 && !strings.Contains(r.Name, "(") || // but for the other settings of libprotobuf
			strings.HasPrefix(r.Name, "pool") && r.Op == "decode" && r.Allocs > 0.5 {
			t.Errorf("%+v", r)
		}
	}
	if !slices.Equal(names, want) || got.Messages != 2 || len(got.Missing) != 0 || len(got.Advice) != 1 {
		t.Errorf("%q\n%s", names, out)
	}
	if text, err := os.ReadFile(page); err != nil || bytes.Count(text, []byte("<rect ")) != len(want) {
		t.Error(err, string(text))
	}
	return got
}

func TestBenchComparesGosFaces(t *testing.T) {
	h := hotpb{t: t, folder: t.TempDir()}
	h.bench("go", "testdata/shop.proto", "Order", orderDigits+"\n08 01\n", "decode protobuf-go", "decode codec", "decode pool", "decode pool, borrowing", "read view: open", "read view: check everything",
		"encode protobuf-go", "encode codec", "encode pool")
}

// go/check-all.sh sets the variable: cargo builds for a minute.
func TestBenchComparesRustsPool(t *testing.T) {
	if os.Getenv("HOTPB_THOROUGH") == "" {
		t.Skip("HOTPB_THOROUGH is not set")
	}
	h := hotpb{t: t, folder: t.TempDir()}
	h.bench("rust", "../../../proto/prometheus/remote.proto", "WriteRequest", "0a 0a 0a 08 0a 03 6a6f62 12 01 61\n0a 0b 12 09 09 00 00 00 00 00 00 f0 3f\n", "decode prost", "decode pool", "encode prost", "encode pool")
	h.bench("rust", "../../../proto/hotpb/spelling.proto", "POGOProtos.Rpc2Go.super.x_1_y.HTTPPing", "0a 03 616263\n12 01 7a\n", "decode prost", "decode pool", "encode prost", "encode pool")
}

// It builds a generator and libprotobuf's classes, too. The schema has nested, repeated and map fields, and the data an unknown one.
func TestBenchComparesCppsFaces(t *testing.T) {
	if os.Getenv("HOTPB_THOROUGH") == "" {
		t.Skip("HOTPB_THOROUGH is not set")
	}
	for _, program := range []string{"c++", "cmake", "pkg-config", "protoc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no " + program)
		}
	}
	h := hotpb{t: t, folder: t.TempDir()}
	h.bench("cpp", "testdata/proto3.proto", "Order", proto3Digits, "decode libprotobuf", "decode libprotobuf (reused)", "decode libprotobuf (arena)",
		"decode pool", "decode pool, borrowing", "read view: open", "read view: check everything", "read view: read everything", "encode libprotobuf",
		"encode pool", "relay libprotobuf", "relay libprotobuf (reused)", "relay libprotobuf (arena)", "relay view and writer", "relay pool")
}

func TestBenchSaysThatTheInstalledLibprotobufReadsNoEditions(t *testing.T) {
	version, err := exec.Command("pkg-config", "--modversion", "protobuf").Output()
	if err != nil || len(version) < 2 || version[0] != '3' && version[0] != '2' || string(version[:2]) > "26" && version[1] != '.' {
		t.Skip("there is no libprotobuf that is older than 27")
	}
	for _, program := range []string{"c++", "cmake", "protoc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no " + program)
		}
	}
	h := hotpb{t: t, stdin: orderDigits}
	_, stderr := h.run(1, "bench", "-s", "testdata/shop.proto", "-m", "Order", "--from=hex", "--lang=cpp", "-")
	if want := "testdata/shop.proto: libprotobuf " + strings.TrimSpace(string(version)) + " reads no editions; "; !strings.HasPrefix(stderr, want) {
		t.Error(stderr)
	}
}

func TestBenchSaysThatProstReadsNoEditions(t *testing.T) {
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("there is no cargo")
	}
	h := hotpb{t: t, stdin: orderDigits}
	if _, stderr := h.run(1, "bench", "-s", "testdata/shop.proto", "-m", "Order", "--from=hex", "--lang=rust", "-"); !strings.HasPrefix(stderr, "testdata/shop.proto: prost reads no editions") {
		t.Error(stderr)
	}
}

func TestBenchNamesWhatIsMissing(t *testing.T) {
	h := hotpb{t: t, folder: t.TempDir(), stdin: orderDigits}
	t.Setenv("PATH", h.folder)
	_, stderr := h.run(1, "bench", "-s", "testdata/shop.proto", "-m", "Order", "--from=hex", "-")
	want := "hotpb bench: Go: there is no go on the PATH; install Go 1.24 or newer (https://go.dev/dl); " +
		"Rust: there is no cargo on the PATH; install Rust 1.85 or newer (https://rustup.rs); " +
		"C++: there is no c++ on the PATH; install a C++17 compiler, CMake, pkg-config, and libprotobuf with its protoc (Debian: apt install g++ cmake pkg-config libprotobuf-dev protobuf-compiler)\n"
	if stderr != want {
		t.Error(stderr)
	}
}

func TestBenchSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		code               int
		stdin, flags, want string
	}{
		{2, orderDigits, "-", "hotpb: bench needs a schema; name one with --schema\n"},
		{2, orderDigits, "-s testdata/shop.proto -m Order --rounds=0 -", "hotpb: --rounds is between 1 and 1000; 41 is usual\n"},
		{2, orderDigits, "-s testdata/shop.proto -m Order --time=1h -", "hotpb: --time is between 1ms and 1m; 20ms is usual\n"},
		{2, orderDigits, "-s testdata/shop.proto -m Order --lang=perl -", "--lang must be"},
		{2, orderDigits, "-s testdata/shop.proto -m Order --from=hex --hotpb=testdata -", "hotpb: testdata is no clone of hotpb's repository: it has no go/go.mod of hotpb; git clone"},
		{2, orderDigits, "-s testdata/shop.proto -m None -", "has no message None; its messages are "},
		{1, orderDigits, "-s testdata/gone.proto -m Order -", "testdata/gone.proto: no such file or directory"},
		{1, "08 01 1a 06 0a", "-s testdata/shop.proto -m Order --from=hex -", "standard input:1: byte 4: Truncated: the bytes end inside a record"},
		{1, "", "-s testdata/shop.proto -m Order -", "standard input: it has no message that has a field; hand in messages"},
		{1, "", "-s testdata/shop.proto -m Order gone.bin", "gone.bin: no such file or directory"},
	} {
		h := hotpb{t: t, stdin: test.stdin}
		out, stderr := h.run(test.code, append([]string{"bench"}, strings.Fields(test.flags)...)...)
		if !strings.Contains(stderr, test.want) || out != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %s%s", test.flags, out, stderr)
		}
	}
}

func TestBenchHandsAFolderToThePeers(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	h := hotpb{t: t, folder: t.TempDir()}
	if err := os.WriteFile(filepath.Join(h.folder, "manifest.json"), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, stderr := h.run(1, "bench", "--lang=go", h.folder); !strings.Contains(stderr, "bench/peers: there are no such messages\n") || !strings.Contains(stderr, "bench/peers failed; ") {
		t.Error(out, stderr)
	}
	if _, stderr := h.run(2, "bench", "-s", "testdata/shop.proto", h.folder); !strings.Contains(stderr, "bench takes the schemas of a folder from the folder; ") {
		t.Error(stderr)
	}
	if _, stderr := h.run(2, "bench", "--json", h.folder); !strings.Contains(stderr, "bench of a folder prints no JSON") {
		t.Error(stderr)
	}
}
