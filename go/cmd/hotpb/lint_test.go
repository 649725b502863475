package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/wire"
)

const hot = "--schema=testdata/hot.proto"

// events is a batch that breaks each rule.
func events() string {
	var batch []byte
	for i := range 100 {
		e := wire.AppendInt32(wire.AppendTag(nil, 1, wire.VarintType), int32(-1-i%3))
		e = wire.AppendVarint(wire.AppendTag(e, 2, wire.VarintType), 0xf0000000+uint64(i))
		for j := range 4 {
			e = wire.AppendVarint(wire.AppendTag(e, 3, wire.VarintType), uint64(j))
		}
		e = wire.AppendBytes(wire.AppendTag(e, 4, wire.BytesType), []byte("\x0a\x01k\x12\x01v"))
		e = wire.AppendFixed64(wire.AppendTag(e, 5, wire.Fixed64Type), uint64(i))
		e = wire.AppendString(wire.AppendTag(e, 20, wire.BytesType), []string{"request finished", "request began"}[i%2])
		e = wire.AppendVarint(wire.AppendTag(e, 21+uint32(i/100), wire.VarintType), 1)
		batch = wire.AppendBytes(wire.AppendTag(batch, 1, wire.BytesType), e)
	}
	return string(batch)
}

func TestLintAdvises(t *testing.T) {
	for name, test := range map[string]struct {
		flags, stdin string
	}{
		"schema":      {"", ""},
		"sample":      {"-mBatch -", events()},
		"delimited":   {"--delimited - --least=6", string(wire.AppendDelimited(nil, []byte(events())))},
		"json":        {"- --least=20 --json", events()},
		"never":       {"-mBatch -", ""},
		"schema-root": {"-mBatch", ""},
	} {
		h := hotpb{t: t, stdin: test.stdin}
		out, stderr := h.run(0, append([]string{"lint", "--hot", hot}, strings.Fields(test.flags)...)...)
		golden(t, "lint/"+name+".golden", out+stderr)
		if name == "json" && !json.Valid([]byte(out)) {
			t.Error("no JSON")
		}
		for _, rule := range []string{"number", "negative", "fixed", "varint", "repeats", "unpacked", "map", "oneof"} {
			if name == "sample" && !strings.Contains(out, ": "+rule+": ") {
				t.Errorf("no %s:\n%s", rule, out)
			}
		}
	}
}

func TestLintSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		code               int
		flags, stdin, want string
	}{
		{2, hot, "", "hotpb: lint has the rules for hot paths only; call hotpb lint --hot"},
		{2, "--hot", "", "hotpb: lint needs a schema; name one with --schema"},
		{2, "--hot --least=-1 " + hot, "", "hotpb: --least is negative; 0 shows all"},
		{1, "--hot - " + hot, "\x0a\x05\x08", "standard input: byte 2: Truncated: the bytes end inside a record"},
		{1, "--hot - " + hot, "\x0a\x02\x08\x80", "standard input: byte 3: Truncated"},
		{1, "--hot - " + hot + " --delimited", "\x05\x08", "standard input: byte 0: Truncated"},
		{1, "--hot - " + hot, strings.Repeat("\x0b", 200), "DepthExceeded"},
		{1, "--hot --fail " + hot, "", "hot.proto: there are 4 pieces of advice; follow them"},
	} {
		h := hotpb{t: t, stdin: test.stdin}
		_, stderr := h.run(test.code, append([]string{"lint"}, strings.Fields(test.flags)...)...)
		if !strings.Contains(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %s", test.flags, stderr)
		}
	}
}

// Whatever bytes come, counting ends, with an error or without.
func FuzzLint(f *testing.F) {
	f.Add([]byte(events())[:200])
	f.Add([]byte(strings.Repeat("\x0b", 200)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<12 {
			return
		}
		var out, stderr strings.Builder
		if code := run([]string{"lint", "--hot", hot, "--decompress=none", "-"}, strings.NewReader(string(b)), &out, &stderr); code > 1 || (code == 1) != (stderr.Len() > 0) {
			t.Fatalf("%d: %s", code, &stderr)
		}
	})
}
