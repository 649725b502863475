package zeropb

import "testing"

func TestEveryRivalGivesWhatTheStockRuntimeGives(t *testing.T) {
	for task, contenders := range Tasks() {
		for name, make := range contenders {
			c, err := make(nil)
			if err == nil {
				err = c.Verify()
			}
			if err != nil {
				t.Errorf("%s, %s: %v", task, name, err)
			}
		}
	}
}

func BenchmarkZeropb(b *testing.B) {
	for task, contenders := range Tasks() {
		for name, make := range contenders {
			b.Run(task+"/"+name, func(b *testing.B) {
				c, _ := make(nil)
				b.ReportAllocs()
				for b.Loop() {
					c.Op()
				}
			})
		}
	}
}
