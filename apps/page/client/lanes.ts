import type { LanePeriod } from '#lib/foresight/page/run-history.ts';
import { button, htmlElement } from './dom.ts';
import type { PagePart, PageView } from './view.ts';
import { VirtualRows } from './virtual-rows.ts';

const ROW_PX = 28;
const MAX_TICKS = 7;
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 604_800];
/** If marks of a lane are closer than this share of the axis, only the first one is drawn. Changes by users are always drawn. */
const MARK_SHARE = 0.003;
/** The least width of a period, as a share of the axis. */
const LEAST_SHARE = 0.002;

const percent = (share: number): string => `${Math.round(share * 100_000) / 1000}%`;

/** The distance of ticks on the axis: a round number of milliseconds or events, with at most {@link MAX_TICKS} ticks. */
const tickStep = (length: number, hasTimes: boolean): number => {
  const steps = hasTimes ? SECONDS.map((seconds) => seconds * 1000) : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000];
  return steps.find((step) => length / step <= MAX_TICKS) ?? length;
};

/** The timeline: one lane per object, with its states over time and marks for its events. */
export class Lanes implements PagePart {
  readonly node: HTMLElement;
  readonly #view: PageView;
  #lanes: ReturnType<PageView['history']['lanes']>;
  readonly #periods = new Map<number, readonly LanePeriod[]>();
  readonly #rows: VirtualRows;
  readonly #axis = htmlElement('div', { class: 'axis', attributes: { 'aria-hidden': 'true' } });
  readonly #head = htmlElement('div', { class: 'playhead', attributes: { 'aria-hidden': 'true' } });
  #selected = -1;

  constructor(view: PageView) {
    this.#view = view;
    this.#lanes = view.history.lanes();
    const viewport = htmlElement('div', {
      class: 'lanes',
      attributes: { role: 'group', 'aria-label': 'Lanes of objects' },
    });
    this.node = htmlElement('div', { class: 'lanes-box', children: [this.#axis, viewport, this.#head] });
    this.#rows = new VirtualRows({ viewport, rowHeight: ROW_PX, render: (index) => this.#row(index) });
    viewport.addEventListener('click', (event) => this.#jump(event));
    viewport.addEventListener('keydown', (event) => this.#move(event));
    this.#drawAxis();
    this.#rows.show(this.#lanes.length);
  }

  renew(view: PageView): void {
    this.#lanes = view.history.lanes();
    this.#periods.clear();
    this.#drawAxis();
    this.#rows.show(this.#lanes.length);
  }

  update(view: PageView): void {
    this.#head.style.setProperty('--at', String(view.place / view.history.length));
    if (view.selected === this.#selected) return;
    this.#selected = view.selected;
    const place = this.#lanes.findIndex(({ object }) => object === view.selected);
    if (place !== -1) this.#rows.reveal(place);
    this.#rows.draw();
  }

  #drawAxis(): void {
    const { history } = this.#view;
    const step = tickStep(history.length, history.hasTimes);
    const ticks: HTMLElement[] = [];
    for (let place = 0; place <= history.length * 0.94; place += step) {
      const tick = htmlElement('span', { text: this.#view.placeText(place) });
      tick.style.left = percent(place / history.length);
      ticks.push(tick);
    }
    this.#axis.replaceChildren(...ticks);
  }

  #periodsOf(object: number): readonly LanePeriod[] {
    let periods = this.#periods.get(object);
    if (periods === undefined) this.#periods.set(object, (periods = this.#view.history.lanePeriods(object)));
    return periods;
  }

  #row(index: number): HTMLElement {
    const { object = 0, depth = 0 } = this.#lanes[index] ?? {};
    const text = this.#view.objectText(object);
    const isSelected = object === this.#view.selected;
    const label = button(text, { onClick: () => this.#view.select(object) });
    label.className = 'lane-name';
    label.title = text;
    label.dataset['lane'] = String(index);
    label.dataset['focus'] = `lane-${object}`;
    label.setAttribute('aria-pressed', String(isSelected));
    label.style.setProperty('--depth', String(depth));
    const strip = htmlElement('div', { class: 'strip', attributes: { 'aria-hidden': 'true' } });
    strip.append(...this.#bands(object), ...this.#marks(object));
    return htmlElement('div', { class: isSelected ? 'lane selected' : 'lane', children: [label, strip] });
  }

  #bands(object: number): readonly HTMLElement[] {
    const { length } = this.#view.history;
    const bands: HTMLElement[] = [];
    let endShare = -1;
    for (const { from, to, text, mood } of this.#periodsOf(object)) {
      // A period that would be hidden below its neighbours is not drawn.
      if (to / length < endShare + LEAST_SHARE / 2) continue;
      const share = Math.max(LEAST_SHARE, (to - from) / length);
      const band = htmlElement('span', { class: `band ${mood}`, text });
      band.title = `${text === '' ? 'exists' : text}, ${this.#view.placeText(from)} to ${this.#view.placeText(to)}`;
      band.style.left = percent(from / length);
      band.style.width = percent(share);
      bands.push(band);
      endShare = from / length + share;
    }
    return bands;
  }

  #marks(object: number): readonly HTMLElement[] {
    const { history, run } = this.#view;
    const marks: HTMLElement[] = [];
    let last = -1;
    for (const index of history.eventsOf(object)) {
      const share = history.placeOf(index) / history.length;
      const isChange = run.events[index]?.sort === 'change';
      if (share - last < MARK_SHARE && !isChange) continue;
      last = share;
      const mark = htmlElement('i', {
        class: isChange ? 'mark user' : run.events[index]?.isBad === true ? 'mark wrong' : 'mark',
      });
      mark.style.left = percent(share);
      marks.push(mark);
    }
    return marks;
  }

  #jump(event: MouseEvent): void {
    const strip = event.target instanceof Element ? event.target.closest('.strip') : null;
    if (strip === null) return;
    const { left, width } = strip.getBoundingClientRect();
    if (width > 0) this.#view.goToPlace(((event.clientX - left) / width) * this.#view.history.length);
  }

  /** Moves the focus to the lane above or below, even if its row is not in the document yet. */
  #move(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const lane = event.target instanceof HTMLElement ? event.target.dataset['lane'] : undefined;
    if (step === 0 || lane === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.max(0, Math.min(this.#lanes.length - 1, Number(lane) + step));
    this.#rows.reveal(next);
    this.#rows.draw();
    this.node.querySelector<HTMLElement>(`[data-lane="${next}"]`)?.focus({ preventScroll: true });
  }
}

/** Makes the legend for the colors of states. */
export const legend = (): HTMLElement => {
  const moods = [
    ['calm', 'ready'],
    ['busy', 'in progress'],
    ['waiting', 'waiting or terminating'],
    ['bad', 'failed or not ready'],
    ['over', 'done, or without a state'],
  ] as const;
  const items = moods.map(([mood, text]) => {
    const item = htmlElement('li', { children: [htmlElement('span', { class: `swatch ${mood}` })] });
    item.append(text);
    return item;
  });
  return htmlElement('ul', { class: 'legend', attributes: { 'aria-label': 'Colors of states' }, children: items });
};
