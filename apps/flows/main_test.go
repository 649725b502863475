package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"
)

// flows runs the command.
func flows(t *testing.T, arguments ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(arguments, &out, &err)
	return code, out.String(), err.String()
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFlagsGoBeforeVariablesBeforeTheFile(t *testing.T) {
	config := write(t, filepath.Join(t.TempDir(), "c.yaml"), "kafka: {topic: file}\n")
	topic := func(arguments ...string) string {
		t.Helper()
		code, out, problems := flows(t, append([]string{"schema", "--topic"}, arguments...)...)
		if code != fine {
			t.Fatal(problems)
		}
		return strings.Split(out, "-")[0]
	}
	if got := topic(); got != "flows" {
		t.Errorf("default: %s", got)
	}
	if got := topic("--config=" + config); got != "file" {
		t.Errorf("file: %s", got)
	}
	t.Setenv("FLOWS_KAFKA_TOPIC", "variable")
	if got := topic("--config=" + config); got != "variable" {
		t.Errorf("variable: %s", got)
	}
	if got := topic("--config="+config, "--kafka-topic=flag"); got != "flag" {
		t.Errorf("flag: %s", got)
	}
}

// An option in the file is checked as a flag is, and what is wrong has its line.
func TestAnOptionInTheFileIsChecked(t *testing.T) {
	folder := t.TempDir()
	for text, want := range map[string]string{
		"listen: [\":0\"]\ndrain: 20\n":        `:2: drain: expected duration but got "20"`,
		"put-wait: 0.5\n":                      `:1: put-wait: expected duration`,
		"sampling: {wait: 10}\n":               `:1: sampling-wait: expected duration`,
		"workers: many\n":                      `:1: workers: expected a valid 64 bit int but got "many"`,
		"http: \"\"\nfile:\n  max-bytes: 1M\n": `:3: file-max-bytes: expected a valid 64 bit int but got "1M"`,
		"output: nowhere\n":                    `:1: output: "nowhere" is not one of kafka, file, stdout`,
		"log: {level: loud}\n":                 `:1: log-level: `,
		"kafka: 3\n":                           `:1: "kafka" is no option, but several`,
		"output: file\noutput: stdout\n":       `:2: mapping key "output" already defined at line 1`,
		"- output\n":                           `:1: the file must have lines of NAME: VALUE`,
	} {
		config := write(t, filepath.Join(folder, "c.yaml"), text)
		code, _, problems := flows(t, "collect", "--config="+config)
		if code != misuse || strings.Count(problems, "\n") != 1 || !strings.HasPrefix(problems, "flows: "+config+want) {
			t.Errorf("%q: %d, %s", text, code, problems)
		}
	}
	config := write(t, filepath.Join(folder, "c.yaml"), "watch: 0\nfile:\nkafka: {topic: x}\n")
	if code, _, problems := flows(t, "schema", "--topic", "--config="+config); code != fine {
		t.Error(problems)
	}
}

// A variable that is wrong is named, unless the command line has another value.
func TestAVariableOfTheEnvironmentIsChecked(t *testing.T) {
	for name, want := range map[string]string{
		"FLOWS_OUTPUT":  `FLOWS_OUTPUT: "nowhere" is not one of kafka, file, stdout`,
		"FLOWS_WORKERS": `--workers: expected a valid 64 bit int but got "nowhere" (from envar FLOWS_WORKERS="nowhere")`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "nowhere")
			if code, _, problems := flows(t, "collect"); code != misuse || problems != "flows: "+want+" (--help shows how)\n" {
				t.Errorf("%d, %s", code, problems)
			}
		})
	}
	t.Setenv("FLOWS_OUTPUT", "nowhere")
	want := `flows: --output must be one of "kafka","file","stdout" but got "elsewhere" (--help shows how)` + "\n"
	if code, _, problems := flows(t, "collect", "--output=elsewhere"); code != misuse || problems != want {
		t.Errorf("%d, %s", code, problems)
	}
}

func TestPathsInTheFileStartFromWhereItIs(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "s.yaml"), "message: Mine\ncolumns:\n  - {name: a, number: 1, type: uint32}\n")
	config := write(t, filepath.Join(folder, "c.yaml"), "schema: s.yaml\n")
	if code, out, problems := flows(t, "schema", "--proto", "--config="+config); code != fine || !strings.Contains(out, "message Mine") {
		t.Errorf("%d %s %s", code, out, problems)
	}
}

