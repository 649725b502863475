package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden outputs again")

const shop = "--schema=testdata/shop.proto"

// golden compares an output with its file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test . -update writes it again):\n%s", file, got)
	}
}

// The inputs, as hexadecimal text.
const (
	order    = "08 96 01  12 03 616e6e  1a 06 0a 02 7465 10 02  28 01  32 03 01 02 03  3a 06 0a 01 61 12 01 62"
	nested   = "1a 0c 0a 02 7465 1a 06 0a 02 6c65 10 01"
	damaged  = "08 01  1a 06 0a 02 7465 10 80  12 03 616e6e"
	endless  = "1a 80808080 00 0a 00"
	markup   = "12 08 3c623e2622273e3c"
	twoTimes = "07 08 01 12 03 616e6e  02 08 02"
)

func TestInspectShows(t *testing.T) {
	for name, test := range map[string]struct {
		code  int
		bytes string
		flags string
	}{
		"order":          {0, order, "--message=Order"},
		"guessed":        {0, order + "0d 00 00 80 3f 11 00 00 00 00 00 00 f0 3f 18 ff ff ff ff ff ff ff ff ff 01 23 08 01 24", ""},
		"padded":         {0, "1a 86 80 00 0a 02 7465 10 02", "--message=Order"},
		"over-long":      {0, "88 80 00 81 00  32 04 81 00 02 03", "--message=Order"},
		"split":          {0, "52 03 0a 01 61 08 01 52 03 12 01 62", "--message=Order"},
		"interleaved":    {0, "1a 03 0a 01 61 08 01 1a 03 0a 01 62", "--message=Order"},
		"again":          {0, "08 01 08 02", "--message=Order"},
		"unknown":        {0, "c8 01 05 ca 01 02 08 01 08 01", "--message=Order"},
		"wire-type":      {0, "0a 01 61", "--message=Order"},
		"oneof":          {0, "42 01 61 4a 03 0a 01 62", "--message=Order"},
		"packing":        {0, "80 01 01 82 01 02 02 03 32 01 07 30 08", "--message=Order"},
		"group":          {0, "8b 01 0a 01 61 8c 01", "--message=Order"},
		"any":            {0, "5a 1c 0a 13 747970652e782f73686f702e41646472657373 12 05 0a 03 526f61", "--message=Order"},
		"extension":      {0, "a2 06 01 61", "--message=Order"},
		"values":         {0, "20 ff ff ff ff ff ff ff ff ff 01 20 ff ff ff ff ff 01 28 09 60 02 6d 00 00 c0 3f 71 00 00 00 00 00 00 f8 3f 7d 01 00 00 00 92 01 03 00 ff 41 98 01 01", "--message=Order"},
		"not-utf8":       {0, "12 02 ff fe", "--message=Order"},
		"long-values":    {0, "12 46" + strings.Repeat("41", 70) + "92 01 14" + strings.Repeat("ff", 20) + "32 0a 01 02 03 04 05 06 07 08 09 0a", "--message=Order"},
		"empty":          {0, "", "--message=Order"},
		"at":             {0, order, "--message=Order --at=13"},
		"delimited":      {0, twoTimes, "--message=Order --delimited"},
		"json":           {0, order + "c8 01 05", "--message=Order --json"},
		"json-damage":    {1, damaged, "--message=Order --json"},
		"html":           {1, markup + damaged, "--message=Order --format=html"},
		"damage":         {1, damaged, "--message=Order"},
		"endless":        {1, endless, "--message=Order"},
		"end-tag":        {1, "08 01 14", ""},
		"open-group":     {1, "0b 13 08 01", ""},
		"number-zero":    {1, "00 01", ""},
		"wire-type-6":    {1, "0e", ""},
		"eleven-bytes":   {1, "08 ff ff ff ff ff ff ff ff ff ff 01", ""},
		"required":       {1, "1a 02 10 01", "--message=Order"},
		"split-required": {0, "1a0c0a01611a0210011a030a0162", "--message=Order"},
		"part-required":  {1, "1a070a01611a021001", "--message=Order"},
		"depth":          {1, nested, "--message=Order --depth=1"},
		"packed-cut":     {1, "32 02 01 80", "--message=Order"},
		"stream-cut":     {1, twoTimes + "05 08", "--message=Order --delimited"},
		"sizes":          {0, order + order, "--message=Order --sizes"},
		"sizes-few":      {0, order, "--message=Order --sizes --rows=2"},
		"sizes-json":     {0, order, "--message=Order --sizes --rows=2 --json"},
		"sizes-html":     {0, order, "--message=Order --sizes --format=html"},
		"sizes-no-bytes": {0, "", "--sizes --json"},
	} {
		t.Run(name, func(t *testing.T) {
			h := hotpb{t: t, folder: "testdata", stdin: test.bytes}
			arguments := append([]string{"inspect", "--from=hex", "-"}, strings.Fields(test.flags)...)
			if strings.Contains(test.flags, "--message") {
				arguments = append(arguments, shop)
			}
			out, stderr := h.run(test.code, arguments...)
			golden(t, "inspect/"+name+".golden", out+stderr)
			if strings.Contains(test.flags, "--json") && !json.Valid([]byte(out)) {
				t.Error("no JSON")
			}
			if (stderr == "") != (test.code == 0) || strings.Count(stderr, "\n") > 1 {
				t.Errorf("errors: %q", stderr)
			}
		})
	}
}

