package lock

import (
	"os"
	"path/filepath"
	"strings"
)

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