var commented = regexp.MustCompile(`(?m)^( *)# ((?:  )?[a-z-]+:(?: [^ ].*)?)$`)

// The file that is committed has every option of collect once, those that are comments among them, and no other.
func TestTheConfigurationOfTheRepositoryHasEveryOption(t *testing.T) {
	text, err := os.ReadFile("flows.conf.yaml")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"flows.yaml", "prefixes.csv", "interfaces.csv"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name), string(text))
	}
	all := commented.ReplaceAll(text, []byte("$1$2"))
	for _, text := range [][]byte{text, all} {
		config := write(t, filepath.Join(folder, "c.yaml"), string(text))
		if code, _, problems := flows(t, "schema", "--config="+config, "--hash"); code != fine {
			t.Errorf("%s\n%s", problems, text)
		}
	}
	var command struct {
		Log     logOptions     `embed:"" prefix:"log-"`
		Collect collectCommand `cmd:""`
	}
	parser, err := kong.New(&command)
	if err != nil {
		t.Fatal(err)
	}
	options := map[string]any{}
	if err := yaml.Unmarshal(all, options); err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{"help": true}
	for name, value := range options {
		if inner, ok := value.(map[string]any); ok {
			for rest := range inner {
				named[name+"-"+rest] = true
			}
			continue
		}
		named[name] = true
	}
	for _, flags := range [][]*kong.Flag{parser.Model.Flags, parser.Model.Children[0].Flags} {
		for _, flag := range flags {
			if !named[flag.Name] {
				t.Errorf("flows.conf.yaml does not name %s", flag.Name)
			}
		}
	}
}

