package sampling

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/gaissmai/bart"
)

// Rules are sampling rates that the operator sets for exporters, by the longest prefix of their address.
type Rules struct {
	defaults, overrides bart.Fast[float64]
}

// Default is the rate of flows for which the exporter reports none.
func (r *Rules) Default(prefix netip.Prefix, rate float64) { r.defaults.Insert(prefix, rate) }

// Override is the rate of all flows, whatever the exporter reports.
func (r *Rules) Override(prefix netip.Prefix, rate float64) { r.overrides.Insert(prefix, rate) }

// Rates returns those for an exporter; 0 for none.
func (r *Rules) Rates(exporter netip.Addr) (fallback, override float64) {
	if r == nil || !exporter.IsValid() {
		return 0, 0
	}
	fallback, _ = r.defaults.Lookup(exporter)
	override, _ = r.overrides.Lookup(exporter)
	return fallback, override
}

// ParseRule reads PREFIX=RATE; an address stands for itself. RATE is N if one packet of N is sampled.
func ParseRule(text string) (netip.Prefix, float64, error) {
	prefix, rate, ok := strings.Cut(text, "=")
	if !ok {
		return netip.Prefix{}, 0, fmt.Errorf("%q is not PREFIX=RATE, such as 192.0.2.0/24=1000", text)
	}
	n, err := strconv.ParseFloat(rate, 64)
	if err != nil || !(n >= 1 && n <= 1<<32-1) {
		return netip.Prefix{}, 0, fmt.Errorf("%q is not a sampling rate from 1 to 4294967295", rate)
	}
	if address, err := netip.ParseAddr(prefix); err == nil && address.Zone() == "" {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), n, nil
	}
	p, err := netip.ParsePrefix(prefix)
	if err != nil {
		return p, 0, fmt.Errorf("%q is not a prefix", prefix)
	}
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked(), n, nil
}
