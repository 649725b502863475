package fault

import (
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

func TestFaultsAreLinesOfTheFile(t *testing.T) {
	var options map[string]any
	var snmp struct{ Every time.Duration }
	for text, want := range map[string]string{
		"a: [\n":             "x.yaml:1: did not find expected node content",
		"a: 1\na: 2\n":       `x.yaml:2: mapping key "a" already defined at line 1`,
		"- a\n":              "x.yaml:1: the file must have lines of NAME: VALUE",
		"text":               "x.yaml:1: the file must have lines of NAME: VALUE",
		"b: 1\nevery: nix\n": `x.yaml:2: "nix" is not a duration: write a number and a unit, such as 10s or 5m`,
		"every: 10\n":        `x.yaml:1: "10" is not a duration: write a number and a unit, such as 10s or 5m`,
	} {
		err := yaml.Unmarshal([]byte(text), &options)
		if err == nil {
			err = yaml.Unmarshal([]byte(text), &snmp)
		}
		if err == nil {
			t.Errorf("%q is read", text)
		} else if got := YAML("x.yaml", err).Error(); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}
