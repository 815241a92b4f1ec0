package app

import "parley/backend/api"

// publicAPI makes Core's API over the lab's Sessions. The lab's own key is valid there beside those of the store.
func (l *lab) publicAPI(core *core) (*api.API, error) {
	return api.New(api.Options{Core: core.turns, Keys: l.records, APIKey: l.credentials.APIKey, Log: l.log})
}
