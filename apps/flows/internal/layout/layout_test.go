package layout

import "testing"

func TestTheFileOfTheRepositoryIsALayout(t *testing.T) {
	l, err := Load("../../flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m := l.Meta
	if len(m.FlowTypeEnum) != 1 || len(m.SamplingRate) != 1 || len(m.Exporter) != 1 || len(m.Received) != 1 || len(m.Sequence) != 0 {
		t.Errorf("columns of the collector: %+v", m)
	}
}