func TestWhatIsWrongIsALineWithAWayOut(t *testing.T) {
	folder := t.TempDir()
	bad := write(t, filepath.Join(folder, "bad.yaml"),
		"message: F\ncolumns:\n  - {name: a, number: 1, type: uint32}\n  - {name: b, number: 1, type: uint32}\n  - {name: c, number: 2, type: nothing}\n")
	typo := write(t, filepath.Join(folder, "typo.yaml"), "http: x\nkafka:\n  brokes: [a]\n")
	notYAML := write(t, filepath.Join(folder, "not.yaml"), "a: [\n")
	csv := write(t, filepath.Join(folder, "p.csv"), "prefix,name\n300.0.0.0/8,x\n")
	empty := write(t, filepath.Join(folder, "empty.pcap"), "no capture at all")
	for _, c := range []struct {
		arguments []string
		code      int
		want      []string // what the lines have
	}{
		{[]string{"collect", "--output=nowhere"}, misuse, []string{"--output must be one of"}},
		{[]string{"colect"}, misuse, []string{"--help"}},
		{[]string{"generate"}, misuse, []string{"--write"}},
		{[]string{"generate", "--write=x.pcap", "--rate=0"}, misuse, []string{"--rate"}},
		{[]string{"replay", "--speed=-1", "x"}, misuse, []string{"--speed"}},
		{[]string{"schema", "--config=" + typo}, misuse, []string{typo + `:3: there is no option "kafka-brokes"`}},
		{[]string{"schema", "--config=" + notYAML}, misuse, []string{notYAML}},
		{[]string{"schema", "--schema=" + bad}, wrong, []string{bad + ":5: "}},
		{[]string{"schema", "--schema=" + folder + "/none"}, wrong, []string{"--schema: open " + folder + "/none: no such file"}},
		{[]string{"schema", "--config=" + folder + "/none"}, misuse, []string{"--config: open " + folder + "/none: no such file"}},
		{[]string{"schema", "--check", "--schema-lock=" + folder + "/none"}, wrong, []string{"--schema-lock: open "}},
		{[]string{"replay", "--output=stdout", "--interfaces=" + folder + "/none", "testdata/softflowd_ipfix.dgrams"}, wrong, []string{"--interfaces: open "}},
		{[]string{"replay", "--output=file", "--file-folder=" + empty, "testdata/softflowd_ipfix.dgrams"}, wrong, []string{"--file-folder: mkdir "}},
		{[]string{"generate", "--write=" + folder + "/none/x.pcap"}, wrong, []string{"--write: open "}},
		{[]string{"schema", "--log-level=loud"}, misuse, []string{`"loud" is not one of debug, info, warn, error`}},
		{[]string{"clickhouse", "migrate", "plan", "--clickhouse-url=http://127.0.0.1:1"}, wrong, []string{"does not answer at http://127.0.0.1:1: dial"}},
		{[]string{"replay", "--output=file", "testdata/softflowd_ipfix.dgrams"}, misuse, []string{"--file-folder"}},
		{[]string{"replay", "--output=stdout", "--sampling-default=10.0.0.0/8", "x"}, misuse, []string{"--sampling-default: "}},
		{[]string{"replay", "--output=stdout", "--max-exporters=0", "x"}, misuse, []string{"--max-exporters=0: it must be 1 or more"}},
		{[]string{"replay", "--output=stdout", "--waiting-bytes=-5", "x"}, misuse, []string{"--waiting-bytes=-5: it must be 0 or more"}},
		{[]string{"replay", "--output=stdout", "--template-time=0s", "x"}, misuse, []string{"--template-time"}},
		{[]string{"replay", "--kafka-brokers=", "x"}, misuse, []string{"--kafka-brokers"}},
		{[]string{"replay", "--kafka-ca=ca.pem", "x"}, misuse, []string{"--kafka-tls"}},
		{[]string{"collect", "--stuck=-1s"}, misuse, []string{"--stuck"}},
		{[]string{"generate", "--write=x.txt", "--count=1"}, misuse, []string{".pcap"}},
		{[]string{"generate", "127.0.0.1:1", "--rate=-1"}, misuse, []string{"--rate"}},
		{[]string{"generate", "127.0.0.1"}, misuse, []string{"HOST:PORT"}},
		{[]string{"replay", "--output=stdout", empty}, wrong, []string{empty}},
		{[]string{"replay", "--output=stdout", "--prefixes=" + csv, "testdata/softflowd_ipfix.dgrams"}, wrong, []string{csv + ":2"}},
		{[]string{"collect", "--chunk-time=5ns"}, misuse, []string{"durations have units"}},
		{[]string{"collect", "--max-datagram=1"}, misuse, []string{"--max-datagram"}},
		{[]string{"collect", "--max-datagram=70000000"}, misuse, []string{"--max-datagram"}},
		{[]string{"collect", "--batch=100000"}, misuse, []string{"--batch"}},
		{[]string{"collect", "--workers=100000"}, misuse, []string{"--workers"}},
		{[]string{"collect", "--drain=-1s"}, misuse, []string{"--drain"}},
		{[]string{"generate", "127.0.0.1:1", "--exporters=0"}, misuse, []string{"--exporters"}},
		{[]string{"collect", "--output=stdout", "--listen=nowhere:x:y", "--http="}, misuse, []string{"--listen"}},
		{[]string{"collect", "--output=stdout", "--listen=127.0.0.1:0", "--http=192.0.2.1:1"}, wrong, []string{"--http"}},
		{[]string{"cat", empty}, wrong, []string{"a file of --output=file"}},
	} {
		code, _, problems := flows(t, c.arguments...)
		lines := strings.Split(strings.TrimSuffix(problems, "\n"), "\n")
		if code != c.code || len(lines) != len(c.want) {
			t.Errorf("%q: code %d, %q", c.arguments, code, lines)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(lines[i], "flows: ") || !strings.Contains(lines[i], want) {
				t.Errorf("%q: %q has no %q", c.arguments, lines[i], want)
			}
		}
	}
}

// A replay says why data was lost, not only how much.
func TestAReplayTellsWhyDataWasLost(t *testing.T) {
	b, err := os.ReadFile("testdata/softflowd_netflow9.dgrams")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "data.dgrams")
	b = b[4+binary.BigEndian.Uint32(b):] // without the first datagram, which has the templates
	if err := os.WriteFile(file, b[:4+binary.BigEndian.Uint32(b)], 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, log := flows(t, "replay", "--output=file", "--file-folder="+t.TempDir(), file)
	if code != fine || strings.Count(log, "no port of this address has sent this template") != 1 || !strings.Contains(log, "waiting_expired") {
		t.Errorf("%d: %s", code, log)
	}
}

