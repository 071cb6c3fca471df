import { type ReportRun, reportObjectText } from '#lib/foresight/page/report-run.ts';
import { RunHistory } from '#lib/foresight/page/run-history.ts';

/** A part of the page, which is updated after each change of the view. */
export interface PagePart {
  update(view: PageView): void;
}

const two = (count: number): string => String(count).padStart(2, '0');

/**
 * The state that the parts of the page share: the run, the moment, and the selected object. After a change, the view updates
 * all parts.
 */
export class PageView {
  readonly run: ReportRun;
  readonly history: RunHistory;
  readonly #parts: PagePart[] = [];
  /** The moment: the number of events that have happened. */
  moment = 0;
  /** The position of the playhead on the axis. It can be between two events. */
  place = 0;
  /** Index of the selected object; -1 for none. */
  selected = -1;

  constructor(run: ReportRun) {
    this.run = run;
    this.history = new RunHistory(run);
  }

  add(...parts: readonly PagePart[]): void {
    this.#parts.push(...parts);
  }

  goTo(moment: number): void {
    this.moment = Math.max(0, Math.min(this.run.events.length, moment));
    this.place = this.moment === 0 ? 0 : this.history.placeOf(this.moment - 1);
    this.update();
  }

  goToPlace(place: number): void {
    this.place = Math.max(0, Math.min(this.history.length, place));
    this.moment = this.history.momentAt(this.place);
    this.update();
  }

  select(object: number): void {
    this.selected = object;
    this.update();
  }

  update(): void {
    for (const part of this.#parts) part.update(this);
  }

  objectText(object: number | undefined): string {
    const found = object === undefined ? undefined : this.run.objects[object];
    return found === undefined ? '' : reportObjectText(found);
  }

  /** Formats a place of the axis: `0:02:30`, or `event 12` if the events of the run have no times. */
  placeText(place: number): string {
    if (!this.history.hasTimes) return `event ${Math.round(place)}`;
    const seconds = Math.floor(place / 1000);
    return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  }
}
