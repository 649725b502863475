package rw1

import (
	"errors"

	"github.com/VictoriaMetrics/easyproto"
)

// newEasyproto reads with easyproto into flat slices that are used again, the way metric databases use it. It checks
// no UTF-8, and it keeps labels and samples only.
func newEasyproto(input []byte) (rival, error) {
	var r flatRequest
	decode := func() error { return r.easyproto(input) }
	find := func() (uint64, error) {
		if err := r.easyprotoOpen(input); err != nil {
			return 0, err
		}
		middle := r.records[len(r.records)/2]
		if err := r.easyprotoSeries(input[middle.start:middle.end]); err != nil {
			return 0, err
		}
		r.close(0, 0)
		return r.sumLabels(r.series[0]), nil
	}
	all := r.rival(decode, find, "UTF-8 not checked; labels and samples only; strings alias the input")
	all.last = func() (uint64, error) {
		if err := decode(); err != nil {
			return 0, err
		}
		return sumString(r.labels[r.series[len(r.series)-1].labels].value), nil
	}
	return all, nil
}

// newEasyprotoSkip walks over the series and decodes the last one, with code written for that.
func newEasyprotoSkip(input []byte) (rival, error) {
	var r flatRequest
	all := r.rival(nil, nil, "UTF-8 not checked; series are skipped, the last one is decoded")
	all.last = func() (uint64, error) {
		if err := r.easyprotoOpen(input); err != nil {
			return 0, err
		}
		last := r.records[len(r.records)-1]
		if err := r.easyprotoSeries(input[last.start:last.end]); err != nil {
			return 0, err
		}
		return sumString(r.labels[0].value), nil
	}
	all.findNote = all.note
	return all, nil
}

var errEasyproto = errors.New("easyproto: malformed request")

func (r *flatRequest) easyproto(src []byte) (err error) {
	r.reset()
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		if fc.FieldNum != 1 {
			continue
		}
		record, ok := fc.MessageData()
		if !ok {
			return errEasyproto
		}
		firstLabel, firstSample := len(r.labels), len(r.samples)
		if err = r.easyprotoSeries(record); err != nil {
			return err
		}
		r.close(firstLabel, firstSample)
	}
	return nil
}

// easyprotoOpen keeps where each series lies, and nothing of what it holds.
func (r *flatRequest) easyprotoOpen(src []byte) (err error) {
	r.reset()
	whole := len(src)
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		if fc.FieldNum != 1 {
			continue
		}
		record, ok := fc.MessageData()
		if !ok {
			return errEasyproto
		}
		end := whole - len(src)
		r.records = append(r.records, flatRecord{end - len(record), end})
	}
	return nil
}

func (r *flatRequest) easyprotoSeries(src []byte) (err error) {
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		switch fc.FieldNum {
		case 1:
			record, ok := fc.MessageData()
			if !ok {
				return errEasyproto
			}
			if err = r.label().easyproto(record); err != nil {
				return err
			}
		case 2:
			record, ok := fc.MessageData()
			if !ok {
				return errEasyproto
			}
			if err = r.sample().easyproto(record); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *flatLabel) easyproto(src []byte) (err error) {
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			l.name, ok = fc.String()
		case 2:
			l.value, ok = fc.String()
		}
		if !ok {
			return errEasyproto
		}
	}
	return nil
}

func (s *flatSample) easyproto(src []byte) (err error) {
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			s.value, ok = fc.Double()
		case 2:
			s.timestamp, ok = fc.Int64()
		}
		if !ok {
			return errEasyproto
		}
	}
	return nil
}