// What a replay writes is what cat shows; nothing is lost on the way.
func TestAReplayedCaptureCanBeReadBack(t *testing.T) {
	folder := t.TempDir()
	code, _, log := flows(t, "replay", "--log-format=json", "--output=file", "--file-folder="+folder, "--prefixes=prefixes.csv",
		"--interfaces=interfaces.csv", "testdata/softflowd_netflow5.dgrams", "testdata/softflowd_netflow9.dgrams", "testdata/softflowd_ipfix.dgrams")
	if code != fine {
		t.Fatal(log)
	}
	var last struct {
		Msg              string
		Flows, Delivered int
	}
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Msg != "ended" || last.Flows == 0 || last.Delivered != last.Flows {
		t.Fatalf("%v: %s", err, log)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.pb"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %q", err, files)
	}
	code, out, problems := flows(t, "cat", files[0])
	if code != fine {
		t.Fatal(problems)
	}
	shown := 0
	for line := range strings.Lines(out) {
		var f map[string]any
		if err := json.Unmarshal([]byte(line), &f); err != nil || f["exporter_address"] != "192.0.2.1" {
			t.Fatalf("%v: %s", err, line)
		}
		shown++
	}
	if shown != last.Flows {
		t.Errorf("%d flows are shown, %d were replayed", shown, last.Flows)
	}
}

func TestWhatIsGeneratedIntoAFileIsReplayed(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"x.dgrams", "x.pcap"} {
		path := filepath.Join(folder, name)
		code, out, problems := flows(t, "generate", "--write="+path, "--rate=500", "--for=2s", "--seed=7", "--protocols=netflow9,ipfix")
		if code != fine {
			t.Fatal(problems)
		}
		var a account
		if err := json.Unmarshal([]byte(out), &a); err != nil || a.Flows < 500 || len(a.Exporters) != 8 {
			t.Fatalf("%v: %s", err, out)
		}
		to := filepath.Join(folder, name+".out")
		code, _, log := flows(t, "replay", path, "--output=file", "--file-folder="+to)
		if want := " flows=" + jsonNumber(a.Flows) + " "; code != fine || !strings.Contains(log, want) {
			t.Errorf("%s: code %d, no %q in %s", name, code, want, log)
		}
	}
}

