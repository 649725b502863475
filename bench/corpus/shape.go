package main

import (
	"cmp"
	"fmt"
	"slices"
)

// A shape says how a captured body is blown up.
type shape struct {
	name           string
	series         int
	hosts          int // targets the series are spread over
	metrics        int // metrics kept of the captured body
	samples        int // per series
	multibyteEvery int // of ten series, how many get a value outside ASCII
	layout         layout
	about          string
}

// The first shape follows a well-known request of 10,000 series (220 metrics of 14 hosts, 64,383 labels, 460 distinct
// strings, 1,690,278 bytes, one sample each, three in ten of value zero): ours has 63,004 labels, 418 distinct
// strings and 1,712,138 bytes.
var shapes = []shape{
	{name: "10k", series: 10_000, hosts: 14, metrics: 220, samples: 1, about: "10,000 series, one sample each"},
	{name: "2k", series: 2_000, hosts: 3, metrics: 220, samples: 1, about: "2,000 series: the batch Prometheus sends by default"},
	{name: "multibyte", series: 10_000, hosts: 14, metrics: 220, samples: 1, multibyteEvery: 3, about: "10k, and three series in ten hold a value outside ASCII"},
	{name: "samples_first", series: 10_000, hosts: 14, metrics: 220, samples: 1, layout: samplesFirst, about: "10k, and the samples stand before the labels"},
	{name: "30_samples", series: 2_000, hosts: 3, metrics: 220, samples: 30, about: "2,000 series of 30 samples"},
	{name: "shuffled", series: 10_000, hosts: 14, metrics: 220, samples: 1, layout: shuffled, about: "10k, and the fields of every message stand in any order"},
	{name: "unknown_sprinkled", series: 10_000, hosts: 14, metrics: 220, samples: 1, layout: unknownSprinkled, about: "10k, and one message in eight has a field that the schema does not know"},
}

// seed is part of the corpus: another seed is another corpus.
const seed = 0x686f747062 // "hotpb"

// random is splitmix64: a few lines, so that the bytes do not depend on a library's generator.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// blowUp spreads the captured series over hosts until the shape is full. Each host gets the same templates in the
// same order, as a scrape would; where they do not suffice, a second round distinguishes them by a "cpu" label.
func blowUp(captured []series, sh shape) ([]series, error) {
	r := &random{state: seed}
	templates, err := pickTemplates(captured, sh.metrics, r)
	if err != nil {
		return nil, err
	}
	hosts := pickHosts(sh.hosts, r)
	const scrapeStart = 1_795_250_863_868 // the capture's own clock, in ms
	all := make([]series, 0, sh.series)
	for h, host := range hosts {
		quota := sh.series / sh.hosts
		if h < sh.series%sh.hosts {
			quota++
		}
		scraped := int64(scrapeStart + r.below(1000))
		for i := range quota {
			s := series{labels: slices.Clone(templates[i%len(templates)].labels)}
			s.set("instance", host)
			s.set("job", "node_exporter")
			s.set("replica", "0")
			s.set("revision", "r0")
			if round := i / len(templates); round > 0 {
				s.set("cpu", fmt.Sprint(round))
			}
			if r.below(10) < sh.multibyteEvery {
				s.set("zone", zones[r.below(len(zones))])
			}
			for k := range sh.samples {
				s.samples = append(s.samples, sample{drawValue(r), scraped + int64(k)*15_000})
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// zones are values of two, three and four bytes a character.
var zones = []string{"zürich-1", "東京-2", "são-paulo", "北京-3", "🌍-edge"}

// pickTemplates takes the distinct series of n metrics, in the order of the capture.
func pickTemplates(captured []series, n int, r *random) ([]series, error) {
	var metrics []string
	seenMetric, seenSeries := map[string]bool{}, map[string]bool{}
	var distinct []series
	for _, s := range captured {
		key := fmt.Sprint(s.labels)
		if seenSeries[key] {
			continue
		}
		seenSeries[key] = true
		distinct = append(distinct, s)
		if m := s.metric(); !seenMetric[m] {
			seenMetric[m] = true
			metrics = append(metrics, m)
		}
	}
	if len(metrics) < n {
		return nil, fmt.Errorf("the body holds %d metrics, the shape asks for %d", len(metrics), n)
	}
	type ranked struct {
		metric string
		rank   uint64
	}
	order := make([]ranked, len(metrics))
	for i, m := range metrics {
		order[i] = ranked{m, r.next()}
	}
	slices.SortFunc(order, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	keep := map[string]bool{}
	for _, o := range order[:n] {
		keep[o.metric] = true
	}
	return slices.DeleteFunc(distinct, func(s series) bool { return !keep[s.metric()] }), nil
}

// pickHosts draws n different host names.
func pickHosts(n int, r *random) []string {
	var hosts []string
	for len(hosts) < n {
		if host := fmt.Sprintf("host-%d", 100+r.below(1900)); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// drawValue returns zero in three cases of ten, else a count or a duration.
func drawValue(r *random) float64 {
	switch r.below(10) {
	case 0, 1, 2:
		return 0
	case 3, 4, 5, 6:
		return float64(1 + r.below(1_000_000))
	}
	return float64(1+r.below(1<<30)) / (1 << 26)
}
