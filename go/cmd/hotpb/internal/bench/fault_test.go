package bench

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/input"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/schemas"
)

// A program of rows with a fault is found out by the check against the stock runtime, in each language.
func TestFaultyRowsAreFoundOut(t *testing.T) {
	if os.Getenv("HOTPB_THOROUGH") == "" {
		t.Skip("HOTPB_THOROUGH is not set: programs are built for a minute")
	}
	for _, test := range []struct {
		lang, tool   string
		program      *string
		right, wrong string
		row          string
	}{
		{lang: "go", tool: "go", program: &goProgram, right: "b, err := pools[i].Marshal()", wrong: "b, err := pools[i].Marshal(); b = append(b, 8, 1)", row: "pool"},
		{lang: "rust", tool: "cargo", program: &rustProgram, right: "same(i, kept[i].get().encode_into(&mut b)?)", wrong: "same(i, &kept[i].get().encode_into(&mut b)?[2..])", row: "pool"},
		{lang: "cpp", tool: "pkg-config", program: &cppReencode, right: "if ((view.*has)()) put<Kind>", wrong: "if (false && (view.*has)()) put<Kind>", row: "view: open"},
		{lang: "cpp", tool: "pkg-config", program: &cppRewrite, right: "if ((view.*has)()) set", wrong: "if (false && (view.*has)()) set", row: "view and writer"},
		{lang: "cpp", tool: "pkg-config", program: &cppProgram, right: "if (error.ok()) error = out->encode(**pool);", wrong: "if (error.ok()) error = out->encode(*Pool());", row: "pool"},
	} {
		t.Run(test.lang+" "+test.row, func(t *testing.T) {
			if _, err := exec.LookPath(test.tool); err != nil {
				t.Skip("there is no " + test.tool)
			}
			before := *test.program
			defer func() { *test.program = before }()
			if *test.program = strings.Replace(before, test.right, test.wrong, 1); *test.program == before {
				t.Fatal("the program has no " + test.right)
			}
			c := &Command{Flags: schemas.Flags{Schema: []string{"../../testdata/proto3.proto"}, ImportPath: []string{"../../testdata"}, Message: "Order"},
				Input: input.Flags{Decompress: "none", MaxSize: 1 << 20}, From: "hex", Lang: []string{test.lang}, Rounds: 1, Time: time.Millisecond, Sample: 1 << 20,
				Hotpb: "../../../../..", Files: []string{"-"}}
			var out, stderr bytes.Buffer
			err := c.Run(&console.Streams{In: strings.NewReader("08 07 4a 01 7a 12 01 61\n"), Out: &out, Err: &stderr})
			if err == nil || !strings.Contains(err.Error(), "'s row "+test.row+" differs from the stock runtime's result: ") || !strings.Contains(out.String(), "  NO\n") {
				t.Errorf("%v\n%s%s", err, &out, &stderr)
			}
		})
	}
}