// The tables of the repository name the interfaces and the networks of all generated exporters, in captures and on loopback.
func TestTheTablesNameWhatIsGenerated(t *testing.T) {
	unnamed := func(text string) (flows int) {
		t.Helper()
		exporters := map[string]bool{}
		for line := range strings.Lines(text) {
			var f map[string]any
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Fatal(err)
			}
			exporters[f["exporter_address"].(string)] = true
			if f["in_if"] != nil && f["in_if_name"] == nil || f["out_if"] != nil && f["out_if_name"] == nil || f["src_name"] == nil && f["dst_name"] == nil {
				flows++
			}
		}
		if len(exporters) != 8 {
			t.Errorf("exporters %v", exporters)
		}
		return flows
	}
	shown := func(folder string) string {
		files, _ := filepath.Glob(filepath.Join(folder, "*.pb"))
		_, out, problems := flows(t, append([]string{"cat"}, files...)...)
		if problems != "" {
			t.Fatal(problems)
		}
		return out
	}
	folder := t.TempDir()
	capture := filepath.Join(folder, "x.pcap")
	if code, _, problems := flows(t, "generate", "--write="+capture, "--count=2000"); code != fine {
		t.Fatal(problems)
	}
	if code, _, log := flows(t, "replay", capture, "--output=file", "--file-folder="+folder, "--prefixes=prefixes.csv", "--interfaces=interfaces.csv"); code != fine {
		t.Fatal(log)
	}
	if n := unnamed(shown(folder)); n > 0 {
		t.Errorf("%d flows of a capture have no names", n)
	}
	folder = t.TempDir()
	c := start(t, "--output=file", "--file-folder="+folder, "--prefixes=prefixes.csv", "--interfaces=interfaces.csv")
	c.send(t, "--rate=0", "--count=2000")
	if err := c.stop(); err != nil {
		t.Fatal(err, c.log.String())
	}
	if n := unnamed(shown(folder)); n > 0 {
		t.Errorf("%d flows from loopback have no names", n)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestCatTellsWhenNotAllIsShown(t *testing.T) {
	folder := t.TempDir()
	if code, _, log := flows(t, "replay", "--output=file", "--file-folder="+folder, "testdata/softflowd_ipfix.dgrams"); code != fine {
		t.Fatal(log)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.pb"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %q", err, files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, whole, nothing := flows(t, "cat", files[0])
	if nothing != "" {
		t.Error(nothing)
	}
	schema := write(t, filepath.Join(folder, "other.yaml"), "message: M\ncolumns:\n  - {name: a, number: 1, type: uint32}\n")
	if code, _, problems := flows(t, "cat", "--schema="+schema, files[0]); code != fine || !strings.Contains(problems, "was written with another schema") ||
		!strings.Contains(problems, files[0]) || !strings.Contains(problems, "--schema") {
		t.Errorf("another schema: %d, %s", code, problems)
	}
	bad := write(t, filepath.Join(folder, "bad"), string(text)+"\x02\xff\xff"+string(text))
	if code, out, problems := flows(t, "cat", bad); code != wrong || out != whole || !strings.Contains(problems, "the message at") {
		t.Errorf("a bad message: %d, %d bytes of %d are shown, %s", code, len(out), len(whole), problems)
	}
	var problems bytes.Buffer
	if code := run([]string{"cat", files[0]}, full{}, &problems); code != wrong || !strings.Contains(problems.String(), "no space") {
		t.Errorf("a full disk: %d, %s", code, &problems)
	}
}

func jsonNumber(n uint64) string {
	text, _ := json.Marshal(n)
	return string(text)
}

func TestTheSchemaIsShown(t *testing.T) {
	_, hash, _ := flows(t, "schema", "--hash")
	for flag, want := range map[string]string{
		"--columns": "src_addr", "--proto": "message FlowMessage", "--clickhouse": "ENGINE = Kafka", "--topic": "flows-" + hash,
	} {
		if code, out, problems := flows(t, "schema", flag); code != fine || !strings.Contains(out, want) {
			t.Errorf("%s: %d, %q is not in %s%s", flag, code, want, out, problems)
		}
	}
	if code, out, _ := flows(t, "version"); code != fine || strings.TrimSpace(out) == "" {
		t.Errorf("version: %d %q", code, out)
	}
	if code, out, _ := flows(t, "--help"); code != fine || !strings.Contains(out, "collect") {
		t.Errorf("help: %d %s", code, out)
	}
}

func TestAPortAloneIsAnAddress(t *testing.T) {
	for text, want := range map[string]string{
		"2055": ":2055", ":2055": ":2055", "127.0.0.1:2055": "127.0.0.1:2055", "[::1]:2055": "[::1]:2055", "localhost:0": "localhost:0",
		"70000": "", "127.0.0.1": "", "::1": "", "host:name": "", "": "",
	} {
		if got, err := hostPort("listen", text); got != want || (err == nil) != (want != "") || err != nil && !strings.Contains(err.Error(), "write ") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	c := start(t, "--listen=127.0.0.1:0,2055", "--http=8080")
	if l := c.command.Listen; len(l) != 2 || l[1] != ":2055" || c.command.HTTP != ":8080" {
		t.Errorf("%q %q", l, c.command.HTTP)
	}
}

// Data whose template never came ends with the program. The last line of the log says so apart from what came to nothing before.
func TestTheLogSaysWhatStillWaitedAtTheEnd(t *testing.T) {
	datagram := "\x00\x0a\x00\x18" + "\x6b\x49\xd2\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x07" + "\x01\x04\x00\x08" + "data" // set 260 of IPFIX
	path := write(t, filepath.Join(t.TempDir(), "waiting.dgrams"), "\x00\x00\x00\x18"+datagram)
	code, _, log := flows(t, "replay", "--output=stdout", "--clock-skew=0s", path)
	if code != fine || !strings.Contains(log, "flows=0 delivered=0 lost_at_end=0 sets_lost_at_end=1 dropped.waiting_expired=1") {
		t.Errorf("%d: %s", code, log)
	}
}
