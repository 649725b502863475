//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"
)

// imageFiles is the folder /etc/flows of the container of compose.yaml.
func imageFiles(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"packaging/compose/flows.conf.yaml", "flows.yaml", "prefixes.csv", "interfaces.csv"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, filepath.Base(name)), string(text))
	}
	return folder
}

// The collector of packaging/compose accepts the options that compose.yaml mounts, beside the files of the image.
func TestTheConfigurationOfComposeIsAccepted(t *testing.T) {
	folder := imageFiles(t)
	var line commandLine
	parser, err := kong.New(&line, kong.Configuration(loadConfig))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"collect", "--config=" + filepath.Join(folder, "flows.conf.yaml")}); err != nil {
		t.Fatal(err)
	}
	c := &line.Collect
	if !slices.Equal(c.Kafka.Brokers, []string{"kafka:9092"}) || c.Output != "kafka" || c.outputOptions.check() != nil {
		t.Errorf("%+v", c.outputOptions)
	}
	setup, _, err := c.load()
	if err != nil {
		t.Fatal(err)
	}
	if setup.Enricher == nil {
		t.Error("the tables are not used")
	}
}

// The service `schema` of compose.yaml writes the .proto file and the statements, as its shell does in the container.
func TestComposeWritesTheSchemaForClickHouse(t *testing.T) {
	text, err := os.ReadFile("packaging/compose/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct{ Entrypoint, Command []string }
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	service := compose.Services["schema"]
	if len(service.Entrypoint) != 2 || len(service.Command) != 1 {
		t.Fatalf("%+v", service)
	}
	etc, schemas, bin := imageFiles(t), t.TempDir(), t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "flows")); err != nil {
		t.Fatal(err)
	}
	script := strings.NewReplacer("$$", "$", "/schemas", schemas, "/etc/flows", etc).Replace(service.Command[0])
	shell := exec.Command(service.Entrypoint[0], service.Entrypoint[1], script)
	shell.Env = append(os.Environ(), asProgram+"=1", "PATH="+bin+":"+os.Getenv("PATH"))
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, output, script)
	}
	_, topic, _ := flows(t, "schema", "--topic")
	proto := strings.TrimSpace(topic) + ".proto"
	if text, err := os.ReadFile(filepath.Join(schemas, proto)); err != nil || !strings.Contains(string(text), "message FlowMessage") {
		t.Errorf("%s: %v\n%s", proto, err, text)
	}
	statements, err := os.ReadFile(filepath.Join(schemas, "flows.sql"))
	for _, want := range []string{"kafka_broker_list = 'kafka:9092'", "kafka_schema = '" + proto + ":FlowMessage'"} {
		if err != nil || !strings.Contains(string(statements), want) {
			t.Errorf("no %q in flows.sql: %v", want, err)
		}
	}
}

func TestTheManualNamesEveryCommand(t *testing.T) {
	manual, err := os.ReadFile("packaging/flows.1")
	if err != nil {
		t.Fatal(err)
	}
	parser, err := kong.New(new(commandLine))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Children {
		if !strings.Contains(string(manual), ".B flows "+command.Name+"\n") {
			t.Errorf("packaging/flows.1 has no `flows %s`", command.Name)
		}
	}
}

// The unit of the package is flows.service, with another path of the program and a user that stays.
func TestTheUnitOfThePackage(t *testing.T) {
	unitFile, err := os.ReadFile("flows.service")
	if err != nil {
		t.Fatal(err)
	}
	unit, err := exec.Command("packaging/unit.sh").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"ExecStart=/usr/bin/flows collect --config=/etc/flows/flows.conf.yaml\n", "\nUser=flows\nGroup=flows\n", "\nStateDirectory=flows\n"} {
		if !strings.Contains(string(unit), line) {
			t.Errorf("no %q in\n%s", line, unit)
		}
	}
	if strings.Contains(string(unit), "DynamicUser") || !strings.HasPrefix(string(unit), "[Unit]") {
		t.Errorf("the unit is\n%s", unit)
	}
	if n := strings.Count(string(unitFile), "\n") - strings.Count(string(unit), "\n"); n != 1 {
		t.Errorf("the units differ by %d lines, not by one", n)
	}
}
