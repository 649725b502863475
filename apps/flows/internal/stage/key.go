package stage

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// parsePrefix reads a prefix or an address. An IPv4 address that is mapped into IPv6 counts as IPv4.
func parsePrefix(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		address, err := parseAddr(text)
		if err != nil {
			return netip.Prefix{}, err
		}
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, fmt.Errorf("%q is not a prefix", text)
	}
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	if p != p.Masked() {
		return p, fmt.Errorf("%v has bits set after its length; use %v", p, p.Masked())
	}
	return p, nil
}

func parseAddr(text string) (netip.Addr, error) {
	address, err := netip.ParseAddr(text)
	if err != nil || address.Zone() != "" {
		return netip.Addr{}, fmt.Errorf("%q is not an address", text)
	}
	return address.Unmap(), nil
}

func parsePort(exporter, index string) (p port, err error) {
	if p.exporter, err = parseAddr(exporter); err != nil {
		return p, err
	}
	if p.index, err = strconv.ParseUint(index, 10, 32); err != nil {
		return p, fmt.Errorf("%q is not the number of an interface", index)
	}
	return p, nil
}

func (p port) String() string { return fmt.Sprintf("interface %d of %v", p.index, p.exporter) }
