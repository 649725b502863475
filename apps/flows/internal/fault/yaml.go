// Package fault words the errors of the YAML reader as the program words its own: FILE:LINE: REASON.
package fault

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

var (
	line     = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
	field    = regexp.MustCompile(`^field (\S+) not found in type \S+$`)
	duration = regexp.MustCompile("^cannot unmarshal !!\\w+ `(.*)` into time.Duration$")
	list     = regexp.MustCompile("^cannot unmarshal !!(?:seq|str|int|bool|float) (?:`.*` )?into (?:map\\[string\\]interface {}|\\S+\\.config)$")
)

// YAML returns an error with a line for each fault that the reader has found in the file.
func YAML(path string, err error) error {
	lines := []string{err.Error()}
	if several := (*yaml.TypeError)(nil); errors.As(err, &several) {
		lines = several.Errors
	}
	var all []error
	for _, text := range lines {
		at, reason := "", strings.TrimPrefix(text, "yaml: ")
		if m := line.FindStringSubmatch(text); m != nil {
			at, reason = ":"+m[1], m[2]
		}
		if m := field.FindStringSubmatch(reason); m != nil {
			reason = fmt.Sprintf("there is no key %q here", m[1])
		} else if m := duration.FindStringSubmatch(reason); m != nil {
			reason = fmt.Sprintf("%q is not a duration: write a number and a unit, such as 10s or 5m", m[1])
		} else if list.MatchString(reason) {
			reason = "the file must have lines of NAME: VALUE"
		}
		all = append(all, fmt.Errorf("%s%s: %s", path, at, reason))
	}
	return errors.Join(all...)
}
