import type { ObjectTreeRow } from '#lib/foresight/page/run-history.ts';
import { htmlElement } from './dom.ts';
import type { PagePart, PageView } from './view.ts';
import { VirtualRows } from './virtual-rows.ts';

const ROW_PX = 30;

/** The place of a row among the rows with the same parent, and the number of these rows. */
interface RowPlace {
  readonly place: number;
  readonly group: { size: number };
}

/** Counts the rows below each parent. Most rows are not in the document, so a screen reader cannot count them. */
const placesOf = (rows: readonly ObjectTreeRow[]): readonly RowPlace[] => {
  const open: { size: number }[] = [];
  return rows.map(({ depth }) => {
    open.length = Math.min(open.length, depth + 1);
    const group = (open[depth] ??= { size: 0 });
    group.size += 1;
    return { group, place: group.size };
  });
};

/** The tree of the objects that exist at the moment. A click, the arrow keys, Home and End select an object. */
export class ObjectTree implements PagePart {
  readonly node: HTMLElement;
  readonly #view: PageView;
  readonly #viewport: HTMLElement;
  readonly #rows: VirtualRows;
  readonly #empty = htmlElement('p', { class: 'empty', text: 'No objects exist at this moment.' });
  #tree: readonly ObjectTreeRow[] = [];
  #places: readonly RowPlace[] = [];
  #states: ReturnType<PageView['history']['statesAt']> = { owners: new Map(), states: new Map() };
  #selected = -1;

  constructor(view: PageView) {
    this.#view = view;
    this.#viewport = htmlElement('div', {
      class: 'tree',
      attributes: { tabindex: '0', 'aria-labelledby': 'tree-title' },
    });
    this.node = htmlElement('section', {
      class: 'panel',
      children: [htmlElement('h2', { text: 'Objects', attributes: { id: 'tree-title' } }), this.#empty, this.#viewport],
    });
    this.#rows = new VirtualRows({ viewport: this.#viewport, rowHeight: ROW_PX, render: (index) => this.#row(index) });
    this.#viewport.addEventListener('keydown', (event) => this.#key(event));
  }

  update(view: PageView): void {
    this.#states = view.history.statesAt(view.moment);
    this.#tree = view.history.treeAt(this.#states);
    this.#places = placesOf(this.#tree);
    const isEmpty = this.#tree.length === 0;
    this.#empty.hidden = !isEmpty;
    this.#viewport.hidden = isEmpty;
    if (isEmpty) this.#viewport.removeAttribute('role');
    else this.#viewport.setAttribute('role', 'tree');
    this.#rows.show(this.#tree.length);
    const place = this.#tree.findIndex(({ object }) => object === view.selected);
    if (view.selected !== this.#selected && place !== -1) {
      this.#rows.reveal(place);
      this.#rows.draw();
    }
    this.#selected = view.selected;
    const isDrawn = place !== -1 && this.#viewport.querySelector(`#object-${view.selected}`) !== null;
    if (isDrawn) this.#viewport.setAttribute('aria-activedescendant', `object-${view.selected}`);
    else this.#viewport.removeAttribute('aria-activedescendant');
  }

  #row(index: number): HTMLElement {
    const { object = 0, depth = 0 } = this.#tree[index] ?? {};
    const { place = 0, group } = this.#places[index] ?? {};
    const [text, mood] = this.#states.states.get(object) ?? ['', 'calm'];
    const isSelected = object === this.#view.selected;
    const name = htmlElement('span', { class: 'name', text: this.#view.objectText(object) });
    const state = htmlElement('span', { class: text === '' ? 'state' : `state ${mood}`, text });
    const row = htmlElement('div', {
      class: isSelected ? 'row selected' : 'row',
      attributes: {
        role: 'treeitem',
        id: `object-${object}`,
        'aria-level': String(depth + 1),
        'aria-posinset': String(place),
        'aria-setsize': String(group?.size),
        'aria-selected': String(isSelected),
      },
      children: [name, state],
    });
    row.style.setProperty('--depth', String(depth));
    row.title = `${this.#view.objectText(object)}${text === '' ? '' : `: ${text}`}`;
    row.addEventListener('click', () => this.#view.select(object));
    return row;
  }

  #key(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const place = this.#tree.findIndex(({ object }) => object === this.#view.selected);
    const next = Math.max(0, Math.min(this.#tree.length - 1, place + step));
    const row = this.#tree[next];
    if (row !== undefined) this.#view.select(row.object);
  }
}
