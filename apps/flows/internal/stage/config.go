package stage

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/hotpb/hotpb/apps/flows/internal/fault"
)

// config is the file of further sources. Paths in it are relative to its folder.
type config struct {
	path string

	MMDB       []databaseConfig `yaml:"mmdb"`
	Routes     []routesConfig   `yaml:"routes"`
	BMP        *bmpConfig       `yaml:"bmp"`
	Exporters  []ruleConfig     `yaml:"exporters"`
	Interfaces []ruleConfig     `yaml:"interfaces"`
	SNMP       *snmpConfig      `yaml:"snmp"`
}

// databaseConfig is a database, and which of its values fill which columns.
type databaseConfig struct {
	File    located   `yaml:"file"`
	Columns yaml.Node `yaml:"columns"`
}

// located is a text with its line.
type located struct {
	value string
	line  int
}

func (t *located) UnmarshalYAML(n *yaml.Node) error {
	t.line = n.Line
	return n.Decode(&t.value)
}

// pair is a key and its value, at a line.
type pair struct {
	key, value string
	line       int
}

const maxConfig = 4 << 20 // bytes

// readConfig reads the file; its errors have its path and, where there is one, the line.
func readConfig(path string) (*config, error) {
	c := &config{path: path}
	if path == "" {
		return c, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err != nil {
		return nil, err
	}
	if len(all) > maxConfig {
		return nil, fmt.Errorf("%s: has more than %d bytes", path, maxConfig)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(all))
	decoder.KnownFields(true)
	if err := decoder.Decode(c); err != nil && err != io.EOF {
		return nil, fault.YAML(path, err)
	}
	return c, nil
}

// wrong is an error in a line.
func (c *config) wrong(line int, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %w", c.path, line, fmt.Errorf(format, a...))
}

// file is the path of a file that the configuration names.
func (c *config) file(t located) string {
	if filepath.IsAbs(t.value) {
		return t.value
	}
	return filepath.Join(filepath.Dir(c.path), t.value)
}

// stamp says whether a file is the one that was read. The zero stamp says nothing.
type stamp struct {
	path     string
	modified time.Time
	size     int64
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{path, info.ModTime(), info.Size()}
}

// fills reads the columns of a source, and refuses one without a file or columns; kind and example are for the message.
func (c *config) fills(file located, columns *yaml.Node, kind, example string) ([]pair, error) {
	if file.value == "" {
		return nil, fmt.Errorf("%s: %s has no file", c.path, kind)
	}
	list, err := c.pairs(columns, "columns")
	if err == nil && len(list) == 0 {
		err = c.wrong(file.line, "%s fills no columns: add columns: {%s}, for instance", file.value, example)
	}
	return list, err
}

// pairs are the pairs of a mapping in their order.
func (c *config) pairs(n *yaml.Node, subject string) (list []pair, err error) {
	if n.Kind == 0 {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, c.wrong(n.Line, "%s must be lines of NAME: VALUE", subject)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			return nil, c.wrong(k.Line, "%s: %s must have one value", subject, k.Value)
		}
		for _, before := range list {
			if before.key == k.Value {
				return nil, c.wrong(k.Line, "%s is also in line %d", k.Value, before.line)
			}
		}
		list = append(list, pair{k.Value, v.Value, k.Line})
	}
	return list, nil
}

// supplied is the supply that a name such as as! stands for.
func supplied(name, from string) supply {
	name, override := strings.CutSuffix(name, "!")
	return supply{name, from, override}
}

// check reports columns that no group of the schema has, whether on or off.
func (c *config) check(b *binding, line int, name string, prefixes ...string) {
	name = strings.TrimSuffix(name, "!")
	for _, prefix := range prefixes {
		if _, _, ok := b.layout.File.Schema.Find(prefix + name); ok || name == "as" && prefix == "src_" {
			return
		}
	}
	b.problems = append(b.problems, c.wrong(line, "the schema %s has no column %s%s", b.layout.Path,
		strings.Join(prefixes, name+" or "), name))
}
