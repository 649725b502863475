package main

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func unhex(t testing.TB, text string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const full = order + "49 6d 00 00 c0 3f 71 00 00 00 00 00 00 f8 3f 8b 01 0a 01 61 8c 01 92 01 01 ff a2 06 01 6e 5a 1c 0a 13 747970652e782f73686f702e41646472657373 12 05 0a 03 526f61"

func TestConvertWritesEachForm(t *testing.T) {
	message := strings.ReplaceAll(full, "49 6d", "6d")
	for name, flags := range map[string]string{
		"json": "", "json-pretty": "--pretty --names", "text": "--to=text", "hex": "--to=hex", "base64": "--to=base64", "flag": "--json --to=auto",
	} {
		h := hotpb{t: t, stdin: message}
		out, stderr := h.run(0, append([]string{"convert", shop, "--message=Order", "--from=hex", "-"}, strings.Fields(flags)...)...)
		golden(t, "convert/"+name+".golden", out+stderr)
	}
}

// Each form, with each compression, is read again as the bytes that were written.
func TestConvertReadsWhatItWrites(t *testing.T) {
	message := unhex(t, order)
	for _, form := range []string{"binary", "delimited", "json", "text", "hex", "base64"} {
		for _, compression := range []string{"none", "gzip", "snappy", "snappy-framed", "zstd"} {
			h := hotpb{t: t, stdin: message}
			there, _ := h.run(0, "convert", shop, "--message=Order", "--to="+form, "--compress="+compression, "-")
			h.stdin = there
			compressed := "auto"
			if compression == "snappy" {
				compressed = compression
			}
			decoded, _ := h.run(0, "convert", shop, "--message=Order", "--from="+form, "--to=binary", "--decompress="+compressed, "-")
			if decoded != message {
				t.Errorf("%s, %s: %x", form, compression, decoded)
			}
		}
	}
}

func TestConvertTakesManyMessages(t *testing.T) {
	stream := unhex(t, twoTimes)
	h := hotpb{t: t, stdin: stream}
	lines, _ := h.run(0, "convert", shop, "-mOrder", "--from=delimited", "-")
	if lines != `{"id":"1","customer":"ann"}`+"\n"+`{"id":"2"}`+"\n" {
		t.Error(lines)
	}
	array := "\n [" + strings.ReplaceAll(strings.TrimSpace(lines), "\n", ",\n") + "]\n"
	for form, text := range map[string]string{"json": lines, "json ": array, "hex": "0801 1203616e6e\n\n0802\n", "base64": "CAESA2Fubg==\nCAI"} {
		h.stdin = text
		if out, _ := h.run(0, "convert", shop, "-mOrder", "--from="+strings.TrimSpace(form), "--to=delimited", "-"); out != stream {
			t.Errorf("%s: %x", form, out)
		}
	}
	h.stdin = " \n"
	if out, _ := h.run(0, "convert", shop, "-mOrder", "--from=json", "--to=hex", "-"); out != "" {
		t.Error(out)
	}
}

func TestConvertGoesByNames(t *testing.T) {
	h := hotpb{t: t, folder: t.TempDir()}
	text, packed := filepath.Join(h.folder, "a.txtpb"), filepath.Join(h.folder, "a.json.gz")
	if err := os.WriteFile(text, []byte("id: 7"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(0, "convert", shop, "-mOrder", text, "--out="+packed, "--compress=gzip")
	if out, _ := h.run(0, "convert", shop, "-mOrder", packed, "--to=hex"); out != "0807\n" {
		t.Error(out)
	}
}

func TestConvertSaysWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "out.json")
	for _, test := range []struct {
		code               int
		flags, stdin, want string
	}{
		{2, "", "", "hotpb: convert needs a schema; name one with --schema"},
		{2, shop + " --to=xml", "", "--to must be one of"},
		{2, shop + " -mOrder --from=delimited --to=text", unhex(t, twoTimes), "hotpb: the input has several messages, and text holds one; choose another form"},
		{1, shop + " -mOrder", "\x08\x01\x12\x05ab", "standard input: byte 4: Truncated: the bytes end inside a record"},
		{1, shop + " -mOrder", "\x08\x01\x12\x02\xff\xff", "standard input: byte 0: field shop.Order.customer contains invalid UTF-8; inspect"},
		{1, shop + " -mItem", "\x10\x01", "standard input: byte 0: required field shop.Item.name not set; the writer has to set it; --partial"},
		{1, shop + " -mOrder --from=delimited", "\x02\x08\x01\x02\x08", "standard input: byte 3: Truncated"},
		{1, shop + " -mOrder --from=delimited", "\x02\x08\x01\x02\x08\x80", "standard input: byte 5: Truncated"},
		{1, shop + " -mOrder --from=hex", "0801\n08\n", "standard input:2: byte 1: Truncated"},
		{1, shop + " -mOrder --from=hex", "0801\n08x1\n", "standard input:2:3: byte 7: 'x' is no hexadecimal digit"},
		{1, shop + " -mOrder --from=base64", "CAE=\nC?E=\n", "standard input:2:2: byte 6: this is no character of base64"},
		{1, shop + " -mOrder --from=json", "{\"id\": 1}\n\n{\n \"idd\": 1}", "standard input:4:2: unknown field \"idd\"; the schema has no such field"},
		{1, shop + " -mOrder --from=json", "{\"id\": 1}\n{\"id\" 2}", "standard input:2: no JSON: invalid character '2' after object key"},
		{1, shop + " -mOrder --from=json", "{\"id\": 1}\n{\"id\":", "standard input:1: the JSON ends inside the message"},
		{1, shop + " -mOrder --from=json", "{\"id\": \"x\"}", "standard input:1:8: invalid value for uint64 field id: \"x\""},
		{1, shop + " -mOrder --from=text", "id: 1\nname: 2", "standard input:2:1: unknown field: name; the schema has no such field"},
		{1, shop + " -mOrder --from=json --out=" + out, "{\"id\": 1}\n{", "the JSON ends"},
		{1, shop + " -mOrder --out=" + folder + "/none/x", "", "/none/x: no such file or directory"},
		{1, shop + " -mOrder --max-size=2", "\x08\x01\x08\x01", "standard input: the input has more than 2 bytes"},
	} {
		h := hotpb{t: t, stdin: test.stdin}
		got, stderr := h.run(test.code, append([]string{"convert", "-"}, strings.Fields(test.flags)...)...)
		if !strings.Contains(strings.ReplaceAll(stderr, "\u00a0", " "), test.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s %q: %s%s", test.flags, test.stdin, got, stderr)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// Whatever bytes come, in whatever form, the command ends with 0, 1 or 2 and a line for the fault.
func FuzzConvert(f *testing.F) {
	forms := []string{"binary", "delimited", "json", "text", "hex", "base64"}
	for i, s := range []string{unhex(f, order), unhex(f, twoTimes), `[{"id": 1}]{"id":2}`, "id: 1", "08 01\n0802", "CAE=\nCAI"} {
		f.Add([]byte(s), byte(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, form byte) {
		if len(b) > 1<<12 {
			return
		}
		var out, stderr bytes.Buffer
		code := run([]string{"convert", "--max-size=1MiB", shop, "-mOrder", "-", "--from=" + forms[form%6], "--to=" + forms[form/6%6]}, bytes.NewReader(b), &out, &stderr)
		if (code == 0) != (stderr.Len() == 0) || strings.Count(stderr.String(), "\n") > 1 {
			t.Fatalf("%d: %s", code, &stderr)
		}
	})
}
