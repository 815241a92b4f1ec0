// @ts-check
// Completion inside the request: keys and fixed values from the published schemas, names from the advertisement.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { keymap } from "@codemirror/view";
import { call, jsonOf } from "./call.js";
import { keyOf, topKeys } from "./literal.js";

/**
 * @typedef {object} Vocabulary
 * @property {string[]} capabilities advertised names
 * @property {string[]} versions spoken versions
 * @property {string[]} schemas addresses: compact, complete
 */

/**
 * The extension that completes a request.
 * @param {Vocabulary} vocabulary
 */
export function completion(vocabulary) {
  /** @type {Promise<any[]> | undefined} */
  let schemas;
  const load = () => {
    schemas ??= Promise.all(vocabulary.schemas.map(async (address) => schemaOf(address)));
    schemas.catch(() => (schemas = undefined)); // asked again at the next completion
    return schemas;
  };
  return [
    autocompletion({ override: [(context) => complete(context, vocabulary, load)], icons: false }),
    keymap.of(completionKeymap),
  ];
}

/** @param {string} address */
async function schemaOf(address) {
  const response = await call("GET", address);
  const type = (response.headers.get("Content-Type") || "").split(";")[0].trim();
  return type === "application/json" ? jsonOf(response) : JSON.parse(await response.text());
}

/**
 * @param {import("@codemirror/autocomplete").CompletionContext} context
 * @param {Vocabulary} vocabulary
 * @param {() => Promise<any[]>} load
 */
async function complete(context, vocabulary, load) {
  const place = placeAt(context);
  if (!place || (!context.explicit && !place.started)) return null;
  const [compact, whole] = await load();
  const isCompact = isCompactRequest(topKeys(context.state), compact, whole);
  const schema = within(isCompact ? compact : whole, place.path);
  const all = place.key ? keysOf(schema, place.present) : valuesOf(schema, place.path, vocabulary);
  // Filtered here: the editor would compare with the whole literal, closing quote included.
  const typed = context.state.sliceDoc(place.from, context.pos).replace(/^"/, "").toLowerCase();
  const options = all.filter((option) => option.label.toLowerCase().includes(typed));
  return options.length ? { from: place.from, to: place.to, options, filter: false } : null;
}

/**
 * A document with keys that only the compact schema fills is compact; an empty one is offered everything.
 * @param {string[]} keys
 * @param {any} compact
 * @param {any} whole
 */
function isCompactRequest(keys, compact, whole) {
  const extra = Object.keys(whole.properties).filter((k) => !(k in compact.properties));
  return compact.required.every((/** @type {string} */ k) => keys.includes(k)) && !extra.some((k) => keys.includes(k));
}

/**
 * @typedef {{path: string[], key: boolean, from: number, to: number, present: string[], started: boolean}} Place
 */

/**
 * Where in the document the cursor stands, and whether a key or a value is wanted there.
 * @param {import("@codemirror/autocomplete").CompletionContext} context
 * @returns {Place | null}
 */
function placeAt(context) {
  const { state, pos } = context;
  let node = syntaxTree(state).resolveInner(pos, -1);
  const word = context.matchBefore(/"?[\w.-]*/);
  const started = Boolean(word && word.to > word.from);
  let range = { from: word ? word.from : pos, to: pos };
  if (node.name === "PropertyName" || node.name === "String") range = { from: node.from, to: node.to };
  const key = node.name === "PropertyName" || node.name === "Object" || (node.name === "⚠" && node.parent?.name === "Object");
  const object = node.name === "PropertyName" ? node.parent?.parent : node.name === "⚠" ? node.parent : node;
  const present = key && object ? object.getChildren("Property").map((p) => keyOf(state, p)) : [];
  return { path: pathOf(state, node), key, ...range, present, started };
}

/**
 * The keys from the root down to the object or the value that holds a node.
 * @param {import("@codemirror/state").EditorState} state
 * @param {import("@lezer/common").SyntaxNode} node
 */
function pathOf(state, node) {
  const path = [];
  const own = node.name === "PropertyName" ? node.parent : null; // its own key is what is being written
  for (let at = /** @type {typeof node | null} */ (node); at; at = at.parent) {
    if (at.name === "Property" && !(own && at.from === own.from && at.to === own.to)) path.unshift(keyOf(state, at) ?? "");
    if (at.name === "Array") path.unshift("*");
  }
  return path;
}

/**
 * The part of a schema at a path; "*" is a list's item.
 * @param {any} schema
 * @param {string[]} path
 */
function within(schema, path) {
  let at = schema;
  for (const key of path) {
    at = key === "*" ? at?.items : at?.properties?.[key];
    if (at?.$ref) at = { ...at.$ref.replace(/^#\//, "").split("/").reduce((/** @type {any} */ s, /** @type {string} */ k) => s?.[k], schema), ...at };
  }
  return at;
}

/**
 * @param {any} schema
 * @param {string[]} present
 */
function keysOf(schema, present) {
  return Object.entries(schema?.properties ?? {})
    .filter(([key]) => !present.includes(key))
    .map(([key, value]) => ({
      label: JSON.stringify(key), apply: JSON.stringify(key) + ": ", type: "property", detail: value.type ?? "",
    }));
}

/**
 * @param {any} schema
 * @param {string[]} path
 * @param {Vocabulary} vocabulary
 */
function valuesOf(schema, path, vocabulary) {
  const field = path.find((k) => k.endsWith("capabilities") || k === "versions");
  if (path.at(-1) === "*" && field === "versions") return options(vocabulary.versions, "spoken here");
  if (path.at(-1) === "*" && field) return options(vocabulary.capabilities, "offered");
  if (schema?.const !== undefined) return options([schema.const], "the only value");
  if (schema?.enum) return options(schema.enum, "");
  return schema?.type === "boolean" ? options([true, false], "") : [];
}

/**
 * @param {any[]} values
 * @param {string} detail
 */
function options(values, detail) {
  return values.map((value) => ({ label: JSON.stringify(value), type: "constant", detail }));
}
