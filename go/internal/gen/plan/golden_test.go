package plan

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	plans   = "../../../../vectors/plans"
	printed = "../../../../build/vectors/plans" // the goldens, put there by tools/vectors/compile
)

// rows reads a tab-separated list of the vectors, without comments.
func rows(t testing.TB, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(plans, name))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, line := range strings.Split(string(text), "\n") {
		if line != "" && line[0] != '#' {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s lists nothing", name)
	}
	return rows
}

func readSet(t testing.TB, name string) []byte {
	t.Helper()
	set, err := os.ReadFile(filepath.Join(plans, name+".fds"))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestPlanIsTheGoldenPlan(t *testing.T) {
	for _, row := range rows(t, "list.txt") {
		t.Run(row[0], func(t *testing.T) {
			p, err := FromDescriptorSet(readSet(t, row[0]), strings.Split(row[1], "+"))
			if err != nil {
				t.Fatal(err)
			}
			golden, err := os.ReadFile(filepath.Join(printed, row[0]+".json"))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, p.JSON(), golden)
		})
	}
}

func compare(t *testing.T, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("line %d:\n got %s\nwant %s", i+1, gotLines[i], wantLines[i])
		}
	}
	t.Fatalf("%d lines, want %d", len(gotLines), len(wantLines))
}

func TestPlanOfARequestIsThatOfItsDescriptorSet(t *testing.T) {
	for _, row := range rows(t, "list.txt") {
		t.Run(row[0], func(t *testing.T) {
			files := strings.Split(row[1], "+")
			encoded := readSet(t, row[0])
			var set descriptorpb.FileDescriptorSet
			if err := proto.Unmarshal(encoded, &set); err != nil {
				t.Fatal(err)
			}
			fromSet, err := FromDescriptorSet(encoded, files)
			if err != nil {
				t.Fatal(err)
			}
			input, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
				FileToGenerate: files,
				Parameter:      proto.String("faces=view"),
				ProtoFile:      set.File,
			})
			if err != nil {
				t.Fatal(err)
			}
			request, err := ReadRequest(input)
			if err != nil {
				t.Fatal(err)
			}
			fromRequest, err := request.Plan()
			if err != nil {
				t.Fatal(err)
			}
			compare(t, fromRequest.JSON(), fromSet.JSON())
			if request.Parameter != "faces=view" {
				t.Errorf("parameter %q", request.Parameter)
			}
		})
	}
}

func TestUnusableSchemaIsNamedWithFileElementAndLine(t *testing.T) {
	for _, row := range rows(t, "invalid/list.txt") {
		row = append(row, "", "", "")
		t.Run(row[0], func(t *testing.T) {
			_, err := FromDescriptorSet(readSet(t, "invalid/"+row[0]), nil)
			var schema *Error
			if !errors.As(err, &schema) {
				t.Fatalf("error %v, want InvalidSchema", err)
			}
			line, _ := strconv.Atoi(row[3])
			if schema.File != row[1] || schema.Element != row[2] || schema.Line != line {
				t.Errorf("%q %q line %d, want %q %q line %d", schema.File, schema.Element, schema.Line, row[1], row[2], line)
			}
			if schema.Problem == "" || schema.Fix == "" || !strings.HasPrefix(err.Error(), "InvalidSchema: ") {
				t.Errorf("%q lacks the problem or the fix", err)
			}
		})
	}
}

func TestFileThatIsNotInTheSetIsRefused(t *testing.T) {
	_, err := FromDescriptorSet(readSet(t, "raft"), []string{"gone.proto"})
	var schema *Error
	if !errors.As(err, &schema) || schema.File != "gone.proto" {
		t.Fatalf("error %v", err)
	}
}

func TestRequestedFilesStandInTheOrderOfTheSet(t *testing.T) {
	p, err := FromDescriptorSet(readSet(t, "wkt"), []string{"google/protobuf/wrappers.proto", "google/protobuf/any.proto"})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Files) != 2 || p.Files[0].Name != "google/protobuf/any.proto" {
		t.Errorf("files %v", p.Files)
	}
	for _, message := range p.Messages {
		if !message.File.Requested {
			t.Errorf("%s is of a file that was not asked for", message.Name)
		}
	}
}
