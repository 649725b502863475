// Program prometheus prints what Prometheus' own query engine computes from random samples and histograms. The
// tests of src/sql/promql.rs compare our functions with it.
//
//	go run . > ../prometheus.txt
//
// A line is a case, with fields between bars:
//
//	rate | length of the window | time:value:start … | rate increase delta irate, each without and with start times
//	buckets | q | bound:count … | quantile
//	native | q | schema count sum zero_threshold zero_count | spans and counts below zero | above zero | bounds | quantile
//
// Times are milliseconds after the begin of the window; "-" is no start time, or no result.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

type sample struct {
	time, start int64
	value       float64
	histogram   *histogram.FloatHistogram
}

func (s sample) T() int64                      { return s.time }
func (s sample) ST() int64                     { return s.start }
func (s sample) F() float64                    { return s.value }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return s.histogram }
func (s sample) Copy() chunks.Sample           { return s }
func (s sample) Type() chunkenc.ValueType {
	if s.histogram != nil {
		return chunkenc.ValFloatHistogram
	}
	return chunkenc.ValFloat
}

type series []storage.Series

func (all series) query(mint, maxt int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: func(bool, *storage.SelectHints, ...*labels.Matcher) storage.SeriesSet {
		return &set{all: all, at: -1}
	}}, nil
}

type set struct {
	all series
	at  int
}

func (s *set) Next() bool                        { s.at++; return s.at < len(s.all) }
func (s *set) At() storage.Series                { return s.all[s.at] }
func (s *set) Err() error                        { return nil }
func (s *set) Warnings() annotations.Annotations { return nil }

func engine(starts bool) *promql.Engine {
	return promql.NewEngine(promql.EngineOpts{
		Logger: promslog.NewNopLogger(), MaxSamples: 1 << 20, Timeout: time.Minute,
		UseStartTimestamps: starts, Parser: parser.NewParser(parser.Options{}),
	})
}

func ask(e *promql.Engine, all series, query string, at int64) string {
	q, err := e.NewInstantQuery(context.Background(), storage.QueryableFunc(all.query), nil, query, time.UnixMilli(at))
	if err != nil {
		log.Fatal(err)
	}
	defer q.Close()
	result := q.Exec(context.Background())
	if result.Err != nil {
		log.Fatal(query, ": ", result.Err)
	}
	vector, err := result.Vector()
	if err != nil || len(vector) > 1 {
		log.Fatal(query, ": ", err, vector)
	}
	if len(vector) == 0 {
		return "-"
	}
	return number(vector[0].F)
}

