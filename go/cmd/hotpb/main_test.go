package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const flows = `package: flows
message: FlowMessage
columns:
  - {name: bytes, number: 9, type: uint64}
  - {name: src_addr, number: 5, type: ip}
  - {name: src_mac, number: 20, type: mac, off: true, group: l2}
`

// hotpb runs the command in a folder of its own that has flows.yaml.
type hotpb struct {
	t      *testing.T
	folder string
	stdin  string
}

func start(t *testing.T) hotpb {
	h := hotpb{t: t, folder: t.TempDir()}
	h.write(flows)
	return h
}

func (h hotpb) write(text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.folder, "flows.yaml"), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// run checks the exit code, and returns the output with the folder's name left out.
func (h hotpb) run(wantCode int, arguments ...string) (stdout, stderr string) {
	h.t.Helper()
	for i := range arguments {
		if arguments[i] == "flows.yaml" {
			arguments[i] = filepath.Join(h.folder, arguments[i])
		}
	}
	var out, errors bytes.Buffer
	if code := run(arguments, strings.NewReader(h.stdin), &out, &errors); code != wantCode {
		h.t.Errorf("%s: exit code %d, want %d\n%s%s", strings.Join(arguments, " "), code, wantCode, &out, &errors)
	}
	clean := func(b *bytes.Buffer) string {
		if h.folder == "" {
			return b.String()
		}
		return strings.ReplaceAll(b.String(), h.folder+string(filepath.Separator), "")
	}
	return clean(&out), clean(&errors)
}

func TestEachCommandWritesWhatItSays(t *testing.T) {
	h := start(t)
	for command, want := range map[string]string{
		"show flows.yaml": "  20  src_mac   mac     off group=l2\n",
		"proto flows.yaml": "syntax = \"proto3\";\n\npackage flows;\n\nmessage FlowMessage {\n  reserved 20;\n  reserved \"src_mac\";\n\n" +
			"  bytes src_addr = 5;\n  uint64 bytes = 9;\n}\n",
		"proto --on=src_* flows.yaml":                        "  uint64 src_mac = 20;\n",
		"proto --on-group=l2 flows.yaml":                     "  uint64 src_mac = 20;\n",
		"proto --off=bytes flows.yaml":                       "  reserved \"bytes\", \"src_mac\";\n",
		"clickhouse --table=flows --database=net flows.yaml": "CREATE TABLE IF NOT EXISTS `net`.`flows_queue` (\n  `src_addr` IPv6,\n  `bytes` UInt64\n)\nENGINE = Kafka\n",
		"hash flows.yaml":                                    "1a9d7a560c5b11ec011248c2b733bb6688cd99aac1fee72277b9844741be4e78\n",
		"hash --short flows.yaml":                            "1a9d7a560c5b11ec\n",
		"hash --text flows.yaml":                             "hotpb wire 1\nmessage 0\n5 bytes\n9 uint64\n",
		"hash --text --full flows.yaml":                      "  reserved \"src_mac\"\n",
	} {
		got, stderr := h.run(0, append([]string{"schema"}, strings.Fields(command)...)...)
		if !strings.Contains(got, want) || got == "" || stderr != "" {
			t.Errorf("%s:\n%s%s", command, got, stderr)
		}
	}
}

// hotpb schema arrow calls hotpb-schema-arrow, and says how to install it when it is not there.
func TestArrowSchemasComeFromAProgramOfTheirOwn(t *testing.T) {
	h := start(t)
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-C", "../../schema/arrow", "-o", bin, "./cmd/hotpb-schema-arrow").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", t.TempDir())
	_, stderr := h.run(1, "schema", "arrow", "flows.yaml")
	if want := "hotpb-schema-arrow: it is not on the PATH, and writes Arrow schemas; install it: go install "; !strings.HasPrefix(stderr, want) {
		t.Error(stderr)
	}
	t.Setenv("PATH", bin)
	out, _ := h.run(0, "schema", "arrow", "--on-group=l2", "--off=bytes", "flows.yaml")
	if !strings.Contains(out, "src_addr: type=fixed_size_binary[16]") || !strings.Contains(out, "src_mac: type=uint64") || strings.Contains(out, "- bytes") {
		t.Error(out)
	}
	var as struct{ Arrow string }
	if out, _ := h.run(0, "--json", "schema", "arrow", "flows.yaml"); json.Unmarshal([]byte(out), &as) != nil || !strings.Contains(as.Arrow, "src_addr") {
		t.Error(out)
	}
	h.write(strings.Replace(flows, "uint64", "FlowMessage", 1))
	if _, stderr := h.run(1, "schema", "arrow", "flows.yaml"); !strings.HasPrefix(stderr, "flows.yaml:4: flows.FlowMessage.bytes: flows.FlowMessage contains itself") {
		t.Error(stderr)
	}
}

