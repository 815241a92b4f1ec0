// @ts-check
// The forms of the Sessions screens: a new Session, a message, the answer to a call. What a person wrote goes to the lab
// under a key of its own, so that a double click, a retry or a lost answer is one act. It is kept until the lab has it.
import { showBusy } from "./busy.js";
import { call, failureOf, jsonOf } from "./call.js";
import { onShortcut } from "./keys.js";
import { clock, say } from "./status.js";

/** @typedef {{text: string, key: string}} Written */

/** @type {WeakSet<HTMLElement>} */
const underWay = new WeakSet();

/** @type {WeakMap<HTMLElement, Written>} */
const tried = new WeakMap();

/**
 * Starts the forms of the page. Call it once.
 * @param {() => Promise<void>} refresh shows what came of an act
 */
export function startForms(refresh) {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.dataset.act) return;
    event.preventDefault();
    const pressed = event.submitter instanceof HTMLButtonElement ? event.submitter : null;
    void submit(form, pressed ?? form.querySelector("button[type=submit]"), refresh);
  });
  document.addEventListener("input", (event) => {
    const form = event.target instanceof Element ? event.target.closest("form[data-act]") : null;
    if (form instanceof HTMLFormElement) keep(form);
  });
  const agent = document.querySelector("#new-session select");
  agent?.addEventListener("change", tellAgent);
  tellAgent();
  onShortcut("send", () => {
    const form = document.activeElement?.closest("form[data-act]");
    if (form instanceof HTMLFormElement) form.requestSubmit();
  });
  for (const form of document.querySelectorAll("form[data-act]")) {
    if (form instanceof HTMLFormElement) restore(form);
  }
}

/** Says of the chosen Agent what its description says. */
function tellAgent() {
  const agent = document.querySelector("#new-session select");
  const line = document.querySelector("#new-session [data-about]");
  if (!(agent instanceof HTMLSelectElement) || !(line instanceof HTMLElement)) return;
  line.textContent = agent.selectedOptions[0]?.title ?? "";
  line.hidden = line.textContent === "";
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement | null} button
 * @param {() => Promise<void>} refresh
 */
async function submit(form, button, refresh) {
  if (!button || underWay.has(form)) return;
  const area = textOf(form);
  const body = bodyOf(form, button, area.value);
  if (form.dataset.act !== "answer" && area.value.trim() === "") {
    note(form, "Nothing was sent: write something first.");
    area.focus();
    return;
  }
  underWay.add(form);
  note(form, "");
  const done = showBusy(button, (text) => note(form, text), "Sending");
  try {
    const told = await jsonOf(await call("POST", form.dataset.path || "", { body: JSON.stringify({ ...body, key: keyFor(form, body) }) }));
    tried.delete(form);
    if (area.value === body.text) area.value = ""; // what was written meanwhile stays
    keep(form);
    note(form, "");
    if (form.dataset.act === "create") return location.assign("/sessions/" + encodeURIComponent(told.session));
    say(form.dataset.act === "answer" ? `Answer stored ${clock()}.` : `Message stored ${clock()}, Turn ${told.turn}.`);
    await refresh();
  } catch (caught) {
    failed(form, failureOf(caught));
  } finally {
    done();
    underWay.delete(form);
  }
}

/**
 * Certainty is part of the message; what was written stays where it is.
 * @param {HTMLFormElement} form
 * @param {import("./call.js").CallFailure} failure
 */
function failed(form, failure) {
  const means = failure.refused
    ? "It was not sent. What you wrote is still here."
    : "It is not known whether it arrived. What you wrote is still here; sending the same text again does not make it twice.";
  note(form, `${means} ${failure.message} (${failure.code})`);
  say(means);
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
function bodyOf(form, button, text) {
  switch (form.dataset.act) {
    case "create": {
      const agent = form.elements.namedItem("agent");
      return { text, agent: agent instanceof HTMLSelectElement ? agent.value : "" };
    }
    case "answer":
      return { text, turn: form.dataset.turn, call: form.dataset.call, success: button.value === "true" };
  }
  return { text };
}

/**
 * The same words from the same place keep their key until the lab has taken them.
 * @param {HTMLFormElement} form
 * @param {object} body
 */
function keyFor(form, body) {
  const text = JSON.stringify(body);
  const last = tried.get(form);
  if (last?.text === text) return last.key;
  const written = { text, key: crypto.randomUUID() };
  tried.set(form, written);
  keep(form);
  return written.key;
}

/** @param {HTMLFormElement} form */
function textOf(form) {
  return /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea"));
}

/**
 * @param {HTMLFormElement} form
 * @param {string} text
 */
function note(form, text) {
  const line = form.querySelector("[data-note]");
  if (!(line instanceof HTMLElement)) return;
  line.hidden = text === "";
  line.textContent = text;
}

/** @param {HTMLFormElement} form */
function place(form) {
  return "parley-written " + [form.dataset.path, form.dataset.turn, form.dataset.call].filter(Boolean).join(" ");
}

/**
 * Keeps what is being written over a reload of this tab.
 * @param {HTMLFormElement} form
 */
function keep(form) {
  try {
    const text = textOf(form).value;
    if (text) sessionStorage.setItem(place(form), JSON.stringify({ text, tried: tried.get(form) }));
    else sessionStorage.removeItem(place(form));
  } catch {
    // Then it is kept in the page alone.
  }
}

/** @param {HTMLFormElement} form */
function restore(form) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(place(form)) || "null");
    if (!kept || textOf(form).value) return;
    textOf(form).value = kept.text;
    if (kept.tried) tried.set(form, kept.tried);
  } catch {
    // Nothing was kept that can be used.
  }
}
