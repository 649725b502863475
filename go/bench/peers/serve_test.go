package peers

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lengths is a made-up format: the checksum of a record is its length, its encoding the record itself.
func lengths(contenders ...contender) Message {
	return Message{
		name:   "lengths",
		make:   func([][]byte) ([]contender, error) { return contenders, nil },
		sum:    func(record []byte) (uint64, error) { return uint64(len(record)), nil },
		sorted: func(record []byte) ([]byte, error) { return record, nil },
	}
}

var records = [][]byte{[]byte("one"), []byte("three"), {}}

func file(t *testing.T, cut int) string {
	var data []byte
	for _, record := range records {
		data = append(binary.AppendUvarint(data, uint64(len(record))), record...)
	}
	name := filepath.Join(t.TempDir(), "lengths.delimited")
	if err := os.WriteFile(name, data[:len(data)-cut], 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func talk(t *testing.T, m Message, commands ...string) (string, error) {
	var out bytes.Buffer
	err := serve([]Message{m}, strings.NewReader("load\tlengths\t"+file(t, 0)+"\n"+strings.Join(commands, "\n")+"\n"), &out)
	return out.String(), err
}

func right() contender {
	return contender{
		name:   "right",
		decode: func([]byte) error { return nil },
		read:   func(record []byte) (uint64, error) { return uint64(len(record)), nil },
		encode: func(i int) ([]byte, error) { return records[i], nil },
		fresh:  func(i int) ([]byte, error) { return records[i], nil },
	}
}

func TestAContenderThatIsWrongIsNotMeasured(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]contender{
		"the checksum is":   {read: func(record []byte) (uint64, error) { return uint64(len(record)) / 5 * 5, nil }},
		"another message":   {encode: func(i int) ([]byte, error) { return records[0], nil }},
		"broken":            {decode: func(record []byte) error { return broken }},
		"it panics: nobody": {read: func(record []byte) (uint64, error) { panic("nobody") }},
		"input was changed": {decode: func(record []byte) error { copy(record, "x"); return nil }},
	} {
		c.name = "suspect"
		out, err := talk(t, lengths(c, right()), "verify\tlengths", "list\tlengths")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(out, "suspect\twrong\t") || !strings.Contains(out, name) || !strings.Contains(out, "right\tok\t") {
			t.Errorf("%s: verify answers %q", name, out)
		}
		if strings.Contains(out, "\tsuspect\n") {
			t.Errorf("%s: it is listed: %q", name, out)
		}
		if _, err := talk(t, lengths(c, right()), "verify\tlengths", "run\tlengths\tdecode\t1\t1\t1\tsuspect"); err == nil {
			t.Errorf("%s: it runs", name)
		}
	}
}

func TestAResultThatIsWrongTheSecondTimeOnlyIsFound(t *testing.T) {
	calls := 0
	c := right()
	c.read = func(record []byte) (uint64, error) {
		if calls++; calls > len(records) {
			return 1, nil
		}
		return uint64(len(record)), nil
	}
	if out, _ := talk(t, lengths(c), "verify\tlengths"); !strings.Contains(out, "right\twrong") {
		t.Errorf("verify answers %q", out)
	}
}

func TestEachRoundHasALineOfEachContender(t *testing.T) {
	second := right()
	second.name = "second"
	out, err := talk(t, lengths(right(), second), "run\tlengths\tdecode+read\t3\t1\t7\tright\tsecond", "run\tlengths\tencode\t1\t1\t7\tsecond")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]int{"lengths\tdecode+read\tright\t": 3, "lengths\tdecode+read\tsecond\t2\t": 1, "lengths\tencode\t": 1, "end\n": 3} {
		if got := strings.Count(out, line); got != want {
			t.Errorf("%q stands %d times, not %d, in %q", line, got, want, out)
		}
	}
}

func TestFaultyCommandsAndFilesAreErrors(t *testing.T) {
	for _, command := range []string{"verify\tother", "run\tlengths\tencode\t1", "run\tlengths\tencode\tx\t1\t1\tright", "run\tlengths\tencode\t1\t1\t1\tnobody", "dance\tlengths"} {
		if _, err := talk(t, lengths(right()), command); err == nil {
			t.Errorf("%q is no error", command)
		}
	}
	for cut, bad := range map[int]bool{1: false, 2: true, 7: false, 11: true} { // the last record is empty, before it end two others
		command := "load\tlengths\t" + file(t, cut) + "\n"
		if err := serve([]Message{lengths()}, strings.NewReader(command), new(bytes.Buffer)); (err != nil) != bad {
			t.Errorf("a file that is %d bytes short: %v", cut, err)
		}
	}
}
