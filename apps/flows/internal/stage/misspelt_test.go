package stage

import (
	"strings"
	"testing"
)

func TestAMisspeltColumnIsRefused(t *testing.T) {
	l, _ := repository(t)
	for table, want := range map[string]string{
		"prefix,as,nam\n":           `table.csv: column "nam" fills nothing; did you mean "name", which fills src_name?`,
		"prefix,contry,name\n":      `did you mean "country"`,
		"prefix,Name\n":             `did you mean "name"`,
		"prefix,as,name,site\n":     "", // a table may have more
		"prefix,name,nam\n":         "", // name is there
		"prefix,as!,name,country\n": "",
	} {
		tables, err := Load(Files{Prefixes: file(t, table)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = tables.Bind(l); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", table, err, want)
		}
	}
	tables, err := Load(Files{Interfaces: file(t, "exporter,ifindex,nme\n")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = tables.Bind(l); err == nil || !strings.Contains(err.Error(), `did you mean "name", which fills in_if_name?`) {
		t.Error(err)
	}
}
