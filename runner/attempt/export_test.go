package attempt

import "context"

// Hold takes the place for large requests, as a request that is being read does.
func (s *Service) Hold() (release func()) {
	leave, _ := s.turns.take(context.Background(), largeBytes+1)
	return leave
}
