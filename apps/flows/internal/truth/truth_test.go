package truth

import "testing"

// The figures are softflowd's and pmacctd's own, as the captures have them.
func TestTheCapturesOfTheRepositoryAreRead(t *testing.T) {
	for _, file := range []string{"softflowd_netflow5", "softflowd_netflow9", "softflowd_ipfix", "pmacctd_sflow5"} {
		c, err := Read("../../testdata/" + file + ".dgrams")
		if err != nil {
			t.Fatal(err)
		}
		sum := c.Sum()
		t.Logf("%s: %d datagrams, %+v", file, len(c.Datagrams), sum)
		if sum.Flows < 500 || sum.Bytes < sum.Packets || sum.Packets < sum.Flows {
			t.Errorf("%s: %+v", file, sum)
		}
	}
}
