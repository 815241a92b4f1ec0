// @ts-check
// The content policy forbids style elements, and the editor's style library uses one for a whole document. Given a root
// without a head it uses a constructed style sheet, which the policy allows; so the document is shown to it as such.
import { StyleModule } from "style-mod";

const root = {
  ownerDocument: document,
  get adoptedStyleSheets() {
    return document.adoptedStyleSheets;
  },
  set adoptedStyleSheets(sheets) {
    document.adoptedStyleSheets = sheets;
  },
};

const mount = StyleModule.mount;

/** Makes the editor's style library keep to the content policy. Call it before the first editor is made. */
export function adoptStyles() {
  StyleModule.mount = (at, modules, options) => mount(at === document ? /** @type {any} */ (root) : at, modules, options);
}
