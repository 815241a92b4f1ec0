package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// gauge is what a process says of itself.
type gauge struct {
	Held    uint64  `json:"held"`    // bytes that Go holds from the system now
	Peak    uint64  `json:"peak"`    // most of them since the last watch
	Mallocs uint64  `json:"mallocs"` // allocations since the start
	CPU     float64 `json:"cpu"`     // seconds of processor time since the start
}

// meter reads the gauge of its own process. Held is what Go mapped and has not given back: close to the resident size,
// known on every system, and blind to the sockets' buffers in the kernel.
type meter struct {
	stop chan struct{} // ends watching, nil while nobody watches
	done sync.WaitGroup
	peak uint64
}

// sampleTime is how often a watching meter looks; memory that is given back is given back more slowly.
const sampleTime = time.Millisecond

// watch gives unused memory back and notes the peak from then on, until the next read.
func (m *meter) watch() (gauge, error) {
	m.halt()
	runtime.GC() // once more than FreeOSMemory does: pools hold on for a second collection
	debug.FreeOSMemory()
	m.peak, m.stop = 0, make(chan struct{})
	now, err := m.look()
	m.done.Go(func() { m.sample(m.stop) })
	return now, err
}

func (m *meter) sample(stop <-chan struct{}) {
	ticker := time.NewTicker(sampleTime)
	defer ticker.Stop()
	for {
		m.peak = max(m.peak, held())
		select {
		case <-ticker.C:
		case <-stop:
			return
		}
	}
}

// read ends watching and reads the gauge.
func (m *meter) read() (gauge, error) {
	m.halt()
	return m.look()
}

func (m *meter) halt() {
	if m.stop != nil {
		close(m.stop)
		m.done.Wait()
		m.stop = nil
	}
}

func (m *meter) look() (gauge, error) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	spent, err := processorTime()
	now := held()
	return gauge{Held: now, Peak: max(m.peak, now), Mallocs: stats.Mallocs, CPU: spent.Seconds()}, err
}

func held() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
