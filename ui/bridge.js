// The page's own behaviour, beside what Gradio brings: buttons inside answers, the source panel, copying of formulas.
// Runs once, as the code of a component that stands for "what the reader pressed"; `element` and `trigger` are Gradio's.
const page = () => document.getElementById('companion');
const chat = () => document.getElementById('chat');
const panel = () => document.getElementById('source-panel');
let pressed = null;      // the marker that opened the panel: focus goes back to it
let lastSent = '';        // the file of the outbox that was saved last
let wantsQuote = false;  // the reader asked for a quote that is not drawn yet

const box = () => document.querySelector('#question textarea');
const openPanel = (name) => (button) => {
  // From inside the panel: closing leads back to what first opened it.
  if (!panel().contains(button)) pressed = button;
  wantsQuote = true;
  trigger(name, { value: button.value });
};
const tell = (name) => (button) => trigger(name, { value: button.value });
const thenWrite = (name) => (button) => { trigger(name, { value: button.value }); setTimeout(() => box()?.focus(), 400); };

// What the server does goes out by its name; the rest happens here.
const actions = {
  cite: openPanel('cite'),
  paper: openPanel('paper'),
  link: openPanel('link'),
  retry: tell('retry'),
  ask: tell('ask'),
  edit: thenWrite('edit'),
  about: thenWrite('about'),
  keep: (button) => { trigger('keep', { value: button.value }); answered(button, 'Done'); },
  write: (button) => { trigger('write', { value: button.value }); setTimeout(() => document.querySelector('#paper-note textarea')?.focus(), 400); },
  vote: (button) => { trigger('vote', { value: button.value }); answered(button, 'Noted'); },
  close: () => { trigger('close'); if (pressed && pressed.isConnected) pressed.focus(); pressed = null; },
  copy: (button) => copyText(button.value, button),
  'copy-answer': (button) => copyText(answerText(button), button),
  'link-copy': (button) => copyText(location.origin + location.pathname + '?answer=' + button.value, button),
  save: (button) => saveFile(button.value),
  export: (button) => { const [kind, form, key] = button.value.split(':'); trigger(exports[kind], { value: key ? `${form}:${key}` : form }); },
  light: (button) => lightGroup(button),
};
// The server writes the file; what it sends lies in the outbox until it is saved.
const exports = {
  census: 'export_census', table: 'export_table', compare: 'export_compare', near: 'export_near',
  papers: 'export_papers', list: 'export_list', answer: 'export_answer',
};

// Say something once to those who listen rather than look.
const voice = document.createElement('div');
voice.setAttribute('role', 'status');
voice.id = 'announcement';
voice.className = 'sr';
document.body.append(voice);
function say(words) {
  voice.textContent = '';
  setTimeout(() => { voice.textContent = words; }, 50);
}

function answered(button, words) {
  const before = button.textContent;
  button.textContent = words;
  say(words);
  setTimeout(() => { if (button.isConnected && button.textContent === words) button.textContent = before; }, 1500);
}

async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https a page may not write to the clipboard but by an old way.
    const shelf = document.createElement('textarea');
    shelf.value = text;
    shelf.style.cssText = 'position:fixed;left:-9999px';
    document.body.append(shelf);
    shelf.select();
    document.execCommand('copy');
    shelf.remove();
    button.focus();
  }
  answered(button, 'Copied');
}

function answerText(button) {
  const all = document.createDocumentFragment();
  button.closest('.bot-row').querySelectorAll('.text').forEach((part) => all.append(part.cloneNode(true)));
  return sourceOf(all);
}

function saveFile(value) {
  const end = value.indexOf('\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([value.slice(end + 1)], { type: 'text/plain;charset=utf-8' }));
  link.download = value.slice(0, end);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[name]');
  if (!button || !page()?.contains(button) || !Object.hasOwn(actions, button.name)) return;
  event.preventDefault();
  actions[button.name](button);
});

