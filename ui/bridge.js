// The page's own behaviour, beside what Gradio brings: buttons inside answers, the source panel, copying of formulas.
// Runs once, as the code of a component that stands for "what the reader pressed"; `element` and `trigger` are Gradio's.
const page = () => document.getElementById('companion');
const chat = () => document.getElementById('chat');
const panel = () => document.getElementById('source-panel');
let pressed = null;      // the marker that opened the panel: focus goes back to it
let wantsQuote = false;  // the reader asked for a quote that is not drawn yet

const actions = {
  cite: (button) => { pressed = button; wantsQuote = true; trigger('cite', { value: button.value }); },
  retry: (button) => trigger('retry', { value: button.value }),
  close: () => { trigger('close'); if (pressed && pressed.isConnected) pressed.focus(); pressed = null; },
};

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[name]');
  if (!button || !page()?.contains(button) || !Object.hasOwn(actions, button.name)) return;
  event.preventDefault();
  actions[button.name](button);
});

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && panel()?.querySelector('.paper.opened')) actions.close();
});

function lightUp(source) {
  const [, exchange, marker] = source?.id.match(/^source-(\d+)-(\d+)$/) ?? [];
  chat().querySelectorAll('.cite').forEach((chip) => {
    chip.classList.toggle('current', chip.value === `${exchange}:${marker}`);
  });
}

function sourceRedrawn() {
  lightUp(panel().querySelector('.paper'));
  const title = panel().querySelector('#source-title');
  if (!title) return;
  const mark = panel().querySelector('#active-quote');
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  (mark ?? title).scrollIntoView({ block: mark ? 'center' : 'start', behavior: calm ? 'auto' : 'smooth' });
  if (wantsQuote) title.focus({ preventScroll: true });
  wantsQuote = false;
}

let asked = 0;
function chatRedrawn() {
  lightUp(panel().querySelector('.paper'));
  const questions = chat().querySelectorAll('.user-row').length;
  const scroller = chat().querySelector('.panel-wrap');
  if (questions > asked && scroller) scroller.scrollTop = scroller.scrollHeight;  // also where one had scrolled up
  asked = questions;
}

// Redraws arrive in several steps: act on what they have come to, but not on each, and not only when a stream has ended.
function whenRedrawn(target, act) {
  let due;
  const observer = new MutationObserver(() => { due ??= setTimeout(() => { due = undefined; act(); }, 60); });
  observer.observe(target, { childList: true, subtree: true });
}

const waiting = setInterval(() => {
  if (!panel() || !chat()) return;  // Gradio draws the parts one after the other
  clearInterval(waiting);
  whenRedrawn(panel(), sourceRedrawn);
  whenRedrawn(chat(), chatRedrawn);
}, 50);

// A formula is copied as its source, a marker as its number in brackets.
function sourceOf(fragment) {
  fragment.querySelectorAll('.katex').forEach((formula) => {
    const tex = formula.querySelector('annotation[encoding="application/x-tex"]');
    if (tex) formula.replaceWith('$' + tex.textContent.trim() + '$');
  });
  fragment.querySelectorAll('button.cite').forEach((chip) => chip.replaceWith('[' + chip.value.split(':')[1] + ']'));
  fragment.querySelectorAll('.quote-no, .sr').forEach((extra) => extra.remove());
  const shelf = document.createElement('div');
  shelf.style.cssText = 'position:fixed;left:-9999px;white-space:pre-wrap';
  shelf.append(fragment);
  document.body.append(shelf);
  const text = shelf.innerText;
  shelf.remove();
  return text;
}

document.addEventListener('copy', (event) => {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed || !page()?.contains(selection.anchorNode)) return;
  const range = selection.getRangeAt(0).cloneRange();
  const formula = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest('.katex');
  if (formula(range.startContainer)) range.setStartBefore(formula(range.startContainer));
  if (formula(range.endContainer)) range.setEndAfter(formula(range.endContainer));
  event.clipboardData.setData('text/plain', sourceOf(range.cloneContents()));
  event.preventDefault();
});
