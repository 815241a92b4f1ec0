// @ts-check
// Re-indents JSON by its tokens. Numbers, strings and words are copied as they stand, so the document's meaning cannot
// change, not even by the spelling of a number.

const token = /\s+|"(?:[^"\\\u0000-\u001f]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gy;
const width = 100; // columns that a list of plain values may take on one line

/**
 * The same tokens, indented. Null when the text is not made of JSON tokens or its brackets do not match.
 * @param {string} text
 * @returns {string | null}
 */
export function format(text) {
  const tokens = tokensOf(text);
  return tokens && balanced(tokens) ? layOut(tokens) : null;
}

/** @param {string} text */
function tokensOf(text) {
  const list = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const found = token.exec(text);
    if (!found) return null;
    if (found[0].trim()) list.push(found[0]);
  }
  return list;
}

/** @param {string[]} tokens */
function balanced(tokens) {
  const open = [];
  for (const t of tokens) {
    if (t === "{" || t === "[") open.push(t === "{" ? "}" : "]");
    else if ((t === "}" || t === "]") && open.pop() !== t) return false;
  }
  return open.length === 0;
}

/** @param {string[]} tokens */
function layOut(tokens) {
  let out = "";
  let depth = 0;
  const line = () => (out = out.trimEnd() + "\n" + "  ".repeat(depth));
  for (let i = 0; i < tokens.length; i++) {
    const t = tokens[i];
    const plain = t === "[" || t === "{" ? plainUntil(tokens, i) : -1;
    if (plain > 0) {
      out += joined(tokens.slice(i, plain + 1));
      i = plain;
    } else if (t === "{" || t === "[") {
      out += t;
      depth++;
      line();
    } else if (t === "}" || t === "]") {
      depth--;
      line();
      out += t;
    } else if (t === ",") {
      out += t;
      line();
    } else {
      out += t === ":" ? ": " : t;
    }
  }
  return out.trimEnd() + "\n";
}

/**
 * The end of a short list of plain values, or of an empty object, that begins at a token; -1 otherwise.
 * @param {string[]} tokens
 * @param {number} start
 */
function plainUntil(tokens, start) {
  if (tokens[start] === "{") return tokens[start + 1] === "}" ? start + 1 : -1;
  let length = 0;
  for (let i = start + 1; i < tokens.length && length < width; i++) {
    if (tokens[i] === "]") return i;
    if (/^[{}[:]$/.test(tokens[i])) return -1;
    length += tokens[i].length + 1;
  }
  return -1;
}

/** @param {string[]} tokens */
function joined(tokens) {
  return tokens.map((t) => (t === "," ? ", " : t)).join("");
}