func number(f float64) string {
	if value.IsStaleNaN(f) {
		return "stale"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func seriesOf(name string, samples ...chunks.Sample) storage.Series {
	return storage.NewListSeries(labels.FromStrings("__name__", name), samples)
}

func rates(r *rand.Rand, plain, started *promql.Engine) {
	begin := int64(1_700_000_000_000)
	window := []int64{60_000, 45_000, 300_000}[r.Intn(3)]
	step := []int64{15_000, 10_000, 1_000 + r.Int63n(40_000)}[r.Intn(3)]
	v, start := float64(r.Intn(200)), int64(0)
	if r.Intn(3) == 0 {
		v = 0
	}
	if r.Intn(2) == 0 {
		start = begin - 20_000 + r.Int63n(60_000)
	}
	var samples []chunks.Sample
	var texts []string
	for t := begin - 20_000 + r.Int63n(step+30_000); t < begin+window+20_000; t += step {
		at := t
		if r.Intn(3) == 0 {
			at += r.Int63n(step / 2)
		}
		switch r.Intn(12) {
		case 0:
			v = float64(r.Intn(5)) // The counter begins again.
			if start != 0 && r.Intn(2) == 0 {
				start = at - r.Int63n(step)
			}
		case 1:
			continue
		case 2:
			if start != 0 {
				start = at - r.Int63n(2*step) // Only the start says so.
			}
		default:
			v += float64(r.Intn(30))
		}
		f := v
		if r.Intn(15) == 0 {
			f = math.Float64frombits(value.StaleNaN)
		}
		samples = append(samples, sample{time: at, start: start, value: f})
		text := fmt.Sprintf("%d:%s:-", at-begin, number(f))
		if start != 0 {
			text = fmt.Sprintf("%d:%s:%d", at-begin, number(f), start-begin)
		}
		texts = append(texts, text)
	}
	all := series{seriesOf("m", samples...)}
	var results []string
	for _, function := range []string{"rate", "increase", "delta", "irate"} {
		query := fmt.Sprintf("%s(m[%dms])", function, window)
		results = append(results, ask(plain, all, query, begin+window), ask(started, all, query, begin+window))
	}
	fmt.Printf("rate | %d | %s | %s\n", window, strings.Join(texts, " "), strings.Join(results, " "))
}

func quantile(r *rand.Rand) float64 {
	return []float64{r.Float64(), 0, 0.5, 0.9, 0.99, 1, -1, 1.5}[r.Intn(8)]
}

func buckets(r *rand.Rand, e *promql.Engine) {
	at, q := int64(1_700_000_000_000), quantile(r)
	bounds := []float64{-2, -0.5, 0, 0.1, 1, 2.5, 10, math.Inf(1)}
	var all series
	var texts []string
	count := 0.0
	for _, bound := range bounds {
		if r.Intn(3) == 0 && !math.IsInf(bound, 1) || r.Intn(20) == 0 {
			continue
		}
		if r.Intn(3) > 0 {
			count += float64(r.Intn(20))
		}
		c := count
		if r.Intn(10) == 0 {
			c = math.Max(0, c-float64(r.Intn(5)))
		}
		l := labels.FromStrings("__name__", "m", "le", number(bound))
		all = append(all, storage.NewListSeries(l, []chunks.Sample{sample{time: at, value: c}}))
		texts = append(texts, number(bound)+":"+number(c))
	}
	result := ask(e, all, fmt.Sprintf("histogram_quantile(%s, m)", number(q)), at)
	fmt.Printf("buckets | %s | %s | %s\n", number(q), strings.Join(texts, " "), result)
}

func side(r *rand.Rand, custom bool) (spans []histogram.Span, counts []float64, text string) {
	var texts []string
	for n := r.Intn(3); n > 0; n-- {
		offset := int32(r.Intn(4))
		if len(spans) == 0 && !custom {
			offset -= 6
		}
		if custom && len(spans) == 1 {
			break
		}
		span := histogram.Span{Offset: offset, Length: uint32(1 + r.Intn(3))}
		spans = append(spans, span)
		text := fmt.Sprintf("%d", span.Offset)
		for range span.Length {
			c := float64(r.Intn(6))
			counts = append(counts, c)
			text += ":" + number(c)
		}
		texts = append(texts, text)
	}
	return spans, counts, strings.Join(texts, " ")
}

func native(r *rand.Rand, e *promql.Engine) {
	at, q := int64(1_700_000_000_000), quantile(r)
	h := &histogram.FloatHistogram{Schema: int32(r.Intn(13) - 4), Sum: float64(r.Intn(100))}
	var below, above string
	var bounds []string
	if r.Intn(4) == 0 {
		h.Schema = histogram.CustomBucketsSchema
		bound := float64(r.Intn(5) - 2)
		for range 6 {
			h.CustomValues = append(h.CustomValues, bound)
			bounds = append(bounds, number(bound))
			bound += 0.25 + float64(r.Intn(4))
		}
		h.PositiveSpans, h.PositiveBuckets, above = side(r, true)
	} else {
		if r.Intn(2) == 0 {
			h.ZeroThreshold, h.ZeroCount = 0.001*float64(r.Intn(400)), float64(r.Intn(5))
		}
		h.PositiveSpans, h.PositiveBuckets, above = side(r, false)
		if r.Intn(2) == 0 {
			h.NegativeSpans, h.NegativeBuckets, below = side(r, false)
		}
	}
	h.Count = h.ZeroCount
	for _, c := range append(append([]float64{}, h.PositiveBuckets...), h.NegativeBuckets...) {
		h.Count += c
	}
	// No sum is NaN: with one, Prometheus 3.15 interpolates in the last bucket, whichever has the quantile.
	all := series{seriesOf("m", sample{time: at, histogram: h})}
	result := ask(e, all, fmt.Sprintf("histogram_quantile(%s, m)", number(q)), at)
	fmt.Printf("native | %s | %d %s %s %s %s | %s | %s | %s | %s\n", number(q), h.Schema, number(h.Count), number(h.Sum),
		number(h.ZeroThreshold), number(h.ZeroCount), below, above, strings.Join(bounds, " "), result)
}

func main() {
	r := rand.New(rand.NewSource(1))
	plain, started := engine(false), engine(true)
	for range 150 {
		rates(r, plain, started)
		buckets(r, plain)
		native(r, plain)
	}
}