func TestInspectSaysWhatIsWrongWithTheCall(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	cut := write("cut.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01\x01")
	broken := write("broken.proto", "syntax = \"proto3\";\nmessage A { int33 x = 1; }\n")
	importing := write("importing.proto", "syntax = \"proto3\";\nimport \"none.proto\";\n")
	noSet := write("no.fds", "\x08\x01")
	for _, test := range []struct {
		code  int
		call  string
		stdin string
		want  string
	}{
		{2, "", "", "--help"},
		{2, "--from=none -", "", "--from must be one of"},
		{2, "--depth=0 -", "", "hotpb: --depth=0 is not between 1 and 10000"},
		{2, "--rows=-1 -", "", "hotpb: --rows is negative; 0 shows all"},
		{2, "--at=5 -", "a", "--at=5 is after the end of standard input, which has 1 bytes"},
		{2, "--message=A -", "", "hotpb: --message needs a schema; name one with --schema"},
		{2, "--message=shop.Gone " + shop + " -", "", "testdata/shop.proto has no message shop.Gone; its messages are shop.Address, "},
		{2, "--max-size=5EB -", "", `"5EB" is no size; write one like 64MiB`},
		{1, "none.bin", "", "none.bin: no such file or directory; check the name"},
		{1, "--max-size=2 -", "abc", "standard input: the input has more than 2 bytes; --max-size raises the limit"},
		{1, "--from=hex -", "08 0g", "standard input: byte 4: 'g' is no hexadecimal digit"},
		{1, "--from=hex -", "08 0", "standard input: byte 4: the last byte has one digit"},
		{1, "--from=base64 -", "CA?E", "standard input: byte 2: this is no character of base64"},
		{1, cut, "", "cut.gz: byte 0: reading fails: the input ends too early; the file is cut or damaged"},
		{1, "--decompress=gzip -", "abcdefghijk", "standard input: it cannot be decompressed: invalid header; --decompress names"},
		{1, "--decompress=snappy -", "\xff\xff\xff\x7f", "which 4 bytes cannot"},
		{1, "--schema=" + broken + " -", "", "broken.proto:2:13: field A.x: unknown type int33"},
		{1, "--schema=" + importing + " -", "", "importing.proto:2:8: there is no "},
		{1, "--schema=" + noSet + " -", "", "no.fds: it is no descriptor set; write one with protoc --include_imports"},
		{1, "--schema=gone.proto -", "", "gone.proto: no such file or directory"},
	} {
		h := hotpb{t: t, folder: folder, stdin: test.stdin}
		out, stderr := h.run(test.code, append([]string{"inspect"}, strings.Fields(test.call)...)...)
		if !strings.Contains(stderr, test.want) || out != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %s%s", test.call, out, stderr)
		}
	}
}

func TestInspectReadsCompressedFilesAndAllKindsOfText(t *testing.T) {
	h := hotpb{t: t}
	for flags, stdin := range map[string]string{
		"":                         "\x08\x01",
		"--from=base64":            "CAE=\n",
		"--from=hex":               "0x08, 0x01\n",
		"--from=hex --at=0":        `\x08\x01`,
		"--decompress=snappy":      "\x02\x04\x08\x01",
		"--decompress=none":        "\x08\x01",
		"--decompress=auto --rows": "",
	} {
		if strings.HasSuffix(flags, "--rows") {
			continue
		}
		h.stdin = stdin
		if out, _ := h.run(0, append([]string{"inspect", "-"}, strings.Fields(flags)...)...); !strings.Contains(out, "1: varint 1\n") {
			t.Errorf("%s: %s", flags, out)
		}
	}
}
