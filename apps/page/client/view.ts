import { type ReportObject, type ReportRun, reportObjectText } from '#lib/foresight/page/report-run.ts';
import { RunHistory } from '#lib/foresight/page/run-history.ts';

/** A part of the page, which is updated after each change of the view. */
export interface PagePart {
  update(view: PageView): void;
  /** Called before `update` when the run has changed. @default nothing */
  renew?(view: PageView): void;
}

const two = (count: number): string => String(count).padStart(2, '0');

const clockOf = (epochMs: number): string => {
  const time = new Date(epochMs);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
};

const isSame = (a: ReportObject, b: ReportObject | undefined): boolean =>
  a.kind === b?.kind && a.namespace === b.namespace && a.name === b.name;

/**
 * The state that the parts of the page share: the run, the moment, and the selected object. After a change, the view updates
 * all parts.
 */
export class PageView {
  #run: ReportRun;
  #history: RunHistory;
  readonly #parts: PagePart[] = [];
  /** The moment: the number of events that have happened. */
  moment = 0;
  /** The position of the playhead on the axis. It can be between two events. */
  place = 0;
  /** Index of the selected object; -1 for none. */
  selected = -1;
  /** Whether the moment is the end of the run, and moves with it. */
  isFollowing = false;

  constructor(run: ReportRun) {
    this.#run = run;
    this.#history = new RunHistory(run);
  }

  get run(): ReportRun {
    return this.#run;
  }

  get history(): RunHistory {
    return this.#history;
  }

  add(...parts: readonly PagePart[]): void {
    this.#parts.push(...parts);
  }

  /**
   * Shows another run, or the same run with more events. A view that follows the end goes to the new end. Otherwise the moment
   * stays; in another run, the time stays. The selected object stays if the run has it; otherwise the first object is selected.
   */
  show(run: ReportRun): void {
    const { isFollowing, place } = this;
    const { startedAt = 0, objects } = this.#run;
    const selected = objects[this.selected];
    const isLonger = run.startedAt === this.#run.startedAt && run.events.length >= this.#run.events.length;
    this.#run = run;
    this.#history = new RunHistory(run);
    if (selected !== undefined && !isSame(selected, run.objects[this.selected]))
      this.selected = run.objects.findLastIndex((object) => isSame(object, selected));
    if (this.selected === -1) this.selected = firstShown(run);
    for (const part of this.#parts) part.renew?.(this);
    if (isFollowing) this.goToEnd();
    else if (isLonger) this.update();
    else this.goToPlace(place + startedAt - (run.startedAt ?? 0));
  }

  /** The first moment: after the events of the objects that existed at the start. */
  get #first(): number {
    const { events } = this.#run;
    const first = events.findIndex(({ sort }) => sort !== 'known');
    return first === -1 ? events.length : first;
  }

  goTo(moment: number): void {
    this.moment = Math.max(this.#first, Math.min(this.#run.events.length, moment));
    this.isFollowing = this.moment === this.#run.events.length;
    this.place = this.moment === 0 ? 0 : this.#history.placeOf(this.moment - 1);
    this.update();
  }

  goToPlace(place: number): void {
    this.place = Math.max(0, Math.min(this.#history.length, place));
    this.moment = Math.max(this.#first, this.#history.momentAt(this.place));
    this.isFollowing = this.place === this.#history.length;
    this.update();
  }

  /** Goes to the end of the axis, which is after the last event. */
  goToEnd(): void {
    this.goToPlace(this.#history.length);
  }

  select(object: number): void {
    this.selected = object;
    this.update();
  }

  update(): void {
    for (const part of this.#parts) part.update(this);
  }

  objectText(object: number | undefined): string {
    const found = object === undefined ? undefined : this.#run.objects[object];
    return found === undefined ? '' : reportObjectText(found);
  }

  /** Formats a place of the axis: `0:02:30`, the time of day for a run in real time, or `event 12` if the events have no times. */
  placeText(place: number): string {
    if (!this.#history.hasTimes) return `event ${Math.round(place)}`;
    if (this.#run.startedAt !== undefined) return clockOf(this.#run.startedAt + place);
    const seconds = Math.floor(place / 1000);
    return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  }
}

/** The object of the first event that creates, changes or deletes an object; -1 for none. */
export const firstShown = ({ events }: ReportRun): number =>
  events.find(({ object, effect }) => object !== undefined && effect !== undefined)?.object ?? -1;
