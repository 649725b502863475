package main

import (
	"bytes"
	"os"
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

func TestItWritesTheSchemaOrSaysWhatIsWrong(t *testing.T) {
	name := filepath.Join(t.TempDir(), "flows.yaml")
	for _, test := range []struct {
		code           int
		text           string
		flags          []string
		stdout, stderr string
		withoutTheFile bool
		absent         string
	}{
		{code: 0, text: flows, stdout: "src_addr: type=fixed_size_binary[16]", absent: "src_mac"},
		{code: 0, text: flows, flags: []string{"--on-group=l2", "--off=bytes"}, stdout: "src_mac: type=uint64", absent: "- bytes"},
		{code: 1, text: flows, flags: []string{"--off=none*"}, stderr: `no column is in the pattern "none*"`},
		{code: 1, text: strings.Replace(flows, "uint64", "int", 1), stderr: name + ":4: "},
		{code: 1, text: strings.Replace(flows, "uint64", "FlowMessage", 1), stderr: name + ":4: flows.FlowMessage.bytes: flows.FlowMessage contains itself"},
		{code: 1, text: flows, flags: []string{"gone.yaml"}, withoutTheFile: true, stderr: "gone.yaml"},
		{code: 2, text: flows, withoutTheFile: true, stderr: "name one schema file"},
		{code: 2, text: flows, flags: []string{"--all"}, stderr: "-all"},
	} {
		if err := os.WriteFile(name, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments := test.flags
		if !test.withoutTheFile {
			arguments = append(arguments, name)
		}
		var stdout, stderr bytes.Buffer
		code := run(arguments, &stdout, &stderr)
		if code != test.code || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) ||
			(test.stderr == "") != (stderr.Len() == 0) || test.absent != "" && strings.Contains(stdout.String(), test.absent) {
			t.Errorf("%q: exit code %d\n%s%s", arguments, code, &stdout, &stderr)
		}
	}
}
