package prototest_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/prototest"
)

func TestTextsAreTheirBytes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"0a 05":                               "\x0a\x05",
		"0A05ff":                              "\x0a\x05\xff",
		" \t\r\n0a\n\n05\n":                   "\x0a\x05",
		`"hello" "\n\x00\xff" "é"`:            "hello\n\x00\xffé",
		`"# no comment" # one`:                "# no comment",
		"01 // 02\n03 ; 04\n05 # 06":          "\x01\x03\x05",
		"1:LEN { \"ab\" }":                    "\x0a\x02ab",
		"1:VARINT96 01":                       "",
		"1:VARINT 96 01":                      "\x08\x96\x01",
		"2047:I32":                            "\xfd\x7f",
		"1:SGROUP 2:I64 1:EGROUP":             "\x0b\x11\x0c",
		"536870911:LEN{}":                     "\xfa\xff\xff\xff\x0f\x00",
		"0:VARINT":                            "\x00", // a malformed tag
		"{{}{01}}":                            "\x03\x00\x01\x01",
		"{" + strings.Repeat("ab", 200) + "}": "\xc8\x01" + strings.Repeat("\xab", 200),
	} {
		got, err := prototest.Parse(text)
		if text == "1:VARINT96 01" { // a wire type ends where its name does
			if err == nil {
				t.Errorf("%q is % x", text, got)
			}
			continue
		}
		if err != nil || string(got) != want {
			t.Errorf("%q: % x, %v; want % x", text, got, err, want)
		}
	}
}

func TestWhatIsWrongHasItsLineAndColumn(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int
		reason       string
	}{
		{"0a\n 0a 5", 2, 5, "half a byte"},
		{"0a 0g", 1, 4, "half a byte"},
		{"0a gg", 1, 4, `unexpected 'g'`},
		{"0a é", 1, 4, `unexpected 'é'`},
		{"\"abc\n\"", 1, 1, "not closed"},
		{`01 "\q"`, 1, 4, "escape"},
		{"{\n  0a {\n }", 1, 1, "brace"},
		{"01 }", 1, 4, "unexpected"},
		{"1:FOO", 1, 3, "no wire type"},
		{"1:", 1, 3, "no wire type"},
		{"01\n536870912:LEN", 2, 1, "no field number"},
		{"1a:LEN", 1, 1, "no field number"},
		{strings.Repeat("{", 1001), 1, 1001, "too deeply"},
	} {
		b, err := prototest.Parse(c.text)
		var syntax *prototest.SyntaxError
		if b != nil || !errors.As(err, &syntax) || syntax.Line != c.line || syntax.Column != c.column || !strings.Contains(syntax.Reason, c.reason) {
			t.Errorf("%.30q: % x, %v; want line %d, column %d: %s", c.text, b, err, c.line, c.column, c.reason)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("MustParse does not panic")
		}
	}()
	prototest.MustParse("0")
}

func TestDumpsOfTheVectorsParseToTheirBytes(t *testing.T) {
	for _, name := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(t, name) {
			dump := prototest.Dump(v.Input)
			if got, err := prototest.Parse(dump); err != nil || !bytes.Equal(got, v.Input) {
				t.Errorf("%s: %v\n got % x\nwant % x\n%s", v.Name, err, got, []byte(v.Input), dump)
			}
		}
	}
}

func TestADiffShowsWhatIsDifferent(t *testing.T) {
	want := prototest.MustParse(`1:VARINT 01  2:LEN {"a"}  3:LEN {1:VARINT 07  2:LEN {"b"}}  4:VARINT 04`)
	got := prototest.MustParse(`1:VARINT 01  2:LEN {"a"}  3:LEN {1:VARINT 08  2:LEN {"b"}}  5:VARINT 05 4:VARINT 04`)
	if prototest.Diff(want, want) != "" || prototest.Diff(nil, []byte{}) != "" {
		t.Error("equal messages differ")
	}
	var marks strings.Builder
	for line := range strings.Lines(prototest.Diff(want, got)) {
		marks.WriteByte(line[0])
	}
	if marks.String() != "    -+ + " {
		t.Errorf("%q:\n%s", marks.String(), prototest.Diff(want, got))
	}
	large := bytes.Repeat([]byte{8, 1}, 5000)
	if n := strings.Count(prototest.Diff(large, bytes.Repeat([]byte{8, 2}, 5000)), "\n"); n != 10001 {
		t.Errorf("%d lines", n)
	}
	if prototest.Diff(nil, []byte{8, 1}) == "" {
		t.Error("nothing and something are equal")
	}
}

func Example() {
	b, err := prototest.Parse(`
		0a 05 "hello"     # field 1, LEN
		2:VARINT 96 01    # field 2
		1a { 08 01 }      # field 3, a message
	`)
	fmt.Printf("% x %v\n", b, err)
	_, err = prototest.Parse("0a 05\n\"hello")
	fmt.Println(err)
	// Output:
	// 0a 05 68 65 6c 6c 6f 10 96 01 1a 02 08 01 <nil>
	// line 2, column 1: the string is not closed, or has a wrong escape
}

func ExampleDump() {
	b := []byte("\x0a\x05hello\x10\x96\x01\x1a\x07\x08\x01\x15\x00\x00\xc0\x3f\x22\x02\xff\xfe\x2b\x30\x01\x2c\x0a\x7f")
	fmt.Print(prototest.Dump(b))
	// Output:
	// 0a 05 "hello"                           # 1 LEN
	// 10 96 01                                # 2 VARINT 150
	// 1a 07                                   # 3 LEN 7 bytes
	//   08 01                                 #   1 VARINT 1
	//   15 00 00 c0 3f                        #   2 I32 1069547520, as float 1.5
	// 22 02                                   # 4 LEN 2 bytes
	//   ff fe
	// 2b                                      # 5 SGROUP
	//   30 01                                 #   6 VARINT 1
	// 2c                                      # 5 EGROUP
	// 0a 7f                                   # byte 27: not a record: Truncated
}

func ExampleDiff() {
	want := prototest.MustParse(`1:LEN {"same"} 2:VARINT 01`)
	got := prototest.MustParse(`1:LEN {"same"} 2:VARINT 02`)
	fmt.Print(prototest.Diff(want, got))
	// Output:
	//   # 8 and 8 bytes, different from byte 7
	//   0a 04 "same"                            # 1 LEN
	// - 10 01                                   # 2 VARINT 1
	// + 10 02                                   # 2 VARINT 2
}

// FuzzDump dumps any bytes: parsing the dump returns the same bytes. FuzzParse parses any text, and dumps the result.
func FuzzDump(f *testing.F) {
	for i, v := range vectors.Read(f, "invalid") {
		if i%20 == 0 {
			f.Add([]byte(v.Input))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		dump := prototest.Dump(b)
		if got, err := prototest.Parse(dump); err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%v\n got % x\nwant % x\n%s", err, got, b, dump)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(`0a "\x00" { 1:LEN {} } # end`)
	f.Fuzz(func(t *testing.T, text string) {
		b, err := prototest.Parse(text)
		var syntax *prototest.SyntaxError
		if err != nil && !errors.As(err, &syntax) {
			t.Fatal(err)
		}
		if got, err := prototest.Parse(prototest.Dump(b)); err != nil || !bytes.Equal(got, b) {
			t.Fatalf("% x %v, want % x", got, err, b)
		}
	})
}
