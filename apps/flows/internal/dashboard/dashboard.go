// Package dashboard reads Grafana's dashboards of the collector for tests: the columns and metrics that they name must exist, and
// ClickHouse must be able to answer their queries.
package dashboard

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Dashboard is what matters of Grafana's JSON.
type Dashboard struct {
	UID        string
	Title      string
	Panels     []Panel
	Templating struct {
		List []struct {
			Name       string
			Datasource Source
			Query      any // text for ClickHouse, an object for Prometheus
		}
	}
}

// Panel is a panel with its queries.
type Panel struct {
	ID         int
	Title      string
	Type       string
	Datasource Source
	GridPos    struct{ X, Y, W, H int }
	Targets    []struct {
		Datasource Source
		RawSQL     string // of ClickHouse
		Expr       string // of Prometheus
	}
}

// Source is a data source.
type Source struct{ Type, UID string }

// Load reads the dashboards of a folder.
func Load(folder string) (all []Dashboard, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var d Dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// Window is what a reader of a dashboard has chosen.
type Window struct {
	From, To time.Time
	Interval time.Duration
	Exporter []string
}

var macro = regexp.MustCompile(`\$__(timeFilter|timeInterval)\((\w+)\)|\$__interval_s|\$\{exporter:singlequote\}`)

// Expand replaces the macros of Grafana's data source for ClickHouse, and the variable of the dashboards, as these do.
func Expand(sql string, w Window) string {
	seconds := int(w.Interval / time.Second)
	return macro.ReplaceAllStringFunc(sql, func(found string) string {
		part := macro.FindStringSubmatch(found)
		switch {
		case part[1] == "timeFilter":
			return fmt.Sprintf("%[1]s >= toDateTime(%[2]d) AND %[1]s <= toDateTime(%[3]d)", part[2], w.From.Unix(), w.To.Unix())
		case part[1] == "timeInterval":
			return fmt.Sprintf("toStartOfInterval(toDateTime(%s), INTERVAL %d second)", part[2], seconds)
		case found == "$__interval_s":
			return fmt.Sprint(seconds)
		}
		return "'" + strings.Join(w.Exporter, "','") + "'"
	})
}
