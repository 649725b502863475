//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
)

// search finds the highest rate that a collector sustains: it doubles the rate until one fails, then bisects.
type search struct {
	name  string
	probe func(rate float64) (probe, error)

	low, high float64 // held; not held
	best      probe
	sender    bool // the sender was the limit
	steps     int
}

const (
	first  = 50_000 // flows per second
	halves = 4      // to 1/16 of an octave
)

func (s *search) next() float64 {
	switch {
	case s.low == 0 && s.high == 0:
		return first
	case s.low == 0:
		return s.high / 2
	case s.high == 0:
		return s.low * 2
	}
	return math.Sqrt(s.low * s.high)
}

func (s *search) done() bool {
	return s.sender || s.low > 0 && s.high > 0 && s.steps == halves || s.high > 0 && s.high < 1000
}

// step tries a rate, twice if need be, because another process may have used the processor.
func (s *search) step() error {
	rate := s.next()
	if s.low > 0 && s.high > 0 {
		s.steps++
	}
	for try := 1; ; try++ {
		p, err := s.probe(rate)
		if err != nil {
			return err
		}
		fmt.Printf("%-10s %12.0f flows/s: %d of %d flows, %d datagrams dropped by the kernel, %.0f ns CPU per flow\n",
			s.name, p.Rate(), p.got, p.Flows, p.dropped, p.perFlow())
		if p.held() {
			s.low, s.best = p.Rate(), p
			s.sender = p.Rate() < 0.9*rate
			return nil
		}
		if try == 2 {
			s.high = min(rate, p.Rate())
			return nil
		}
	}
}

// together runs all searches in turn.
func together(ctx context.Context, all []*search) error {
	for {
		left := 0
		for _, s := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			if s.done() {
				continue
			}
			left++
			if err := s.step(); err != nil {
				return err
			}
		}
		if left == 0 {
			return nil
		}
	}
}
