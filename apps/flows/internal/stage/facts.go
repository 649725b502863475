package stage

import (
	"cmp"
	"math"
	"strconv"

	"github.com/hotpb/hotpb/apps/flows/internal/classify"
)

// facts is what rules see of exporters and interfaces.
type facts struct{ *Tables }

func (f facts) exporter(source *exporter) classify.Exporter {
	e := classify.Exporter{Address: source.address.String()}
	if row, ok := f.byExporter[source.address]; ok {
		e.Table = f.exporters.texts(row)
		e.Name, e.Description, e.Location = e.Table["name"], e.Table["description"], e.Table["location"]
	}
	if a := source.answer; a != nil {
		e.Name, e.Description, e.Location = cmp.Or(e.Name, a.Name), cmp.Or(e.Description, a.Description), cmp.Or(e.Location, a.Location)
	}
	return e
}

func (f facts) port(source *exporter, index uint64) classify.Interface {
	i := classify.Interface{Exporter: source.facts, Index: int(min(index, math.MaxInt))}
	if row, ok := f.byPort[port{source.address, index}]; ok {
		i.Table = f.interfaces.texts(row)
		i.Name, i.Description = i.Table["name"], i.Table["description"]
		i.Speed, _ = strconv.Atoi(i.Table["speed"]) // any text may be there, if no rule compares it
	}
	if source.answer != nil {
		p := source.answer.Ports[index]
		i.Name, i.Description, i.Speed = cmp.Or(i.Name, p.Name), cmp.Or(i.Description, p.Description), cmp.Or(i.Speed, int(min(p.Speed, math.MaxInt)))
	}
	return i
}

// texts are the values of a row by column.
func (t *table) texts(row uint32) map[string]string {
	all := make(map[string]string, len(t.columns))
	for i := range t.columns {
		c := &t.columns[i]
		if text := c.values[c.ids[row]]; text != "" {
			all[c.name] = text
		}
	}
	return all
}
