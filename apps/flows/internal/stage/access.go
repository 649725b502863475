package stage

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/snmp"
)

// snmpConfig says which exporters are asked for their names, and how.
type snmpConfig struct {
	Every    time.Duration  `yaml:"every"`
	Expire   time.Duration  `yaml:"expire"`
	Timeout  time.Duration  `yaml:"timeout"`
	Retries  *int           `yaml:"retries"`
	Parallel int            `yaml:"parallel"`
	Keep     located        `yaml:"keep"`
	Access   []accessConfig `yaml:"access"`
}

// accessConfig is the access to the exporters in some prefixes. Secrets are in files.
type accessConfig struct {
	Exporters []located `yaml:"exporters"`
	Port      uint16    `yaml:"port"`
	Community located   `yaml:"community-file"`
	User      located   `yaml:"user"`
	Auth      located   `yaml:"auth"`
	AuthFile  located   `yaml:"auth-file"`
	Privacy   located   `yaml:"privacy"`
	PrivFile  located   `yaml:"privacy-file"`
	Context   string    `yaml:"context"`
}

// snmpOptions are the options of the poller; nil without a section snmp. It also returns the files with secrets.
func (c *config) snmpOptions() (*snmp.Options, []string, error) {
	if c.SNMP == nil {
		return nil, nil, nil
	}
	o := snmp.Defaults()
	s := c.SNMP
	for _, d := range []struct {
		from time.Duration
		to   *time.Duration
		name string
		min  time.Duration
	}{
		{s.Every, &o.Every, "every", time.Second}, {s.Expire, &o.Expire, "expire", time.Second}, {s.Timeout, &o.Timeout, "timeout", time.Millisecond},
	} {
		if d.from == 0 {
			continue
		}
		if d.from < d.min {
			return nil, nil, fmt.Errorf("%s: snmp: %s is %v; it must be %v or more", c.path, d.name, d.from, d.min)
		}
		*d.to = d.from
	}
	if s.Keep.value != "" {
		o.Keep = c.file(s.Keep)
	}
	if s.Retries != nil {
		o.Retries = *s.Retries
	}
	if s.Parallel != 0 {
		o.Parallel = s.Parallel
	}
	if o.Retries < 0 || o.Retries > 10 || o.Parallel < 1 || o.Parallel > 1000 {
		return nil, nil, fmt.Errorf("%s: snmp: retries must be from 0 to 10, and parallel from 1 to 1000", c.path)
	}
	var files []string
	var problems []error
	for i := range s.Access {
		a, used, err := c.access(&s.Access[i])
		files = append(files, used...)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, text := range s.Access[i].Exporters {
			p, err := parsePrefix(text.value)
			if err != nil {
				problems = append(problems, c.wrong(text.line, "%w", err))
			} else if _, twice := o.Access.Get(p); twice {
				problems = append(problems, c.wrong(text.line, "%v has another access already", p))
			} else {
				o.Access.Insert(p, a)
			}
		}
	}
	return &o, files, errors.Join(problems...)
}

func (c *config) access(from *accessConfig) (a *snmp.Access, files []string, err error) {
	if len(from.Exporters) == 0 {
		return nil, nil, fmt.Errorf("%s: snmp: an access has no exporters: add exporters: [192.0.2.0/24], for instance", c.path)
	}
	line := from.Exporters[0].line
	secret := func(t located, subject string) string {
		if t.value == "" {
			if err == nil {
				err = c.wrong(line, "the access has no %s: name a file that has the secret", subject)
			}
			return ""
		}
		path := c.file(t)
		files = append(files, path)
		text, wrong := os.ReadFile(path)
		value := strings.TrimSpace(string(text))
		switch {
		case wrong != nil:
			wrong = c.wrong(t.line, "%w", wrong)
		case value == "" || len(value) > 255 || strings.ContainsAny(value, "\n\x00"):
			wrong = c.wrong(t.line, "%s must have one line of 1 to 255 bytes", path)
		case subject != "community-file" && len(value) < 8:
			wrong = c.wrong(t.line, "%s must have 8 characters or more (RFC 3414)", path)
		}
		if err == nil {
			err = wrong
		}
		return value
	}
	a = &snmp.Access{Port: from.Port, User: from.User.value, Context: from.Context}
	if a.Port == 0 {
		a.Port = 161
	}
	switch {
	case from.User.value == "" && from.Auth.value+from.AuthFile.value+from.Privacy.value+from.PrivFile.value+from.Context != "":
		return nil, nil, c.wrong(line, "the access has no user: auth, privacy and context are those of a user of SNMP v3")
	case from.User.value == "":
		a.Community = secret(from.Community, "community-file")
		return a, files, err
	case from.Community.value != "":
		return nil, nil, c.wrong(from.Community.line, "an access has either a community (SNMP v2c) or a user (v3)")
	case from.Auth.value == "" && from.Privacy.value != "":
		return nil, nil, c.wrong(from.Privacy.line, "privacy needs auth (RFC 3414)")
	}
	if from.Auth.value != "" {
		if a.Authentication, err = snmp.ParseAuthentication(from.Auth.value); err != nil {
			return nil, nil, c.wrong(from.Auth.line, "auth: %w", err)
		}
		a.AuthPassphrase = secret(from.AuthFile, "auth-file")
	}
	if from.Privacy.value != "" {
		var wrong error
		if a.Privacy, wrong = snmp.ParsePrivacy(from.Privacy.value); wrong != nil {
			return nil, nil, c.wrong(from.Privacy.line, "privacy: %w", wrong)
		}
		a.PrivacyPassphrase = secret(from.PrivFile, "privacy-file")
	}
	return a, files, err
}
