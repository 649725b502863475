package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// inside matches words that only Go programmers know: errors of packages, types and traces.
var inside = regexp.MustCompile(`goroutine|panic|runtime error|\bEOF\b|\b(open|read|write|stat|mkdir) /?[^ ]+: |(^|[^.\w])(strconv|yaml|json|proto|os|fs|gzip|zstd|snappy|protodesc|kong)[.:]|%!|\bnil\b|<nil>|\*\w+\.\w+|0x[0-9a-f]{4}|\x{00a0}`)

// badCall is a call that must end with one line.
type badCall struct {
	call   string // words; FOLDER stands for the folder of the files
	status int
	want   string // the beginning of the line
	mend   string // a part of what follows the cause
	stdin  io.Reader
	stdout io.Writer
}

// badFiles writes the files of the calls, and returns their folder.
func badFiles(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(bytes.Repeat([]byte("\x08\x01"), 1000)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	set, err := os.ReadFile("../../../vectors/plans/remote_write_v1.fds")
	if err != nil {
		t.Fatal(err)
	}
	lone, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
		{Name: proto.String("a.proto"), Dependency: []string{"gone.proto"}, MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("A")}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"ok.proto":      "syntax = \"proto3\";\npackage ok;\noption go_package = \"example.com/ok\";\nmessage A { int32 x = 1; string s = 2; }\nmessage B { A a = 1; }\n",
		"ok.bin":        "\x08\x01",
		"ok.yaml":       "package: flows\nmessage: FlowMessage\ncolumns:\n  - {name: bytes, number: 9, type: uint64}\n",
		"empty":         "",
		"empty.proto":   "",
		"empty.fds":     "",
		"empty.yaml":    "",
		"cut.bin":       "\x08\x01\x12\x05ab",
		"cut-head.gz":   packed.String()[:8],
		"cut.gz":        packed.String()[:20],
		"damaged.gz":    packed.String()[:packed.Len()-8] + "12345678",
		"cut.fds":       string(set[:100]),
		"noimports.fds": string(lone),
		"broken.proto":  "syntax = \"proto3\";\nmessage A {\n  int32 x = ;\n}\n",
		"binary.proto":  "\x0a\xff\x00\x01",
		"import.proto":  "syntax = \"proto3\";\nimport \"gone.proto\";\nmessage A { B b = 1; }\n",
		"broken.yaml":   "package: x\nmessage: [\n",
		"binary.yaml":   "\xff\xfe\x00",
		"wrong.yaml":    "package: flows\nmessage: FlowMessage\ncolumns:\n  - {name: bytes, number: 0, type: uint64}\n",
		"none.yaml":     "{}\n",
		"file":          "text",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"dir", "dir.proto", "dir.yaml"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// fullDisk is a disk without room.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

func closedInput() io.Reader {
	return iotest.ErrReader(&fs.PathError{Op: "read", Path: "/dev/stdin", Err: os.ErrClosed})
}

const okSchema = " -s FOLDER/ok.proto -I FOLDER"

// badCalls are all commands with each kind of bad input that they have.
func badCalls() (all []badCall) {
	add := func(call string, status int, want, mend string) {
		all = append(all, badCall{call: call, status: status, want: want, mend: mend})
	}
	const truncated = "Truncated: the bytes end inside a record"
	readers := map[string]string{"inspect": "inspect", "convert": "convert", "lint": "lint --hot", "profile": "profile", "bench": "bench"}
	for name, command := range readers {
		data := command
		if name != "inspect" {
			data += okSchema + " -m A"
		}
		add(data+" FOLDER/gone", 1, "gone: no such file or directory; ", "check the name")
		add(data+" FOLDER/dir", 1, "dir: is a directory; ", "name a file")
		add(data+" FOLDER/cut.bin", 1, "cut.bin: byte 4: "+truncated, "the message was cut")
		add(data+" FOLDER/cut-head.gz", 1, "cut-head.gz: it cannot be decompressed: the input ends too early; ", "--decompress")
		add(data+" FOLDER/cut.gz", 1, "cut.gz: byte 1034: reading fails: the input ends too early; ", "cut or damaged")
		add(data+" FOLDER/damaged.gz", 1, "damaged.gz: byte 2000: reading fails: invalid checksum; ", "cut or damaged")
		add(data+" --max-size=1B FOLDER/ok.bin", 1, "ok.bin: the input has more than 1 bytes; ", "--max-size")
		all = append(all, badCall{call: data + " -", status: 1, want: "standard input: byte 0: reading fails: it is closed; ", mend: "cut or damaged", stdin: closedInput()})
	}
	add("bench"+okSchema+" -m A FOLDER/empty", 1, "empty: it has no message that has a field; ", "hand in messages")
	for name, command := range readers {
		add(command+okSchema+" -m Gone FOLDER/ok.bin", 2, "hotpb: FOLDER/ok.proto has no message Gone; ", "its messages are ok.A")
		add(command+" -s FOLDER/empty.proto -I FOLDER -m A FOLDER/ok.bin", 1, "empty.proto: it declares no message; ", "name the file")
		if name != "inspect" {
			add(command+" -m A FOLDER/ok.bin", 2, "hotpb: "+name+" needs a schema; ", "--schema")
		}
	}
	for name, command := range map[string]string{"inspect": "inspect -m A FOLDER/ok.bin -s ", "convert": "convert -m A FOLDER/ok.bin -s ", "lint": "lint --hot -s ",
		"profile": "profile -m A FOLDER/ok.bin -s ", "bench": "bench -m A FOLDER/ok.bin -s ", "generate": "generate --out=FOLDER/gen "} {
		add(command+"FOLDER/gone.proto", 1, "gone.proto: no such file or directory; ", "check the name")
		add(command+"FOLDER/gone.fds", 1, "gone.fds: no such file or directory; ", "check the name")
		add(command+"FOLDER/dir.proto", 1, "dir.proto: is a directory; ", "check the name")
		add(command+"FOLDER/dir", 1, "dir: is a directory; ", "check the name")
		add(command+"FOLDER/empty.fds", 1, "empty.fds: it is no descriptor set; ", "protoc --include_imports")
		add(command+"FOLDER/cut.fds", 1, "cut.fds: it is no descriptor set; ", "protoc --include_imports")
		add(command+"FOLDER/noimports.fds", 1, "noimports.fds: ", "write the descriptor set with --include_imports")
		add(command+"FOLDER/broken.proto -I FOLDER", 1, "broken.proto:3:13: syntax error: unexpected ';'", "correct the schema there")
		add(command+"FOLDER/binary.proto -I FOLDER", 1, "binary.proto: this is no text", "another ending")
		add(command+"FOLDER/import.proto -I FOLDER", 1, "import.proto:2:8: there is no ", "-I names the folder")
		if name == "generate" {
			add(command+"FOLDER/empty.proto -I FOLDER", 1, "empty.proto: its Go package is not known; ", "go_package")
		}
	}
	for _, command := range []string{"show", "proto", "clickhouse --table=t", "arrow", "hash", "lock", "check"} {
		command = "schema " + command + " "
		add(command+"FOLDER/gone.yaml", 1, "gone.yaml: no such file or directory; ", "check the name")
		add(command+"FOLDER/dir.yaml", 1, "dir.yaml: is a directory; ", "check the name")
		add(command+"FOLDER/empty.yaml", 1, "empty.yaml: a schema file must be one document with a mapping; ", "docs/schema.md")
		add(command+"FOLDER/broken.yaml", 1, "broken.yaml:2: ", "docs/schema.md")
		add(command+"FOLDER/binary.yaml", 1, "binary.yaml", "docs/schema.md")
		add(command+"FOLDER/wrong.yaml", 1, "wrong.yaml:4: flows.FlowMessage.bytes: ", "docs/schema.md")
		add(command+"--off=none* FOLDER/ok.yaml", 1, "ok.yaml: flows.FlowMessage: no column is in the pattern ", "hotpb schema show")
	}
	add("schema check FOLDER/ok.yaml", 1, "ok.lock: no such file or directory; ", "hotpb schema lock FOLDER/ok.yaml writes the first one")
	add("schema check --lock=FOLDER/dir FOLDER/ok.yaml", 1, "dir: is a directory; ", "check the name")
	add("schema check --lock=FOLDER/file FOLDER/ok.yaml", 1, "file:1: a lock must start with", "version control")
	add("schema lock --lock=FOLDER/gone/lock FOLDER/ok.yaml", 1, "gone/lock: no such file or directory; ", "check the name")
	add("generate --config=FOLDER/gone.yaml", 2, "hotpb: there is neither a FILE nor FOLDER/gone.yaml; ", "schemas: [FILE]")
	add("generate --config=FOLDER/dir.yaml", 1, "dir.yaml: is a directory; ", "check the name")
	add("generate --config=FOLDER/none.yaml", 1, "none.yaml: schemas: and generate: are wanted", "schemas: [FILE]")
	add("generate --config=FOLDER/broken.yaml", 1, "broken.yaml:", "schemas: [FILE]")
	// Outputs that cannot be written.
	add("generate --out=FOLDER/file --opt=faces=view -I FOLDER FOLDER/ok.proto", 1, "file/", "check the name")
	add("convert"+okSchema+" -m A --out=FOLDER/dir FOLDER/ok.bin", 1, "dir: is a directory; ", "--out")
	add("convert"+okSchema+" -m A --out=FOLDER/gone/out FOLDER/ok.bin", 1, "gone/out: no such file or directory; ", "check the name")
	add("bench"+okSchema+" -m A --html=FOLDER/gone/out FOLDER/ok.bin", 1, "gone/out: no such file or directory; ", "check the name")
	add("bench"+okSchema+" -m A --work=FOLDER/file FOLDER/ok.bin", 1, "file: not a directory; ", "check the name")
	for _, call := range []string{"--help", "inspect --help", "--version", "inspect FOLDER/ok.bin", "inspect --sizes FOLDER/ok.bin", "convert" + okSchema + " -m A FOLDER/ok.bin", "lint --hot" + okSchema,
		"profile" + okSchema + " -m A FOLDER/ok.bin", "generate --out=FOLDER/gen --opt=faces=view -I FOLDER FOLDER/ok.proto", "completion bash",
		"schema show FOLDER/ok.yaml", "schema proto FOLDER/ok.yaml", "schema clickhouse --table=t FOLDER/ok.yaml", "schema hash FOLDER/ok.yaml"} {
		all = append(all, badCall{call: call, status: 1, want: "standard output: no space left on device; ", mend: "look at the disk", stdout: fullDisk{}})
	}
	// Wrong calls.
	for _, call := range []string{"", "gone", "inspect", "inspect --gone FOLDER/ok.bin", "inspect --depth=x FOLDER/ok.bin", "inspect --max-size=x FOLDER/ok.bin", "convert",
		"convert --from=perl FOLDER/ok.bin", "bench", "profile", "schema", "schema show", "schema check --allow=all FOLDER/ok.yaml", "completion", "completion perl"} {
		add(call, 2, "hotpb: ", "--help shows how")
	}
	return all
}

func (c badCall) run(folder string, flags ...string) (status int, out, stderr string) {
	words := append(flags, strings.Fields(strings.ReplaceAll(c.call, "FOLDER", folder))...)
	var stdout, errs bytes.Buffer
	stdin, to := c.stdin, c.stdout
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	if to == nil {
		to = &stdout
	}
	status = run(words, stdin, to, &errs)
	return status, stdout.String(), errs.String()
}

func TestBadInputIsOneLineWithFilePlaceCauseAndMend(t *testing.T) {
	folder := badFiles(t)
	t.Setenv("HOTPB_ROOT", "../../..")
	for _, c := range badCalls() {
		status, out, line := c.run(folder)
		short := strings.ReplaceAll(line, folder+string(filepath.Separator), "")
		want := strings.ReplaceAll(c.want, "FOLDER/", "")
		_, after, found := strings.Cut(short, "; ")
		if status != c.status || strings.Count(line, "\n") != 1 || !strings.HasPrefix(short, want) || !found || !strings.Contains(after, strings.ReplaceAll(c.mend, "FOLDER/", "")) {
			t.Errorf("%s: status %d, want %d\n%swant: %s … ; … %s", c.call, status, c.status, line, want, c.mend)
		}
		if inside.MatchString(short) {
			t.Errorf("%s: %q is for Go programmers\n%s", c.call, inside.FindString(short), line)
		}
		if out != "" && !strings.HasPrefix(c.call, "inspect") { // inspect shows what is around the damage
			t.Errorf("%s: writes %q", c.call, out)
		}
	}
}

func TestBadInputIsOneLineOfJSON(t *testing.T) {
	folder := badFiles(t)
	t.Setenv("HOTPB_ROOT", "../../..")
	for _, c := range badCalls() {
		if len(strings.Fields(c.call)) < 2 {
			continue // without a command there is nothing that --json could be for
		}
		status, _, line := c.run(folder, "--json")
		var got struct{ File, Cause, Mend string }
		if err := json.Unmarshal([]byte(line), &got); err != nil || status != c.status || strings.Count(line, "\n") != 1 || got.Cause == "" || got.Mend == "" ||
			(got.File == "") != strings.HasPrefix(c.want, "hotpb: ") {
			t.Errorf("%s: %v, status %d, want %d\n%s", c.call, err, status, c.status, line)
		}
	}
}

// The words that the test looks for are those of Go's own errors.
func TestGoProgrammersWordsAreFound(t *testing.T) {
	for _, err := range []error{io.ErrUnexpectedEOF, &fs.PathError{Op: "open", Path: "a", Err: os.ErrNotExist}, errors.New("proto:\u00a0cannot parse"), errors.New("%!d(string=a)")} {
		if !inside.MatchString(err.Error()) {
			t.Errorf("%v", err)
		}
	}
}
