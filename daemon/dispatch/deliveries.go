package dispatch

import "slices"

// Bounds of the deliveries that wait for one Run's end. The contract has none, and Core needs one delivery a Run; the
// numbers are ours. The first always fits.
const (
	mostDeliveries    = 64
	mostDeliveryBytes = 64 << 10
)

// deliveries are the ids of cancels that are owed a receipt, each once and in their order. The Router's lock guards them.
type deliveries struct {
	ids   []string
	bytes int
}

// add keeps an id; false when there is no room for it.
func (d *deliveries) add(id string) bool {
	switch {
	case slices.Contains(d.ids, id):
		return true
	case len(d.ids) > 0 && (len(d.ids) >= mostDeliveries || d.bytes+len(id) > mostDeliveryBytes):
		return false
	}
	d.ids = append(d.ids, id)
	d.bytes += len(id)
	return true
}

// take gives the ids and forgets them.
func (d *deliveries) take() []string {
	ids := d.ids
	*d = deliveries{}
	return ids
}
