// @ts-check
// Finding one string literal inside the request by the editor's syntax tree.
import { ensureSyntaxTree } from "@codemirror/language";

const values = new Set(["Object", "Array", "String", "Number", "True", "False", "Null"]);
const patience = 400; // ms for parsing a request of the largest size

/**
 * The string at a path of keys: where its literal stands and what it says. Null when there is none.
 * @param {import("@codemirror/state").EditorState} state
 * @param {string[]} path
 * @returns {{from: number, to: number, text: string} | null}
 */
export function literalAt(state, path) {
  const node = nodeAt(state, path);
  if (node?.name !== "String") return null;
  const text = decode(state.sliceDoc(node.from, node.to));
  return typeof text === "string" ? { from: node.from, to: node.to, text } : null;
}

/**
 * The value at a path of keys as it is written. Undefined when there is none.
 * @param {import("@codemirror/state").EditorState} state
 * @param {string[]} path
 */
export function sourceAt(state, path) {
  const node = nodeAt(state, path);
  return node ? state.sliceDoc(node.from, node.to) : undefined;
}

/**
 * @param {import("@codemirror/state").EditorState} state
 * @param {string[]} path
 */
function nodeAt(state, path) {
  let node = valueIn(ensureSyntaxTree(state, state.doc.length, patience)?.topNode ?? null);
  for (const key of path) node = node?.name === "Object" ? memberOf(state, node, key) : null;
  return node;
}

/**
 * The keys that a top-level object has, decoded.
 * @param {import("@codemirror/state").EditorState} state
 */
export function topKeys(state) {
  const root = valueIn(ensureSyntaxTree(state, state.doc.length, patience)?.topNode ?? null);
  return root?.name === "Object" ? root.getChildren("Property").map((p) => keyOf(state, p)) : [];
}

/**
 * @param {import("@codemirror/state").EditorState} state
 * @param {import("@lezer/common").SyntaxNode} object
 * @param {string} key
 */
function memberOf(state, object, key) {
  const property = object.getChildren("Property").find((p) => keyOf(state, p) === key);
  return property ? valueIn(property) : null;
}

/**
 * The decoded key of a property.
 * @param {import("@codemirror/state").EditorState} state
 * @param {import("@lezer/common").SyntaxNode} property
 */
export function keyOf(state, property) {
  const name = property.getChild("PropertyName");
  return name ? decode(state.sliceDoc(name.from, name.to)) : undefined;
}

/** @param {import("@lezer/common").SyntaxNode | null} node */
function valueIn(node) {
  for (let child = node?.firstChild; child; child = child.nextSibling) if (values.has(child.name)) return child;
  return null;
}

/** @param {string} literal */
function decode(literal) {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}
