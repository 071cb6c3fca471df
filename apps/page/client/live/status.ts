import type { ReportRun } from '#lib/foresight/page/report-run.ts';
import { htmlElement, setText } from '../dom.ts';
import type { StreamState } from './stream.ts';

const WORDS: Readonly<Record<StreamState, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'The connection is lost. The page tries again. If dev has ended, start it again, and open its new address. If more than five tabs of this page are open, close some.',
};

/** The state of the connection, and the facts and notes of the run. */
export class LiveStatus {
  readonly node: HTMLElement;
  readonly #state = htmlElement('p', { class: 'connection', attributes: { role: 'status' } });
  readonly #facts = htmlElement('ul', { class: 'facts' });
  readonly #notes = htmlElement('ul', { class: 'notes' });
  #shown = '';

  constructor() {
    this.#notes.hidden = true;
    this.node = htmlElement('div', { children: [this.#state, this.#facts, this.#notes] });
    this.is('connecting');
  }

  is(state: StreamState): void {
    setText(this.#state, WORDS[state]);
    this.#state.dataset['state'] = state;
  }

  shows({ facts, notes }: ReportRun): void {
    const shown = JSON.stringify([facts, notes]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#facts.replaceChildren(...facts.map((text) => htmlElement('li', { text })));
    this.#notes.replaceChildren(...notes.map((text) => htmlElement('li', { text })));
    this.#notes.hidden = notes.length === 0;
  }
}
