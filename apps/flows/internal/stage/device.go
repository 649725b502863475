package stage

import (
	"strconv"

	"github.com/hotpb/hotpb/apps/flows/internal/snmp"
)

// snmpSource is the name of SNMP among the sources that are counted.
const snmpSource = "snmp"

// The names of the columns that SNMP fills.
var (
	deviceNames = []string{"name", "description", "location"}
	portNames   = []string{"name", "description", "speed"}
)

// devices finds values in what exporters have answered.
type devices struct {
	targets [][]*target
	counts  *sourceCounts
}

// devicePorts finds values in what they have answered about their interfaces.
type devicePorts struct {
	targets [2][][]*target
	counts  *sourceCounts
}

// deviceTargets are the targets of names.
func (c *config) deviceTargets(g *group, names []string) (list [][]*target, used bool) {
	for _, name := range names {
		targets := g.targets(supply{name: name, from: "snmp in " + c.path})
		list = append(list, targets)
		used = used || len(targets) > 0
	}
	return list, used
}

func (f *devices) find(d draft, e *exporter) {
	f.counts.lookups.Add(1)
	if e.answer == nil {
		return
	}
	f.counts.found.Add(1)
	for i, text := range []string{e.answer.Name, e.answer.Description, e.answer.Location} {
		fillText(d, f.targets[i], text, f.counts)
	}
}

func (f *devicePorts) find(d *[2]draft, e *exporter, index uint64) {
	f.counts.lookups.Add(1)
	if e.answer == nil {
		return
	}
	p, ok := e.answer.Ports[index]
	if !ok {
		return
	}
	f.counts.found.Add(1)
	for i, text := range []string{p.Name, p.Description, speedText(p)} {
		for way := range d {
			if f.targets[way] != nil {
				fillText(d[way], f.targets[way][i], text, f.counts)
			}
		}
	}
}

func speedText(p snmp.Port) string {
	if p.Speed == 0 {
		return ""
	}
	return strconv.FormatUint(p.Speed, 10)
}

// fillText puts a text into the slots of targets. It counts a text that does not fit.
func fillText(d draft, targets []*target, text string, counts *sourceCounts) {
	if text == "" {
		return
	}
	for _, t := range targets {
		if v, err := t.parse(text); err == nil {
			d.put(t.slot, v)
		} else {
			counts.fail(t.misfit(text, err))
		}
	}
}
