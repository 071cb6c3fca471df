import { type ReportRun, reportObjectText } from '#lib/foresight/page/report-run.ts';
import { RunHistory } from '#lib/foresight/page/run-history.ts';

/** A part of the page, which shows the moment and the selection. */
export interface PagePart {
  update(view: PageView): void;
}

const two = (count: number): string => String(count).padStart(2, '0');

/** The moment and the selected object of the page. Every control changes the view, and the view updates every part. */
export class PageView {
  readonly run: ReportRun;
  readonly history: RunHistory;
  readonly #parts: PagePart[] = [];
  /** The moment: the number of events that have happened. */
  moment = 0;
  /** Place on the axis; between two events, it is after the place of the last event. */
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

  /** Goes to a moment. A value outside the run is moved to its nearest end. */
  goTo(moment: number): void {
    this.moment = Math.max(0, Math.min(this.run.events.length, moment));
    this.place = this.moment === 0 ? 0 : this.history.placeOf(this.moment - 1);
    this.update();
  }

  /** Goes to a place of the axis. */
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

  /** A place of the axis in words: `0:02:30`, or `event 12`. */
  placeText(place: number): string {
    if (!this.history.hasTimes) return `event ${Math.round(place)}`;
    const seconds = Math.floor(place / 1000);
    return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  }
}
