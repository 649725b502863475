package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema/lock"
)

// lockOptions say which schemas are refused.
type lockOptions struct {
	SchemaLock    string `help:"Lock of the schema; by default the schema file with .lock in place of .yaml, if there is one." type:"path" placeholder:"FILE"`
	AllowBreaking bool   `help:"Accept a schema that breaks readers of the lock, or of the flows so far."`
}

// lockOf returns where the lock of a schema file is, or would be; "" for the built-in schema.
func (o *lockOptions) lockOf(schema string) string {
	if o.SchemaLock != "" || schema == "" {
		return o.SchemaLock
	}
	return lock.Path(schema)
}

// promised reads the lock of a schema file. The result is nil if there is none; one that the options name must exist.
func (o *lockOptions) promised(schema string) (*lock.Lock, error) {
	path := o.lockOf(schema)
	if path == "" {
		return nil, nil
	}
	l, err := lock.Read(path)
	var place *fs.PathError
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, fs.ErrNotExist) && o.SchemaLock == "":
		return nil, nil
	case !errors.As(err, &place):
		return nil, fmt.Errorf("%s: %w (take the file from version control again)", path, err)
	case o.SchemaLock != "":
		return nil, fmt.Errorf("--schema-lock: %w", err)
	}
	return nil, fmt.Errorf("the schema's lock: %w", err)
}

// permit returns a *breakingError if there are breaking changes and the options do not allow them.
func (o *lockOptions) permit(v lock.Verdict, schema, readers string) error {
	if o.AllowBreaking || !slices.ContainsFunc(v.Changes, breaks) {
		return nil
	}
	return &breakingError{schema, readers, v}
}

// breaks reports whether readers refuse what they get after a change, or read it as something else. A column may have the
// same bytes and another meaning, such as seconds in place of milliseconds: then both are in one topic.
func breaks(c lock.Change) bool { return c.Level == lock.Breaking || c.Kind == lock.LogicalChanged }

// breakingError is about a schema that is refused because of what it means to readers.
type breakingError struct {
	schema, readers string
	verdict         lock.Verdict
}

func (e *breakingError) Error() string {
	lines := []string{fmt.Sprintf("%s breaks readers of %s; --allow-breaking would accept it:", e.schema, e.readers)}
	for _, c := range e.verdict.Changes {
		if breaks(c) {
			lines = append(lines, c.String())
		}
	}
	return strings.Join(lines, "\n")
}

// check shows what has changed since the lock. Breaking changes are an error.
func (o *lockOptions) check(l *layout.Layout, schema string, w io.Writer) error {
	promised, err := o.promised(schema)
	if err != nil {
		return err
	}
	if promised == nil {
		return errors.New("the schema has no lock: `flows schema --write-lock` writes it")
	}
	return o.show(promised.Check(l.Plan), l, schema, w)
}

func (o *lockOptions) show(v lock.Verdict, l *layout.Layout, schema string, w io.Writer) error {
	for _, c := range v.Changes {
		if _, err := fmt.Fprintln(w, c); err != nil {
			return err
		}
	}
	return o.permit(v, l.Path, o.lockOf(schema))
}

// write records the schema in its lock, and shows what has changed. After breaking changes, the lock stays as it was.
func (o *lockOptions) write(l *layout.Layout, schema string, w io.Writer) error {
	path := o.lockOf(schema)
	if path == "" {
		return errors.New("the built-in schema has no lock: say with --schema-lock which file it is to be")
	}
	promised, err := o.promised(schema)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if promised != nil {
		if err := o.show(promised.Check(l.Plan), l, schema, w); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(lock.Of(l.Plan).String()), 0o644)
}
