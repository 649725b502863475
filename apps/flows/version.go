package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// commit is the commit that a release was built from; the linker sets it (-X main.commit=…). Of other programs, Go knows it.
var commit string

type versionCommand struct{ schemaOptions }

// Run shows the version, with which commit and which schema it has.
func (c *versionCommand) Run(w io.Writer) error {
	l, err := c.layout()
	if err != nil {
		return err
	}
	info, _ := debug.ReadBuildInfo()
	_, err = fmt.Fprintf(w, "flows %s\n%s%s %s/%s\nschema %s, wire hash %s\n",
		versionOf(info), commitLine(info), runtime.Version(), runtime.GOOS, runtime.GOARCH, l.Plan.Root(), l.Hash)
	return err
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	if info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "development version"
	}
	return info.Main.Version
}

func commitLine(info *debug.BuildInfo) string {
	revision, modified := commit, ""
	if info != nil {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && commit == "":
				revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = ", with changes"
			}
		}
	}
	if revision == "" {
		return ""
	}
	return "commit " + revision + modified + "\n"
}