func TestALockIsWrittenCheckedAndKept(t *testing.T) {
	h := start(t)
	_, stderr := h.run(1, "schema", "check", "flows.yaml")
	if !strings.Contains(stderr, "flows.lock") {
		t.Error(stderr)
	}
	h.run(0, "schema", "lock", "flows.yaml")
	if out, _ := h.run(0, "schema", "check", "flows.yaml"); out != "" {
		t.Error(out)
	}
	h.run(0, "schema", "check", "--on-group=l2", "flows.yaml") // is no change

	h.write(strings.Replace(flows, "name: bytes", "name: octets", 1))
	out, stderr := h.run(1, "schema", "check", "flows.yaml")
	if out != "renaming: flows.FlowMessage.octets: renamed: was bytes\n" || stderr != "flows.yaml: there are renaming changes from flows.lock; take them back, or let them through with --allow=renaming\n" {
		t.Error(out, stderr)
	}
	h.run(0, "schema", "check", "--allow=renaming", "flows.yaml")
	h.run(1, "schema", "lock", "flows.yaml")
	h.run(0, "schema", "lock", "--allow=renaming", "flows.yaml")
	h.run(0, "schema", "check", "flows.yaml")

	h.write(strings.Replace(flows, "uint64", "string", 1))
	if out, _ = h.run(1, "schema", "check", "--allow=risky", "flows.yaml"); !strings.Contains(out, "breaking: flows.FlowMessage.bytes: retyped: was uint64, is string") {
		t.Error(out)
	}
	if err := os.WriteFile(filepath.Join(h.folder, "flows.lock"), []byte("hotpb lock 1\nroot x\nrubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr = h.run(1, "schema", "check", "flows.yaml"); !strings.Contains(stderr, `flows.lock:3: "rubbish" is no line of a lock; take the lock`) {
		t.Error(stderr)
	}
}

func TestErrorsOfSchemaFilesHaveFileAndLine(t *testing.T) {
	h := start(t)
	h.write(strings.Replace(flows, "number: 5", "number: 9", 1) + "  - {name: x, number: 3, type: bool, oneof: 5}\n")
	if _, stderr := h.run(1, "schema", "proto", "flows.yaml"); stderr != "flows.yaml:7: flows.FlowMessage.x: a oneof is a text; docs/schema.md has the rules of schema files\n" {
		t.Error(stderr)
	}
	h.write(strings.Replace(flows, "number: 5", "number: 9", 1) + "  - {name: y, number: 19000, type: bool}\n")
	if _, stderr := h.run(1, "schema", "proto", "flows.yaml"); stderr != "flows.yaml:5: flows.FlowMessage.src_addr: has the number 9, as bytes has; docs/schema.md has the rules of schema files\n"+
		"flows.yaml:7: flows.FlowMessage.y: the numbers from 19000 to 19999 are protobuf's own (19000); docs/schema.md has the rules of schema files\n" {
		t.Error(stderr)
	}
	h.write(flows + "  - {name: srcAddr, number: 6, type: bool}\n")
	if _, stderr := h.run(1, "schema", "proto", "flows.yaml"); stderr != "flows.yaml:7: flows.FlowMessage.srcAddr: has the name srcAddr in JSON, as src_addr has; docs/schema.md has the rules of schema files\n" {
		t.Error(stderr)
	}
	if _, stderr := h.run(1, "schema", "proto", "none.yaml"); !strings.Contains(stderr, "none.yaml") {
		t.Error(stderr)
	}
	if _, stderr := h.run(1, "schema", "proto", "--off=none*", "flows.yaml"); !strings.Contains(stderr, `no column is in the pattern "none*"`) {
		t.Error(stderr)
	}
}

func TestWrongCallsExitWithTwo(t *testing.T) {
	h := start(t)
	for _, call := range []string{"", "schema", "schema proto", "schema clickhouse flows.yaml", "schema check --allow=all flows.yaml", "schema gone flows.yaml"} {
		if _, stderr := h.run(2, strings.Fields(call)...); !strings.Contains(stderr, "--help") {
			t.Errorf("%q: %s", call, stderr)
		}
	}
	if out, _ := h.run(0, "--help"); !strings.Contains(out, "schema proto") {
		t.Error(out)
	}
}

// The commands of README.md do with its file what its program does.
func TestReadmesCommandsRun(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Schema: columns at run time\n")
	section, _, _ = strings.Cut(section, "\n## ")
	block := func(language string) string {
		_, after, ok := strings.Cut(section, "\n```"+language+"\n")
		if !ok {
			t.Fatalf("no block of %s", language)
		}
		block, _, _ := strings.Cut(after, "```\n")
		return block
	}
	h := start(t)
	h.write(block("yml"))
	calls := 0
	for _, line := range strings.Split(section, "\n") {
		command, ok := strings.CutPrefix(line, "    hotpb ")
		if !ok {
			continue
		}
		calls++
		command, _, _ = strings.Cut(command, "#")
		out, _ := h.run(0, strings.Fields(command)...)
		if (strings.Contains(command, "proto") || strings.Contains(command, "hash")) && !strings.Contains(block("text"), strings.TrimSpace(out)) {
			t.Errorf("%s: %s", command, out)
		}
	}
	if calls != 5 {
		t.Errorf("%d commands", calls)
	}
}
