package rw1

import (
	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
)

// newHyperpb is hyperpb at its best documented setting: shared memory that is reused, strings that alias the input,
// and a parser recompiled with a profile of this very input. Its messages are read by reflection.
func newHyperpb(input []byte) (rival, error) {
	compiled := hyperpb.CompileMessageDescriptor((*prompb.WriteRequest)(nil).ProtoReflect().Descriptor())
	shared := new(hyperpb.Shared)
	profile := compiled.NewProfile()
	for range 8 {
		err := shared.NewMessage(compiled).Unmarshal(input, hyperpb.WithRecordProfile(profile, 1))
		if err != nil {
			return rival{}, err
		}
		shared.Free()
	}
	compiled = compiled.Recompile(profile)
	fields := newHyperpbFields(compiled.Descriptor())

	var m *hyperpb.Message
	decode := func() error {
		shared.Free()
		m = shared.NewMessage(compiled)
		return m.Unmarshal(input, hyperpb.WithAllowAlias(true))
	}
	return rival{
		decode: decode,
		read: func() (sum uint64, err error) {
			series := m.Get(fields.timeseries).List()
			for i := range series.Len() {
				ts := series.Get(i).Message()
				sum += fields.sumLabels(ts)
				samples := ts.Get(fields.samples).List()
				for j := range samples.Len() {
					s := samples.Get(j).Message()
					sum += sumSample(s.Get(fields.sample).Float(), s.Get(fields.timestamp).Int())
				}
			}
			return sum, nil
		},
		find: func() (uint64, error) {
			if err := decode(); err != nil {
				return 0, err
			}
			series := m.Get(fields.timeseries).List()
			return fields.sumLabels(series.Get(series.Len() / 2).Message()), nil
		},
		last: func() (uint64, error) {
			if err := decode(); err != nil {
				return 0, err
			}
			series := m.Get(fields.timeseries).List()
			label := series.Get(series.Len() - 1).Message().Get(fields.labels).List().Get(0).Message()
			return sumString(label.Get(fields.value).String()), nil
		},
		stock: func() (*prompb.WriteRequest, error) {
			encoded, err := proto.Marshal(m)
			if err != nil {
				return nil, err
			}
			out := new(prompb.WriteRequest)
			return out, proto.Unmarshal(encoded, out)
		},
		note: "shared memory, aliased strings, PGO; UTF-8 checked; read by reflection",
	}, nil
}

// hyperpbFields are the descriptors a reader looks up once.
type hyperpbFields struct {
	timeseries, labels, samples, name, value, sample, timestamp protoreflect.FieldDescriptor
}

func newHyperpbFields(request protoreflect.MessageDescriptor) hyperpbFields {
	var f hyperpbFields
	f.timeseries = request.Fields().ByName("timeseries")
	ts := f.timeseries.Message().Fields()
	f.labels, f.samples = ts.ByName("labels"), ts.ByName("samples")
	f.name = f.labels.Message().Fields().ByName("name")
	f.value = f.labels.Message().Fields().ByName("value")
	f.sample = f.samples.Message().Fields().ByName("value")
	f.timestamp = f.samples.Message().Fields().ByName("timestamp")
	return f
}

func (f *hyperpbFields) sumLabels(ts protoreflect.Message) (sum uint64) {
	labels := ts.Get(f.labels).List()
	for i := range labels.Len() {
		l := labels.Get(i).Message()
		sum += sumString(l.Get(f.name).String()) + sumString(l.Get(f.value).String())
	}
	return sum
}
