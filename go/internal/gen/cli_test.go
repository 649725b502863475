package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const raftSet = "../../../vectors/plans/raft.fds"

func run(arguments []string, stdin []byte) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = Main(arguments, bytes.NewReader(stdin), &out, &err)
	return status, out.String(), err.String()
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func raftRequest(t testing.TB, parameter string) []byte {
	t.Helper()
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal([]byte(readFile(t, raftSet)), &set); err != nil {
		t.Fatal(err)
	}
	input, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{"hotpb/raft.proto"}, Parameter: &parameter, ProtoFile: set.File,
	})
	if err != nil {
		t.Fatal(err)
	}
	return input
}

func respondTo(t *testing.T, parameter string) *pluginpb.CodeGeneratorResponse {
	t.Helper()
	status, stdout, stderr := run(nil, raftRequest(t, parameter))
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	response := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal([]byte(stdout), response); err != nil {
		t.Fatal(err)
	}
	return response
}

func TestPluginAnswersWithFilesAndItsEditions(t *testing.T) {
	withFaces(t, probe())
	response := respondTo(t, "faces=probe,paths=source_relative,emit_plan=plans/raft.json")
	if response.Error != nil {
		t.Fatal(response.GetError())
	}
	if response.GetSupportedFeatures() != 3 || response.GetMinimumEdition() != 1000 || response.GetMaximumEdition() != 1001 {
		t.Errorf("features %d, editions %d to %d", response.GetSupportedFeatures(), response.GetMinimumEdition(), response.GetMaximumEdition())
	}
	if len(response.File) != 2 || response.File[0].GetName() != "hotpb/rafthot/raft.hot.go" || response.File[1].GetName() != "plans/raft.json" {
		t.Fatalf("files %v", response.File)
	}
	if response.File[1].GetContent() != readFile(t, "../../../vectors/plans/raft.json") {
		t.Error("the plan is not the golden one")
	}
}

func TestPlanAloneIsEmittedWithoutAFace(t *testing.T) {
	withFaces(t, probe())
	response := respondTo(t, "emit_plan=raft.json")
	if response.Error != nil || len(response.File) != 1 || response.File[0].GetName() != "raft.json" {
		t.Errorf("response %v", response)
	}
}

func TestPluginAnswersBadOptionsInItsResponse(t *testing.T) {
	withFaces(t, probe())
	for parameter, want := range map[string]string{
		"faces=gone":          `option faces=gone: the face "gone" is not in this version`,
		"emit_plan=-":         "option emit_plan=-: standard output belongs to protoc here; name a file",
		"emit_plan=../p.json": "option emit_plan=../p.json: name a file inside the output folder",
		"module=example.com":  "option module=example.com: the Go package",
	} {
		response := respondTo(t, parameter)
		if !strings.HasPrefix(response.GetError(), want) || len(response.File) != 0 {
			t.Errorf("%s: error %q, %d files", parameter, response.GetError(), len(response.File))
		}
	}
}

func TestCommandWritesFilesAndPlan(t *testing.T) {
	withFaces(t, probe())
	out := t.TempDir()
	plan := filepath.Join(out, "plan.json")
	status, stdout, stderr := run([]string{"--descriptor_set=" + raftSet, "--out=" + out, "--files=hotpb/raft.proto",
		"--opt=faces=probe", "--opt=paths=source_relative", "--emit_plan=" + plan}, nil)
	if status != 0 || stdout != "" || stderr != "" {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	if !strings.Contains(readFile(t, filepath.Join(out, "hotpb", "rafthot", "raft.hot.go")), "type EntryView struct") {
		t.Error("the view is missing")
	}
	golden := readFile(t, "../../../vectors/plans/raft.json")
	if readFile(t, plan) != golden {
		t.Error("the plan is not the golden one")
	}
	status, stdout, stderr = run([]string{"--descriptor_set=" + raftSet, "--emit_plan=-"}, nil)
	if status != 0 || stdout != golden || stderr != "" {
		t.Errorf("status %d: %s", status, stderr)
	}
}

func TestCommandFilesOfNamesWithPlusAndBlanks(t *testing.T) {
	var set descriptorpb.FileDescriptorSet
	for _, name := range []string{"c++api.proto", "my dir/a b.proto", "a.proto", "a.proto+", "b.proto", "+.proto"} {
		set.File = append(set.File, &descriptorpb.FileDescriptorProto{Name: proto.String(name)})
	}
	data, err := proto.Marshal(&set)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "set.fds")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files string // values of --files=, separated by blanks and bars
		want  string // the names, separated by commas; or the error
	}{
		{"c++api.proto", "c++api.proto"},
		{"my dir/a b.proto", "my dir/a b.proto"},
		{"b.proto+c++api.proto", "c++api.proto,b.proto"},
		{"c++api.proto+b.proto", "c++api.proto,b.proto"},
		{"c++api.proto | b.proto", "c++api.proto,b.proto"},
		{"a.proto++b.proto", "a.proto+,b.proto"},
		{"a.proto+b.proto", "a.proto,b.proto"},
		{"b.proto++.proto", "b.proto,+.proto"},
		{"x+z.proto", "x: the file is asked for but not in the descriptor set"},
		{"b.proto++b.proto", "--files=b.proto++b.proto: write names of files of the set joined by +"},
		{"b.proto+", "--files=b.proto+: write names of files of the set joined by +"},
		{"+", "--files=+: write names of files of the set joined by +"},
	} {
		arguments := []string{"--descriptor_set=" + file, "--emit_plan=-"}
		for _, value := range strings.Split(c.files, " | ") {
			arguments = append(arguments, "--files="+value)
		}
		status, stdout, stderr := run(arguments, nil)
		var plan struct {
			Files []struct{ Name string }
		}
		if status == 0 {
			if err := json.Unmarshal([]byte(stdout), &plan); err != nil {
				t.Fatal(err)
			}
		}
		var names []string
		for _, f := range plan.Files {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, ","); got != c.want && (status == 0 || !strings.Contains(stderr, c.want)) {
			t.Errorf("%s: %s%s; want %s", c.files, got, stderr, c.want)
		}
	}
}

