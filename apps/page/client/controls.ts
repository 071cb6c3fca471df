import { button, htmlElement, isForField, setText } from './dom.ts';
import type { PagePart, PageView } from './view.ts';

const SLIDER_STEPS = 10_000;
/** The duration of playing a whole run at speed 1, in milliseconds. */
const PLAY_MS = 30_000;
const SPEEDS = ['0.25', '0.5', '1', '2', '4'] as const;

/** Whether a key scrolls the box that has the focus: arrows sideways, the other keys up and down. */
const scrolls = ({ target, key }: KeyboardEvent): boolean => {
  if (!(target instanceof Element && target.matches('.scroll'))) return false;
  return key.startsWith('Arrow') ? target.scrollWidth > target.clientWidth : target.scrollHeight > target.clientHeight;
};

/** The controls of the moment: buttons, a slider, the keyboard, and the moment in words. */
export class Controls implements PagePart {
  readonly node: HTMLElement;
  readonly #view: PageView;
  readonly #play: HTMLButtonElement;
  readonly #slider: HTMLInputElement;
  readonly #speed: HTMLSelectElement;
  readonly #text = htmlElement('output', { class: 'moment' });
  readonly #live: HTMLButtonElement;
  readonly #isLive: boolean;
  #frame = 0;
  #lastMs = 0;

  constructor(view: PageView, { isLive }: { readonly isLive: boolean }) {
    this.#view = view;
    this.#isLive = isLive;
    this.#play = button('Play', { onClick: () => this.toggle() });
    this.#play.className = 'play';
    const scrub = { type: 'range', min: '0', max: String(SLIDER_STEPS), step: '1', value: '0', 'aria-label': 'Moment' };
    this.#slider = htmlElement('input', { class: 'scrubber', attributes: scrub });
    this.#slider.addEventListener('input', () =>
      view.goToPlace((Number(this.#slider.value) / SLIDER_STEPS) * view.history.length),
    );
    const options = SPEEDS.map((speed) => htmlElement('option', { text: `${speed}×`, attributes: { value: speed } }));
    this.#speed = htmlElement('select', { attributes: { 'aria-label': 'Speed of the play' }, children: options });
    this.#speed.value = '1';
    const previous = button('‹', { label: 'Previous event', onClick: () => view.goTo(view.moment - 1) });
    const next = button('›', { label: 'Next event', onClick: () => view.goTo(view.moment + 1) });
    this.#live = button('Live', { onClick: () => view.goToEnd() });
    this.#live.className = 'live-button';
    const live = isLive ? [this.#live] : [];
    this.#readOut(true);
    const children = [previous, this.#play, next, this.#speed, ...live];
    const buttons = htmlElement('div', { class: 'buttons', children });
    this.node = htmlElement('div', {
      class: 'controls',
      attributes: { role: 'group', 'aria-label': 'Moment of the run' },
      children: [buttons, this.#slider, this.#text],
    });
    document.addEventListener('keydown', (event) => this.#key(event));
  }

  update(view: PageView): void {
    const { place, moment, run, history } = view;
    const value = String(Math.round((place / history.length) * SLIDER_STEPS));
    if (this.#slider.value !== value) this.#slider.value = value;
    const text = `${history.hasTimes ? `${view.placeText(place)} · ` : ''}event ${moment} of ${run.events.length}`;
    this.#slider.setAttribute('aria-valuetext', text);
    setText(this.#text, text);
    this.#live.setAttribute('aria-pressed', String(view.isFollowing));
  }

  /** Starts or stops playing. At the end of the run, starts again at the beginning. */
  toggle(): void {
    if (this.#frame !== 0) return this.#stop();
    const view = this.#view;
    if (view.place >= view.history.length) view.goTo(0);
    this.#lastMs = performance.now();
    this.#frame = requestAnimationFrame((nowMs) => this.#advance(nowMs));
    setText(this.#play, 'Pause');
    this.#readOut(false);
  }

  #stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    setText(this.#play, 'Play');
    this.#readOut(true);
  }

  /**
   * Sets whether a screen reader reads out a new moment. A live page has a new moment with each event, and a run that plays
   * with each frame, so these are never read out.
   */
  #readOut(isWanted: boolean): void {
    this.#text.setAttribute('aria-live', isWanted && !this.#isLive ? 'polite' : 'off');
  }

  #advance(nowMs: number): void {
    const view = this.#view;
    const share = (Math.max(0, nowMs - this.#lastMs) / PLAY_MS) * Number(this.#speed.value);
    this.#lastMs = nowMs;
    view.goToPlace(view.place + share * view.history.length);
    if (view.place >= view.history.length) return this.#stop();
    this.#frame = requestAnimationFrame((laterMs) => this.#advance(laterMs));
  }

  #key(event: KeyboardEvent): void {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if ((isForField(event) && target !== this.#slider) || scrolls(event)) return;
    const users = key === ' ' ? '[role=tree], button, summary, a' : '[role=tree]';
    if (target instanceof Element && target.closest(users) !== null) return;
    const view = this.#view;
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => view.goTo(view.moment - (event.shiftKey ? 10 : 1)),
      ArrowRight: () => view.goTo(view.moment + (event.shiftKey ? 10 : 1)),
      Home: () => view.goTo(0),
      End: () => view.goTo(view.run.events.length),
      ' ': () => this.toggle(),
    };
    const action = actions[key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }
}
