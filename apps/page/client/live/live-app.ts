import type { Trial } from '#lib/foresight/page/live/trial.ts';
import { unpackRun } from '#lib/foresight/page/packed-run.ts';
import type { ReportRun } from '#lib/foresight/page/report-run.ts';
import { button, htmlElement } from '../dom.ts';
import { pageParts } from '../page-parts.ts';
import { firstShown, PageView } from '../view.ts';
import { CommandPanel } from './command-panel.ts';
import { LiveStatus } from './status.ts';
import { LiveStream } from './stream.ts';
import { TrialPanel } from './trial-panel.ts';
import { WriteDialog } from './write-dialog.ts';

/** The page of a live cluster. It shows the live history, or the course of a tried change. */
export class LiveApp {
  readonly #page: HTMLElement;
  readonly #status = new LiveStatus();
  readonly #banner: HTMLElement;
  readonly #trial: TrialPanel;
  readonly #dialog = new WriteDialog();
  readonly #commands: CommandPanel;
  readonly #mayWrite: boolean;
  #view: PageView | undefined;
  #live: ReportRun | undefined;
  #isTried = false;

  constructor(page: HTMLElement) {
    this.#page = page;
    const back = button('Back to the live cluster', { onClick: () => this.#showLive() });
    const words = 'This is the course of a tried change. Nothing of it has happened.';
    this.#banner = htmlElement('div', { class: 'banner', children: [htmlElement('p', { text: words }), back] });
    this.#mayWrite = page.dataset['write'] === 'true';
    this.#commands = new CommandPanel((wish) => void this.#dialog.open(wish));
    this.#trial = new TrialPanel({
      onApply: (apply) => void this.#dialog.open({ apply }),
      selected: () => this.#view?.run.objects[this.#view.selected],
      onTried: (trial) => (trial === undefined ? this.#showLive() : this.#showTrial(trial)),
    });
  }

  start(): void {
    document.querySelector('header')?.append(this.#status.node);
    new LiveStream({
      onRun: (run) => this.#take(run),
      onState: (state) => this.#status.is(state),
      onKinds: (kinds) => this.#commands.steers(kinds, this.#view),
    }).open();
  }

  #take(run: ReportRun): void {
    this.#live = run;
    if (this.#isTried) return;
    this.#status.shows(run);
    if (this.#view !== undefined) return this.#view.show(run);
    this.#view = new PageView(run);
    this.#banner.hidden = true;
    const writing = this.#mayWrite ? [this.#commands.node, this.#dialog.node] : [];
    if (this.#mayWrite) this.#view.add(this.#commands);
    const parts = pageParts(this.#view, { isLive: true });
    this.#page.replaceChildren(this.#trial.node, ...writing, this.#banner, ...parts);
    this.#view.selected = firstShown(run);
    this.#view.goToEnd();
  }

  /** Shows the course of a trial, at the moment of the change. */
  #showTrial({ run: packed }: Trial): void {
    const run = unpackRun(packed);
    const view = this.#view;
    if (view === undefined) return;
    this.#tried(true);
    this.#status.shows(run);
    view.show(run);
    const change = run.events.findIndex(({ sort }) => sort === 'change');
    const object = change === -1 ? undefined : run.events[change]?.object;
    if (object !== undefined) view.selected = object;
    view.goTo(change === -1 ? run.events.length : change + 1);
  }

  #showLive(): void {
    if (this.#view === undefined || this.#live === undefined || !this.#isTried) return;
    this.#tried(false);
    this.#status.shows(this.#live);
    this.#view.show(this.#live);
    this.#view.goToEnd();
  }

  #tried(isTried: boolean): void {
    this.#isTried = isTried;
    this.#commands.isOff = isTried;
    this.#banner.hidden = !isTried;
    document.body.classList.toggle('tried', isTried);
  }
}
