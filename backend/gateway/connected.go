package gateway

import "slices"

// Devices lists the ids of the devices that have a connection, in order.
func (g *Gateway) Devices() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	ids := make([]string, 0, len(g.connections))
	for id := range g.connections {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
