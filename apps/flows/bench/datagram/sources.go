package datagram

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/stage"
)

// sourceColumns are columns in addition to those of flows.yaml: with its own, 14 columns are filled for each flow.
const sourceColumns = `
columns:
  - {name: src_as_name, number: 80, type: string, utf8: true}
  - {name: dst_as_name, number: 81, type: string, utf8: true}
  - {name: exporter_region, number: 82, type: string, utf8: true}
  - {name: exporter_role, number: 83, type: string, utf8: true}
  - {name: in_if_boundary, number: 84, type: string, utf8: true}
  - {name: out_if_boundary, number: 85, type: string, utf8: true}
  - {name: in_if_provider, number: 86, type: string, utf8: true}
  - {name: out_if_provider, number: 87, type: string, utf8: true}
`

const sourceRules = `mmdb:
  - {file: city.mmdb, columns: {country: country.iso_code}}
  - {file: as.mmdb, columns: {as: number, as_name: organization}}
exporters:
  - set: {region: paris}
  - compute: {role: '"edge" + capture(address, "[0-9]$")'}
interfaces:
  - when: description startsWith "Transit:"
    set: {boundary: external}
    compute: {provider: 'capture(description, "^Transit: (.*)")'}
  - when: index >= 0
    set: {boundary: internal, provider: none, name: an interface}
`

// newSources is the collector's decoder with everything that is in the cache after the first datagram: tables, two
// databases and rules.
func newSources(in *input) (c converter, err error) {
	base, err := loadLayout()
	if err != nil {
		return c, err
	}
	text, err := os.ReadFile(base.Path)
	if err != nil {
		return c, err
	}
	l, err := layout.Parse(base.Path, bytes.Replace(text, []byte("\ncolumns:\n"), []byte(sourceColumns), 1))
	if err != nil {
		return c, err
	}
	folder, err := os.MkdirTemp("", "flows-bench")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(folder)
	err = writeDatabase(filepath.Join(folder, "city.mmdb"), func(i int) mmdbtype.Map {
		return mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String(fmt.Sprintf("%c%c", 'A'+i/26, 'A'+i%26))}}
	})
	if err == nil {
		err = writeDatabase(filepath.Join(folder, "as.mmdb"), func(i int) mmdbtype.Map {
			return mmdbtype.Map{"number": mmdbtype.Uint32(64496 + i), "organization": mmdbtype.String(fmt.Sprint("Organization ", i))}
		})
	}
	rules := filepath.Join(folder, "enrich.yaml")
	if err == nil {
		err = os.WriteFile(rules, []byte(sourceRules), 0o600)
	}
	if err != nil {
		return c, err
	}
	repository := filepath.Dir(base.Path)
	tables, err := stage.Load(stage.Files{
		Prefixes: filepath.Join(repository, "prefixes.csv"), Interfaces: filepath.Join(repository, "interfaces.csv"), Enrichment: rules,
	}, nil)
	if err != nil {
		return c, err
	}
	e, err := tables.Bind(l)
	if err != nil {
		return c, err
	}
	c, err = newOurs(in, l, e, "the same with tables, two databases (MMDB) and rules, 14 columns of each flow")
	c.fills = true
	return c, err
}

// writeDatabase writes a database with a record for each /8 of IPv4.
func writeDatabase(path string, record func(int) mmdbtype.Map) error {
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "Test", IncludeReservedNetworks: true})
	if err != nil {
		return err
	}
	for i := range 256 {
		network := &net.IPNet{IP: net.IP{byte(i), 0, 0, 0}, Mask: net.CIDRMask(8, 32)}
		if err := tree.Insert(network, record(i)); err != nil {
			return err
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = tree.WriteTo(f)
	return err
}
