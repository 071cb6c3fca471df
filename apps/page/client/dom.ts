/** Properties of a new element. Texts are set as texts, never as markup. */
interface ElementOptions {
  readonly text?: string;
  readonly class?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
}

/** Makes an HTML element with these properties. */
export const htmlElement = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { text, class: name, attributes = {}, children = [] }: ElementOptions = {},
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name !== undefined) made.className = name;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

/** Makes a button. The label is its accessible name, if the text is not enough. */
export const button = (
  text: string,
  { label, onClick }: { readonly label?: string; readonly onClick: () => void },
): HTMLButtonElement => {
  const made = htmlElement('button', {
    text,
    attributes: { type: 'button', ...(label !== undefined && { 'aria-label': label }) },
  });
  made.addEventListener('click', onClick);
  return made;
};

/** Sets the text only if it differs, because an equal text would also cause a new layout. */
export const setText = (node: Node, text: string): void => {
  if (node.textContent !== text) node.textContent = text;
};

/** Whether a key press is for a field of a form, for editable text, or for an open dialog, and not for the page. */
export const isForField = ({ target }: KeyboardEvent): boolean =>
  document.querySelector('dialog[open]') !== null ||
  (target instanceof Element && target.closest('input, select, textarea, [contenteditable]') !== null);

/**
 * Draws the content of an element again. If an element with `data-focus` inside has the focus, the new element with the same
 * value gets the focus.
 */
export const redrawn = (node: Element, draw: () => void): void => {
  const { activeElement } = document;
  const focus =
    activeElement instanceof HTMLElement && node.contains(activeElement) ? activeElement.dataset['focus'] : '';
  draw();
  if (focus === undefined || focus === '' || node.contains(document.activeElement)) return;
  node.querySelector<HTMLElement>(`[data-focus="${focus}"]`)?.focus({ preventScroll: true });
};
