import type { PagePart, PageView } from './view.ts';

/** The delay before the address changes, in milliseconds. Browsers refuse hundreds of changes within a few seconds. */
const DELAY_MS = 300;

const CLOCK = /^(?:(\d+):)?(\d{1,2}):(\d{2}(?:\.\d+)?)$/;

/** Parses a place of the axis: a number, or a time such as `0:02:30`; `undefined` for another text. */
const placeOf = (text: string): number | undefined => {
  const [, hours = '0', minutes, seconds] = CLOCK.exec(text) ?? [];
  if (minutes !== undefined) return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000);
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
};

/**
 * Writes the moment and the selected object into the address of the page, and reads them from a changed address. The fragment
 * is `#t=150000` or `#t=0:02:30`, with `&e=` for the event and `&o=` for the object.
 */
export class Address implements PagePart {
  readonly #view: PageView;
  #timer = 0;

  constructor(view: PageView) {
    this.#view = view;
    addEventListener('hashchange', () => this.read());
  }

  /**
   * Selects the object and goes to the moment in the address, if the address has them.
   *
   * @returns whether the address has a moment
   */
  read(): boolean {
    const view = this.#view;
    const given = new URLSearchParams(location.hash.slice(1));
    const number = (name: string): number | undefined =>
      /^\d+$/.test(given.get(name) ?? '') ? Number(given.get(name)) : undefined;
    const [event, object, place] = [number('e'), number('o'), placeOf(given.get('t') ?? '')];
    if (object !== undefined && object < view.run.objects.length) view.selected = object;
    if (event !== undefined && event <= view.run.events.length) view.goTo(event);
    else if (place !== undefined) view.goToPlace(place);
    else return false;
    return true;
  }

  update(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), DELAY_MS);
  }

  #write(): void {
    const { place, moment, selected } = this.#view;
    const object = selected === -1 ? '' : `&o=${selected}`;
    try {
      history.replaceState(null, '', `#t=${Math.round(place)}&e=${moment}${object}`);
    } catch {
      // A browser can refuse to change the address of a file. The page does not need the change.
    }
  }
}