// The map: pointing at a dot shows its title, pressing it opens the paper, a topic can be lit up among the others.
const tip = () => document.getElementById('map-tip');
const dotOf = (event) => event.target.closest?.('#map-dots circle[data-paper]');
document.addEventListener('pointermove', (event) => {
  if (!tip()) return;
  const dot = dotOf(event);
  tip().hidden = !dot;
  if (!dot) return;
  tip().textContent = dot.dataset.title;
  const { offsetWidth: width, offsetHeight: height } = tip();
  const below = event.clientY + 12 + height < innerHeight;
  tip().style.left = Math.max(8, Math.min(event.clientX + 14, innerWidth - width - 8)) + 'px';
  tip().style.top = (below ? event.clientY + 12 : event.clientY - height - 12) + 'px';
});
document.addEventListener('click', (event) => {
  const dot = dotOf(event);
  if (!dot) return;
  pressed = null;
  wantsQuote = true;
  trigger('paper', { value: dot.dataset.paper });
});
function lightGroup(button) {
  const dots = document.getElementById('map-dots');
  const group = dots.dataset.lit === button.value ? '' : button.value;
  dots.dataset.lit = group;
  dots.querySelectorAll('circle').forEach((dot) => dot.classList.toggle('dim', group !== '' && dot.dataset.group !== group));
  if (group) dots.scrollIntoView({ block: 'nearest' });
  button.textContent = group ? 'Show all again' : 'Show on the map';
}

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
let writing = false;
// The chat would be read out word by word as it grows: it is silenced, and the answer is said once, when it is whole.
function sayAnswer() {
  chat().querySelectorAll('[aria-live]').forEach((log) => log.setAttribute('aria-live', 'off'));
  const replies = chat().querySelectorAll('.bot-row');
  const last = replies[replies.length - 1];
  const busy = Boolean(last?.querySelector('.badge.busy'));
  if (writing && last && !busy) {
    const parts = last.querySelectorAll('.status, .text, .failure p');
    say([...parts].map((part) => part.innerText).join(' ').slice(0, 2000));
  }
  if (last) writing = busy;
}

// What Gradio's own parts tell a screen reader wrongly: each message is named by its HTML, a list holds buttons that are
// no items, and the place for a file hides what is written on it.
function mend() {
  chat().querySelectorAll('[data-testid="bot"]').forEach((message) => message.setAttribute('aria-label', 'Answer'));
  chat().querySelectorAll('[data-testid="user"]').forEach((message) => message.setAttribute('aria-label', 'Question'));
  page().querySelectorAll('.examples[role="list"]').forEach((list) => list.setAttribute('role', 'group'));
  page().querySelectorAll('.upload-container[aria-label]').forEach((place) => place.removeAttribute('aria-label'));
}

// The newest question stays at the top while its answer grows below it, until the reader scrolls.
let following = false;
const leave = () => { following = false; };
for (const kind of ['wheel', 'touchmove', 'mousedown', 'keydown']) {
  document.addEventListener(kind, (event) => { if (event.target.closest?.('#chat')) leave(); }, { passive: true });
}

function chatRedrawn() {
  sayAnswer();
  lightUp(panel().querySelector('.paper'));
  const questions = chat().querySelectorAll('.user-row');
  const scroller = chat().querySelector('.panel-wrap');
  if (questions.length > asked) following = true;  // also where one had scrolled up
  asked = questions.length;
  if (!following || !asked || !scroller) return;
  scroller.scrollTop += questions[asked - 1].getBoundingClientRect().top - scroller.getBoundingClientRect().top - 14;
}

// Redraws arrive in several steps: act on what they have come to, but not on each, and not only when a stream has ended.
function whenRedrawn(target, act) {
  let due;
  const observer = new MutationObserver(() => { due ??= setTimeout(() => { due = undefined; act(); }, 60); });
  observer.observe(target, { childList: true, subtree: true });
}

const waiting = setInterval(() => {
  if (!panel() || !chat() || !document.getElementById('outbox')) return;  // Gradio draws the parts one after the other
  clearInterval(waiting);
  whenRedrawn(panel(), sourceRedrawn);
  whenRedrawn(chat(), chatRedrawn);
  whenRedrawn(page(), mend);
  whenRedrawn(document.getElementById('outbox'), () => {
    const sent = document.querySelector('#outbox [data-sent]');
    if (!sent || sent.dataset.sent === lastSent) return;  // drawn anew, but the same
    lastSent = sent.dataset.sent;
    saveFile(sent.querySelector('button').value);
    say('Saved');
  });
  mend();
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
