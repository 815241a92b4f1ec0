// @ts-check
// From the places that the runner names to positions in an editor.

/**
 * Positions (UTF-16) of byte offsets (UTF-8) in a text, in the order asked.
 * @param {string} text
 * @param {number[]} offsets
 */
export function positionsOf(text, offsets) {
  const order = offsets.map((_, i) => i).sort((a, b) => offsets[a] - offsets[b]);
  const positions = new Array(offsets.length).fill(text.length);
  let bytes = 0;
  let next = 0;
  for (let at = 0; at < text.length && next < order.length; ) {
    while (next < order.length && offsets[order[next]] <= bytes) positions[order[next++]] = at;
    const code = /** @type {number} */ (text.codePointAt(at));
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += code < 0x10000 ? 1 : 2;
  }
  return positions;
}

/**
 * The position of a line (from 1) and a column (from 1, in code points). A line of 0 is unknown and gives the start.
 * @param {import("@codemirror/state").Text} doc
 * @param {number} line
 * @param {number} column
 */
export function positionOf(doc, line, column) {
  if (line < 1) return 0;
  if (line > doc.lines) return doc.length;
  const row = doc.line(line);
  const before = [...row.text].slice(0, Math.max(0, column - 1)).join("");
  return row.from + before.length;
}
