package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/wire"
)

// A message hotpb.vectors.p3.All with two values of a field and a child, which has one field.
func sample() []byte {
	child := wire.AppendVarint(wire.AppendTag(nil, 1, wire.VarintType), 7)
	var b []byte
	b = wire.AppendVarint(wire.AppendTag(b, 5, wire.VarintType), 1)
	b = wire.AppendVarint(wire.AppendTag(b, 3000, wire.VarintType), 1) // not known
	return wire.AppendBytes(wire.AppendTag(b, 18, wire.BytesType), child)
}

const vectorsSet = "../../../vectors/plans/vectors.fds"

func TestProfileNamesWhatIsHotAndWhatNeverComes(t *testing.T) {
	h := start(t)
	message, stream := filepath.Join(h.folder, "message"), filepath.Join(h.folder, "stream")
	if err := os.WriteFile(message, sample(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stream, append(wire.AppendBytes(nil, sample()), wire.AppendBytes(nil, sample())...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		arguments []string
		row       []string
		options   string
	}{
		{[]string{message}, []string{"hotpb.vectors.p3.All", "1", "3", "75.0%", "135", "table", "hot"}, "hot=hotpb.vectors.p3.All,cold="},
		{[]string{message, message}, []string{"hotpb.vectors.p3.All", "2", "6", "75.0%", "135", "table", "hot"}, "hot=hotpb.vectors.p3.All,cold="},
		{[]string{"--delimited", stream}, []string{"hotpb.vectors.p3.All", "2", "6", "75.0%", "135", "table", "hot"}, "hot=hotpb.vectors.p3.All,cold="},
		{[]string{"--hot=80", message}, []string{"hotpb.vectors.p3.All", "1", "3", "75.0%", "135", "table"}, "cold="},
	} {
		got, stderr := h.run(0, append([]string{"profile", "--set=" + vectorsSet, "--message=hotpb.vectors.p3.All"}, test.arguments...)...)
		lines := strings.Split(got, "\n")
		if len(lines) < 4 || strings.Join(strings.Fields(lines[1]), " ") != strings.Join(test.row, " ") || stderr != "" ||
			!strings.Contains(got, "\noptions: "+test.options) {
			t.Errorf("%v:\n%s%s", test.arguments, got, stderr)
		}
	}
}

func TestProfileSaysWhatIsWrong(t *testing.T) {
	h := start(t)
	bad := filepath.Join(h.folder, "bad")
	if err := os.WriteFile(bad, []byte{8}, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ set, message, file, want string }{
		{vectorsSet, "hotpb.vectors.p3.All", bad, "bad: byte 1: Truncated"},
		{vectorsSet, "hotpb.vectors.p3.None", bad, "vectors.fds has no message hotpb.vectors.p3.None"},
		{vectorsSet, "hotpb.vectors.p3.All", bad + "s", "no such file"},
		{bad, "hotpb.vectors.p3.All", bad, "bad: "},
	} {
		code := 1
		if test.message == "hotpb.vectors.p3.None" {
			code = 2
		}
		if _, stderr := h.run(code, "profile", "--set="+test.set, "--message="+test.message, test.file); !strings.Contains(stderr, test.want) {
			t.Errorf("%v: %s", test, stderr)
		}
	}
}

func TestProfileReadsProtoFilesAndWritesJSON(t *testing.T) {
	h := start(t)
	h.stdin = "\x08\x01\x1a\x02\x10\x03"
	out, _ := h.run(0, "profile", "--json", "-s", "testdata/shop.proto", "-m", "Order", "-")
	var got struct {
		Rows []struct {
			Message           string
			Messages, Records int
			Percent           float64
		}
		Options string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Rows) < 2 || got.Rows[0].Message != "shop.Order" ||
		got.Rows[0].Records != 2 || got.Rows[1].Message != "shop.Item" || got.Rows[1].Records != 1 || got.Rows[1].Messages != 1 ||
		!strings.Contains(got.Options, "cold=") || strings.Contains(got.Options, "google.protobuf") {
		t.Error(err, out)
	}
}
