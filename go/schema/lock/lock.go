// Package lock records the promises of a schema, and the effect of a change on readers and writers with the old
// schema.
//
// A [Lock] records every column with its number and type, the reserved numbers and names, and the values of enums.
// It is a text, kept beside the schema under version control. Check a schema against its lock before you commit a
// change:
//
//	promised, err := lock.Read(lock.Path("flows.yaml"))
//	verdict := promised.Check(plan)
//	if verdict.Level() > lock.Compatible { … }
//	text = lock.Of(plan).String()
//
// [Compare] does the same with two plans.
package lock

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// Lock has the promises of a schema. It contains columns that are off like those that are on.
type Lock struct{ content locked.Lock }

// Of records a plan.
func Of(p *schema.Plan) *Lock {
	l := &Lock{*p.Bridge().Lock()}
	for i := range l.content.Messages {
		for j := range l.content.Messages[i].Columns {
			l.content.Messages[i].Columns[j].Off = false
		}
	}
	return l
}

// String returns the lock as text: the same for the same schema, in whatever order it was built.
func (l *Lock) String() string { return l.content.String() }

// maxProblems limits how much an error reports about a text from elsewhere.
const maxProblems = 100

// Parse reads the text of a lock. It allows empty lines and lines that start with #. Errors are a *schema.Error
// with the number of the line.
func Parse(text string) (*Lock, error) {
	l, problems := locked.Parse(text)
	var wrong []error
	for _, p := range problems {
		if len(wrong) == maxProblems {
			p.Reason = "and there are more errors"
		}
		wrong = append(wrong, &schema.Error{Code: wire.InvalidSchema, Where: p.Where, Reason: p.Reason})
		if len(wrong) > maxProblems {
			break
		}
	}
	if l == nil {
		return nil, errors.Join(wrong...)
	}
	return &Lock{*l}, errors.Join(wrong...)
}

// Path returns where the lock of a schema file is kept unless somebody chooses another place: beside it, with .lock
// in place of .yaml.
func Path(schema string) string { return strings.TrimSuffix(schema, filepath.Ext(schema)) + ".lock" }

// Read reads a lock's file. An error is that of the system, a *fs.PathError (fs.ErrNotExist if nobody has written the
// first lock yet), or that of Parse.
func Read(path string) (*Lock, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(string(text))
}
