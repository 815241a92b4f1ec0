// @ts-check
// Calls to the lab's own routes: same origin, JSON announced, and every failure with a cause, a code and what is
// certain about it.

/** A call that gave no usable answer. */
export class CallFailure extends Error {
  /**
   * @param {string} code stable word to search for
   * @param {string} cause one sentence
   * @param {boolean} refused whether the lab refused the call, so that it is certain that nothing was done
   */
  constructor(code, cause, refused) {
    super(cause);
    this.code = code;
    this.refused = refused;
  }
}

/**
 * Calls a route of this lab and gives the response when its status is 2xx.
 * @param {string} method
 * @param {string} path
 * @param {{body?: string, headers?: Record<string, string>, keepalive?: boolean}} [options]
 * @returns {Promise<Response>}
 */
export async function call(method, path, options = {}) {
  const headers = { "Content-Type": "application/json", ...options.headers };
  let response;
  try {
    response = await fetch(path, {
      method, headers, body: options.body, keepalive: options.keepalive,
      credentials: "same-origin", cache: "no-store", redirect: "error",
    });
  } catch {
    throw new CallFailure("no_connection", "The connection to the lab failed or was lost.", false);
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/**
 * @param {Response} response
 * @returns {Promise<CallFailure>}
 */
async function refusal(response) {
  const status = "HTTP " + response.status;
  const refused = response.status < 500;
  try {
    const told = await response.json();
    if (typeof told.code === "string" && typeof told.message === "string") {
      return new CallFailure(told.code, status + ": " + told.message, refused);
    }
  } catch {
    // The body explains nothing; the status has to.
  }
  return new CallFailure("http_" + response.status, status + " without an explanation.", refused);
}

/**
 * The body as text, when it is of the wanted media type.
 * @param {Response} response
 * @param {string} type
 */
export async function textOf(response, type) {
  const found = (response.headers.get("Content-Type") || "no type").split(";")[0].trim();
  if (found !== type) throw new CallFailure("wrong_type", `Expected ${type} from the lab, found ${found}.`, false);
  try {
    return await response.text();
  } catch {
    throw new CallFailure("answer_cut", "The answer broke off before its end.", false);
  }
}

/**
 * The body as the exact text that is stored, a byte order mark included.
 * @param {Response} response
 */
export async function exactText(response) {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
}

/**
 * The body as JSON.
 * @param {Response} response
 */
export async function jsonOf(response) {
  const text = await textOf(response, "application/json");
  try {
    return JSON.parse(text);
  } catch {
    throw new CallFailure("not_json", "The answer is not JSON.", false);
  }
}

/**
 * What a caught value says, as a failure.
 * @param {unknown} caught
 * @returns {CallFailure}
 */
export function failureOf(caught) {
  if (caught instanceof CallFailure) return caught;
  return new CallFailure("page_fault", caught instanceof Error ? caught.message : String(caught), false);
}