func TestCommandNamesWhatIsWrong(t *testing.T) {
	withFaces(t, probe())
	set := "--descriptor_set=" + raftSet
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"--out=x"}, "--descriptor_set=FILE is missing"},
		{[]string{set}, "--out=DIR or --emit_plan=FILE is missing"},
		{[]string{set, "--gone=1"}, "there is no --gone; --descriptor_set=, --out="},
		{[]string{set, "--out"}, "argument --out: "},
		{[]string{set, set}, "given twice"},
		{[]string{set, "--emit_plan=-", "--files=gone.proto"}, "InvalidSchema: gone.proto: the file is asked for but not in the descriptor set"},
		{[]string{set, "--emit_plan=-", "--opt=utf8=x"}, "option utf8=x: schema and strict are allowed"},
		{[]string{set, "--out=x", "--opt=emit_plan=p"}, "without protoc it is an argument of its own: --emit_plan=p"},
		{[]string{"--descriptor_set=gone.fds", "--emit_plan=-"}, "gone.fds"},
		{[]string{"--descriptor_set=cli_test.go", "--emit_plan=-"}, "InvalidSchema: the input is not a readable FileDescriptorSet"},
	} {
		status, stdout, stderr := run(c.arguments, nil)
		if status != 1 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: status %d, %q, want %q", c.arguments, status, stderr, c.want)
		}
	}
}

func TestGarbageOnStandardInputIsAnErrorAndStatus1(t *testing.T) {
	for _, input := range []string{"\xff", "not a request", "\x0a\x80"} {
		status, stdout, stderr := run(nil, []byte(input))
		if status != 1 || stdout != "" || !strings.Contains(stderr, "InvalidSchema: the input is not a readable CodeGeneratorRequest") {
			t.Errorf("%q: status %d, %q", input, status, stderr)
		}
	}
}

func TestHelpNamesTheFaces(t *testing.T) {
	withFaces(t, full, extra)
	status, stdout, _ := run([]string{"--help"}, nil)
	if status != 0 || !strings.Contains(stdout, "the faces to generate: full, full+extra\n") {
		t.Errorf("status %d: %s", status, stdout)
	}
}

func TestTheLineAboutManyMessagesHasTheProgramsName(t *testing.T) {
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{Name: proto.String("d/a.proto"), Options: &descriptorpb.FileOptions{GoPackage: proto.String("example.com/p")}}}}
	for i := range 201 {
		set.File[0].MessageType = append(set.File[0].MessageType, &descriptorpb.DescriptorProto{Name: proto.String(fmt.Sprintf("M%d", i))})
	}
	raw, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "set")
	if err := os.WriteFile(file, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	const want = "protoc-gen-go-hotpb: d/a.proto: 201 messages, code for all of them; messages=pkg.A+pkg.B writes only those and the messages that they need (quiet leaves this line out)\n"
	for options, want := range map[string]string{"faces=writer": want, "faces=writer,quiet": ""} {
		if status, _, stderr := run([]string{"--descriptor_set=" + file, "--out=" + folder, "--opt=" + options}, nil); status != 0 || stderr != want {
			t.Errorf("%s: status %d, %q", options, status, stderr)
		}
		request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{FileToGenerate: []string{"d/a.proto"}, Parameter: proto.String(options), ProtoFile: set.File})
		if err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := run(nil, request); status != 0 || stderr != want {
			t.Errorf("%s as a plugin: status %d, %q", options, status, stderr)
		}
	}
}
