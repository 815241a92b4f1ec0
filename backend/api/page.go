package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"parley/backend/store"
)

// Bounds of a page (behaviour 8.6).
const (
	pageDefault = 20
	pageMost    = 100
)

// query reads the parameters of the address; one that is not among known, or there twice, is refused.
func (c *call) query(known ...string) (url.Values, error) {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, refuse(codeInvalid, "query: expected names and values in URL encoding")
	}
	for name, given := range values {
		shown := strconv.QuoteToASCII(name[:min(len(name), maxShown)])
		switch {
		case !slices.Contains(known, name):
			return nil, &refusal{code: codeUnknown, message: "query: no parameter " + shown + " here", param: name[:min(len(name), maxShown)]}
		case len(given) > 1:
			return nil, refuseParam(codeInvalid, name, "expected it once")
		}
	}
	return values, nil
}

// page reads limit, after and order, and gives the other parameters that the route knows.
func (c *call) page(others ...string) (store.Page, url.Values, error) {
	values, err := c.query(append(others, "limit", "after", "order")...)
	if err != nil {
		return store.Page{}, nil, err
	}
	page := store.Page{After: values.Get("after"), Limit: pageDefault}
	if values.Has("limit") {
		page.Limit, err = strconv.Atoi(values.Get("limit"))
		if err != nil || page.Limit < 1 || page.Limit > pageMost {
			return page, nil, refuseParam(codeInvalid, "limit", fmt.Sprintf("expected 1 to %d", pageMost))
		}
	}
	switch order := values.Get("order"); order {
	case "asc":
		page.Oldest = true
	case "desc":
	default:
		if values.Has("order") {
			return page, nil, refuseParam(codeInvalid, "order", "expected asc or desc")
		}
	}
	return page, values, nil
}

// listDocument is a page of a list (behaviour 8.6).
type listDocument struct {
	Object  string  `json:"object"`
	Data    []any   `json:"data"`
	HasMore bool    `json:"has_more"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
}

// writeList answers with a page.
func writeList[T any](c *call, list []T, more bool, id func(T) string, document func(T) (any, error)) error {
	page := listDocument{Object: "list", Data: make([]any, 0, len(list)), HasMore: more}
	for _, one := range list {
		d, err := document(one)
		if err != nil {
			return err
		}
		page.Data = append(page.Data, d)
	}
	if len(list) > 0 {
		page.FirstID, page.LastID = orNull(id(list[0])), orNull(id(list[len(list)-1]))
	}
	return writeJSON(c.w, http.StatusOK, page)
}

// pageFault tells an id that a page cannot go on after from a list that does not exist.
func pageFault(err error, page store.Page, exists func() error) error {
	if page.After == "" || !errors.Is(err, store.ErrNotFound) || exists() != nil {
		return err
	}
	return refuseParam(codeInvalid, "after", "expected an id of this list")
}
