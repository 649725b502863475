package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"

	"github.com/hotpb/hotpb/apps/flows/internal/fault"
)

type configFile = kong.ConfigFlag

// configuration is the file of options. Its keys are the flags of all commands, flat or nested at hyphens:
//
//	listen: [":2055", ":6343"]
//	kafka:
//	  brokers: [kafka:9092]
type configuration struct {
	name   string
	root   yaml.Node
	values map[string]any
}

// loadConfig reads the file of --config.
func loadConfig(r io.Reader) (kong.Resolver, error) {
	c := &configuration{name: "the configuration"}
	if file, ok := r.(*os.File); ok {
		c.name = file.Name()
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(text, &c.root); err != nil {
		return nil, fault.YAML(c.name, err)
	}
	if len(c.root.Content) > 0 {
		if err := c.root.Decode(&c.values); err != nil {
			return nil, fault.YAML(c.name, err)
		}
	}
	return c, nil
}

// Resolve returns the value of a flag. Kong calls it if the command line does not have the flag, but would prefer
// the file to the environment.
func (c *configuration) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	value := find(c.values, flag.Name)
	switch value.(type) {
	case nil, map[string]any: // of options whose names begin with the name of this one
		return nil, nil
	case int, float64:
		if _, is := flag.Target.Interface().(time.Duration); is {
			value = fmt.Sprint(value) // kong would take a number for nanoseconds
		}
	}
	if err := fits(flag, value); err != nil {
		return nil, &optionError{c.name, lineOf(c.root.Content[0], flag.Name), err}
	}
	if path, ok := value.(string); ok && flag.Tag.Type == "path" && path != "" && !filepath.IsAbs(path) {
		value = filepath.Join(filepath.Dir(c.name), path)
	}
	return value, nil
}

// optionError is about an option in a file.
type optionError struct {
	file string
	line int
	err  error
}

func (e *optionError) Error() string { return fmt.Sprintf("%s:%d: %v", e.file, e.line, e.err) }
func (e *optionError) Unwrap() error { return e.err }

// fits returns why a flag cannot have a value.
func fits(flag *kong.Flag, value any) error {
	into := reflect.New(flag.Target.Type()).Elem()
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: kong.Scan().PushTyped(value, kong.FlagValueToken)}, into); err != nil {
		return fmt.Errorf("%s: %w", flag.Name, err)
	}
	if flag.Enum != "" && into.Kind() == reflect.String && !slices.Contains(flag.EnumSlice(), into.String()) {
		return fmt.Errorf("%s: %q is not one of %s", flag.Name, into.String(), strings.Join(flag.EnumSlice(), ", "))
	}
	return nil
}

// fromEnvironment returns an error about a variable whose value is none of those that the option takes; nil if err is about
// something else. Kong's own error names the option only.
func fromEnvironment(err *kong.ParseError) error {
	for _, flag := range err.Context.Flags() {
		for _, name := range flag.Envs {
			value, set := os.LookupEnv(name)
			if flag.Enum != "" && set && strings.HasPrefix(err.Error(), flag.ShortSummary()+" must be one of ") && strings.HasSuffix(err.Error(), fmt.Sprintf(" but got %q", value)) {
				return fmt.Errorf("%s: %q is not one of %s", name, value, strings.Join(flag.EnumSlice(), ", "))
			}
		}
	}
	return nil
}

// lineOf returns where the value of a flag is, below keys as find has them.
func lineOf(node *yaml.Node, flag string) (line int) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Value == flag {
			line = value.Line
		}
		if rest, below := strings.CutPrefix(flag, key.Value+"-"); below && value.Kind == yaml.MappingNode {
			if inner := lineOf(value, rest); inner > 0 {
				return inner
			}
		}
	}
	return line
}

// find returns the value of a flag, below keys whose names are its beginning up to a hyphen.
func find(values map[string]any, flag string) any {
	for at, c := range flag {
		if c != '-' {
			continue
		}
		if nested, ok := values[flag[:at]].(map[string]any); ok {
			if value := find(nested, flag[at+1:]); value != nil {
				return value
			}
		}
	}
	return values[flag]
}

// Validate reports keys that are not flags of any command.
func (c *configuration) Validate(app *kong.Application) error {
	known := map[string]bool{}
	kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known[flag.Name] = true
		}
		return next(nil)
	})
	if len(c.root.Content) == 0 {
		return nil
	}
	return c.check(c.root.Content[0], "", known)
}

func (c *configuration) check(node *yaml.Node, prefix string, known map[string]bool) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: %q is not a list of options", c.name, node.Line, strings.TrimSuffix(prefix, "-"))
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		name := prefix + key.Value
		switch {
		case known[name] && value.Kind != yaml.MappingNode:
		case value.Kind == yaml.MappingNode:
			if err := c.check(value, name+"-", known); err != nil {
				return err
			}
		case isGroup(name, known) && value.Tag == "!!null": // all of its options are comments
		case isGroup(name, known):
			return fmt.Errorf("%s:%d: %q is no option, but several: write them below it, or with names such as %s-…", c.name, key.Line, name, name)
		default:
			return fmt.Errorf("%s:%d: there is no option %q; flows collect --help lists them", c.name, key.Line, name)
		}
	}
	return nil
}

// isGroup reports whether names of options begin with a name.
func isGroup(name string, known map[string]bool) bool {
	for option := range known {
		if strings.HasPrefix(option, name+"-") {
			return true
		}
	}
	return false
}
