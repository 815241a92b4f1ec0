package gateway

import "net/http"

// MachineCode names one condition of the machine connection's routes. The spelling is the contract's.
type MachineCode string

// Codes of refusals (behaviour 2.1). Those of enrollment that the contract leaves open are ours (behaviour 2.3), and
// so are bad_upgrade and stopping.
const (
	codeMethod             MachineCode = "method_not_allowed"
	codeNoRoute            MachineCode = "not_found"
	codeMissingBearer      MachineCode = "missing_bearer"
	codeBadJSON            MachineCode = "bad_json"
	codeMissingDevice      MachineCode = "missing_device_id"
	codeMissingParams      MachineCode = "missing_params"
	codeVersion            MachineCode = "incompatible_version"
	codeBadUpgrade         MachineCode = "bad_upgrade"
	codeStopping           MachineCode = "stopping"
	codeUnknownDevice      MachineCode = "unknown_device"
	codeBadCredential      MachineCode = "bad_credential"
	codeRuntimeType        MachineCode = "wrong_runtime_type"
	codeNoAddress          MachineCode = "bootstrap_unavailable"
	codeInternal           MachineCode = "internal"
	codeQuery              MachineCode = "unexpected_query"
	codeMissingEnvironment MachineCode = "missing_environment_id"
	codeEnvironmentBound   MachineCode = "environment_bound"
	codeNoStorage          MachineCode = "storage_unavailable"
)

// MachineRow is one line of the table code, status, condition.
type MachineRow struct {
	Code   MachineCode
	Status int
	When   string
}

// MachineCodes is the one table of the machine connection's codes: nothing else decides a status.
func MachineCodes() []MachineRow {
	return []MachineRow{
		{codeMethod, http.StatusMethodNotAllowed, "the route does not take this method; Allow names the one it takes"},
		{codeNoRoute, http.StatusNotFound, "there is no such route"},
		{codeMissingBearer, http.StatusUnauthorized, "no Authorization header of the form Bearer and a credential, or more than one"},
		{codeBadJSON, http.StatusBadRequest, "the body cannot be read as the route's JSON object, is larger than 16 KiB or not complete within 5 seconds"},
		{codeMissingDevice, http.StatusBadRequest, "device_id is blank"},
		{codeMissingParams, http.StatusBadRequest, "ws: device_id, version or the credential is missing"},
		{codeVersion, http.StatusUpgradeRequired, "ws: version is not byte for byte the wire version; asked before the credential"},
		{codeBadUpgrade, http.StatusBadRequest, "ws: the request is no WebSocket handshake of version 13; asked after the credential"},
		{codeStopping, http.StatusServiceUnavailable, "ws: the lab is stopping; dialling again may help"},
		{codeUnknownDevice, http.StatusUnauthorized, "there is no such device"},
		{codeBadCredential, http.StatusUnauthorized, "the credential is not the device's, was rotated or revoked, or is for another Environment"},
		{codeRuntimeType, http.StatusForbidden, "the device is not of the type agent_daemon"},
		{codeNoAddress, http.StatusServiceUnavailable, "bootstrap: the lab knows no address that other machines can use"},
		{codeQuery, http.StatusBadRequest, "enroll: the address has a query"},
		{codeMissingEnvironment, http.StatusBadRequest, "enroll, connection: environment_id is blank"},
		{codeEnvironmentBound, http.StatusConflict, "enroll, connection: the Environment is bound to another key or device"},
		{codeNoStorage, http.StatusServiceUnavailable, "enroll, connection: the store could not be asked; trying again may help"},
		{codeInternal, http.StatusInternalServerError, "the store could not be asked"},
	}
}

func statusOf(code MachineCode) int {
	for _, row := range MachineCodes() {
		if row.Code == code {
			return row.Status
		}
	}
	return http.StatusInternalServerError
}

// refused is a request that gets a code instead of what it asked for. The detail is for people and holds no secret.
type refused struct {
	code   MachineCode
	detail string
	cause  error // for the log; nil where nothing is wrong on this side
	who    who   // for the log
}

func (e *refused) Error() string {
	text := string(e.code) + ": " + e.detail
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

func (e *refused) Unwrap() error { return e.cause }

func refuse(code MachineCode, detail string) error { return &refused{code: code, detail: detail} }
