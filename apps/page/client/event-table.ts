import { button, htmlElement, redrawn, setText } from './dom.ts';
import type { PagePart, PageView } from './view.ts';

const PAGE_ROWS = 30;
const PRINTED_ROWS = 2000;
const COLUMNS = ['Time', 'Object', 'Actor', 'Change', 'Reason'];

/**
 * A table of the events that match the search, with {@link PAGE_ROWS} rows per page. A change of the moment shows the page of
 * its event.
 */
export class EventTable implements PagePart {
  readonly node: HTMLElement;
  readonly search: HTMLInputElement;
  readonly #view: PageView;
  readonly #body = htmlElement('tbody');
  readonly #box = htmlElement('div', {
    class: 'scroll',
    attributes: { tabindex: '0', role: 'region', 'aria-label': 'Table of events' },
  });
  readonly #count = htmlElement('output', { class: 'count' });
  readonly #pages = htmlElement('span', { class: 'pages' });
  readonly #caption = htmlElement('caption', { text: 'Events' });
  #texts: readonly string[] | undefined;
  /** The indexes of the events that match the search, in ascending order. */
  #matches: readonly number[];
  #page = -1;
  #current = -1;

  constructor(view: PageView) {
    this.#view = view;
    this.#matches = view.run.events.map((_, index) => index);
    this.search = htmlElement('input', {
      attributes: { type: 'search', id: 'search', autocomplete: 'off', spellcheck: 'false' },
    });
    this.search.addEventListener('input', () => this.#find());
    this.search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#next(event.shiftKey);
    });
    const head = COLUMNS.map((text) => htmlElement('th', { text, attributes: { scope: 'col' } }));
    const table = htmlElement('table', {
      class: 'events',
      children: [
        this.#caption,
        htmlElement('thead', { children: [htmlElement('tr', { children: head })] }),
        this.#body,
      ],
    });
    const label = htmlElement('label', { text: 'Search', attributes: { for: 'search' } });
    const back = button('Previous page', { onClick: () => this.#show(this.#page - 1) });
    const on = button('Next page', { onClick: () => this.#show(this.#page + 1) });
    this.#box.append(table);
    this.node = htmlElement('section', {
      class: 'panel table',
      attributes: { 'aria-label': 'Events' },
      children: [
        htmlElement('div', { class: 'find', children: [label, this.search, this.#count] }),
        this.#box,
        htmlElement('div', { class: 'paging', children: [back, this.#pages, on] }),
      ],
    });
    addEventListener('beforeprint', () => this.#print());
    addEventListener('afterprint', () => {
      setText(this.#caption, 'Events');
      this.#show(Math.max(0, this.#page));
    });
    this.#say();
  }

  renew(): void {
    this.#texts = undefined;
    // New events change the count; only a search by the user may be read out.
    this.#count.setAttribute('aria-live', 'off');
    this.#match();
    if (this.#page !== -1) this.#show(this.#page);
  }

  update({ moment }: PageView): void {
    const current = moment - 1;
    if (current === this.#current && this.#page !== -1) return;
    this.#current = current;
    const place = this.#placeOf(current);
    const page = Math.floor(Math.max(0, place) / PAGE_ROWS);
    if (page !== this.#page) return this.#show(page);
    for (const row of this.#body.children) this.#mark(row as HTMLElement);
    this.#reveal();
  }

  /** The place in `#matches` of the last match at or before an event; -1 if there is none. */
  #placeOf(event: number): number {
    let [low, high] = [0, this.#matches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#matches[middle] ?? 0) <= event) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #show(page: number): void {
    const last = Math.max(0, Math.ceil(this.#matches.length / PAGE_ROWS) - 1);
    this.#page = Math.max(0, Math.min(last, page));
    this.#draw(this.#page * PAGE_ROWS, PAGE_ROWS);
    setText(this.#pages, `Page ${this.#page + 1} of ${last + 1}`);
    this.#reveal();
  }

  /** Scrolls the box of the table, and not the page, to the row of the moment. */
  #reveal(): void {
    const row = this.#body.querySelector<HTMLElement>('[aria-current]');
    if (row === null) this.#box.scrollTop = 0;
    else if (
      row.offsetTop < this.#box.scrollTop + 40 ||
      row.offsetTop + row.offsetHeight > this.#box.scrollTop + this.#box.clientHeight
    )
      this.#box.scrollTop = row.offsetTop - this.#box.clientHeight / 2;
  }

  #draw(from: number, count: number): void {
    const rows = this.#matches.slice(from, from + count).map((index) => this.#row(index));
    redrawn(this.#body, () => this.#body.replaceChildren(...rows));
  }

  /** Draws the rows of a printed page. Print has no search field and no count, so the caption says which events are omitted. */
  #print(): void {
    const { length } = this.#matches;
    const words = this.search.value.trim();
    const found = words === '' ? '' : ` that match “${words}”`;
    setText(this.#caption, `Events${found}${length > PRINTED_ROWS ? `: the first ${PRINTED_ROWS} of ${length}` : ''}`);
    this.#draw(0, PRINTED_ROWS);
  }

  #row(index: number): HTMLElement {
    const view = this.#view;
    const event = view.run.events[index];
    const text = view.placeText(view.history.placeOf(index));
    const time = button(text, {
      label: `${text}, go to event ${index + 1}`,
      onClick: () => {
        if (event?.object !== undefined) view.selected = event.object;
        view.goTo(index + 1);
      },
    });
    time.className = 'link';
    time.dataset['focus'] = `event-${index}`;
    const cells = [view.objectText(event?.object), event?.who ?? '', event?.what ?? '', event?.why ?? ''];
    const row = htmlElement('tr', {
      class: event?.isBad === true ? 'bad-event' : event?.sort === 'change' ? 'user-event' : '',
      children: [htmlElement('td', { children: [time] }), ...cells.map((text) => htmlElement('td', { text }))],
    });
    row.dataset['event'] = String(index);
    this.#mark(row);
    return row;
  }

  #mark(row: HTMLElement): void {
    const isCurrent = row.dataset['event'] === String(this.#current);
    if (isCurrent) row.setAttribute('aria-current', 'true');
    else row.removeAttribute('aria-current');
  }

  #textsOf(): readonly string[] {
    const view = this.#view;
    this.#texts ??= view.run.events.map(({ object, who, what, why = '', fields = [] }) =>
      [view.objectText(object), who, what, why, ...fields.flat()].join('\n').toLowerCase(),
    );
    return this.#texts;
  }

  #find(): void {
    this.#count.setAttribute('aria-live', 'polite');
    this.#match();
    this.#show(Math.floor(Math.max(0, this.#placeOf(this.#current)) / PAGE_ROWS));
  }

  /** Finds the events that match the search. */
  #match(): void {
    const words = this.search.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    const texts = words.length === 0 ? [] : this.#textsOf();
    this.#matches = this.#view.run.events.flatMap((_, index) =>
      words.every((word) => texts[index]?.includes(word) === true) ? [index] : [],
    );
    this.#say();
  }

  #say(): void {
    setText(this.#count, `${this.#matches.length} of ${this.#view.run.events.length} events`);
  }

  /** Goes to the next or previous match. After the last match, the first one follows, and vice versa. */
  #next(isBack: boolean): void {
    const { length } = this.#matches;
    if (length === 0) return;
    const place = this.#placeOf(this.#current);
    const isMatch = this.#matches[place] === this.#current;
    const next = isBack ? place - (isMatch ? 1 : 0) : place + 1;
    const index = this.#matches[(next + length) % length];
    if (index === undefined) return;
    const object = this.#view.run.events[index]?.object;
    if (object !== undefined) this.#view.selected = object;
    this.#view.goTo(index + 1);
  }
}
