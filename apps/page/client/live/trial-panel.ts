import {
  type InputProblem,
  TRIAL_HORIZONS,
  type Trial,
  type TrialAnswer,
  type TriedChange,
  type TriedWrite,
} from '#lib/foresight/page/live/trial.ts';
import type { ReportObject } from '#lib/foresight/page/report-run.ts';
import { button, htmlElement } from '../dom.ts';
import { fieldRow, longTable } from '../tables.ts';
import { askServer } from './ask-server.ts';

const HORIZON_WORDS: Readonly<Record<string, string>> = { '1m': '1 minute', '10m': '10 minutes', '1h': '1 hour' };

/** Options for {@link TrialPanel}. */
interface TrialPanelOptions {
  /** The selected object of the page; `undefined` for none. */
  readonly selected: () => ReportObject | undefined;
  /** Called with a trial that would change something; with `undefined` after a problem, or a trial without a change. */
  readonly onTried: (trial: Trial | undefined) => void;
  /** Called with the id of a trial that the user wants to apply. */
  readonly onApply: (id: string) => void;
}

const writeRow = ({ action, object, reason, note }: TriedWrite): HTMLElement =>
  htmlElement('tr', {
    children: [action, object, reason, note].map((text) => htmlElement('td', { text })),
  });

/** The panel in which a manifest is written and tried. */
export class TrialPanel {
  readonly node: HTMLElement;
  readonly #options: TrialPanelOptions;
  readonly #text = htmlElement('textarea', {
    attributes: { id: 'manifest', rows: '14', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off' },
  });
  readonly #horizon = htmlElement('select', {
    attributes: { id: 'horizon' },
    children: TRIAL_HORIZONS.map((value) =>
      htmlElement('option', { text: HORIZON_WORDS[value] ?? value, attributes: { value } }),
    ),
  });
  readonly #result = htmlElement('div', { class: 'result', attributes: { role: 'status' } });
  /** The last text that came from an object. Any other text was typed. */
  #taken = '';
  #isRunning = false;

  constructor(options: TrialPanelOptions) {
    this.#options = options;
    const send = button('Try', { onClick: () => void this.#send() });
    send.className = 'play';
    this.#horizon.value = '10m';
    this.#text.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void this.#send();
    });
    const hint = 'The change is planned and simulated on a copy of the cluster. Nothing is written.';
    this.node = htmlElement('details', {
      class: 'panel trial',
      children: [
        htmlElement('summary', { children: [htmlElement('h2', { text: 'Try a change' })] }),
        htmlElement('p', { class: 'hint', text: hint }),
        htmlElement('label', { text: 'Manifest (YAML)', attributes: { for: 'manifest' } }),
        this.#text,
        htmlElement('div', {
          class: 'find',
          children: [
            button('Take the selected object', { onClick: () => void this.#take() }),
            htmlElement('label', { text: 'Look ahead', attributes: { for: 'horizon' } }),
            this.#horizon,
            send,
          ],
        }),
        this.#result,
      ],
    });
  }

  async #take(): Promise<void> {
    const object = this.#options.selected();
    if (object === undefined) return this.#fail({ message: 'Select an object in the lanes or in the tree first.' });
    const answer = await askServer<{ yaml: string }>('manifest', object);
    if ('problem' in answer) return this.#fail(answer.problem);
    const { value } = this.#text;
    if (value.trim() === '' || value === this.#taken) this.#replace(answer.yaml);
    else this.#askToReplace(answer.yaml);
  }

  #replace(yaml: string): void {
    this.#text.value = yaml;
    this.#taken = this.#text.value;
    this.#result.replaceChildren();
    this.#text.focus();
    this.#text.setSelectionRange(0, 0);
  }

  #askToReplace(yaml: string): void {
    const question = 'The text above was typed, and would be lost.';
    const replace = button('Replace the text', { onClick: () => this.#replace(yaml) });
    const keep = button('Keep the text', { onClick: () => this.#keep() });
    this.#result.replaceChildren(
      htmlElement('p', { text: question }),
      htmlElement('div', { class: 'find', children: [replace, keep] }),
    );
    keep.focus();
  }

  #keep(): void {
    this.#result.replaceChildren();
    this.#text.focus();
  }

  async #send(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#result.replaceChildren(htmlElement('p', { class: 'empty', text: 'Trying …' }));
    const body = { yaml: this.#text.value, horizon: this.#horizon.value };
    const answer = await askServer<TrialAnswer>('try', body);
    this.#isRunning = false;
    if ('problem' in answer) {
      this.#options.onTried(undefined);
      return this.#fail(answer.problem);
    }
    this.#show(answer);
  }

  #fail(problem: InputProblem): void {
    this.#result.replaceChildren(this.#problem(problem));
    if (problem.line !== undefined) this.#goTo(problem.line);
  }

  /** Shows a problem. If its line is known, a button moves the cursor to this line. */
  #problem({ message, line, column }: InputProblem): HTMLElement {
    const node = htmlElement('p', { class: 'problem' });
    if (line !== undefined) {
      const place = button(`Line ${line}${column === undefined ? '' : `, column ${column}`}`, {
        onClick: () => this.#goTo(line),
      });
      place.className = 'link';
      node.append(place, ': ');
    }
    node.append(message);
    return node;
  }

  /** Selects a line of the manifest. */
  #goTo(line: number): void {
    const lines = this.#text.value.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    this.#text.focus();
    this.#text.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  }

  #show({ trial, apply }: TrialAnswer): void {
    const { changes, writes, notes } = trial;
    const first = writes.map((write) => () => writeRow(write));
    const none = changes.some(({ outcome }) => outcome === 'refused')
      ? 'Nothing would be written, because the API server would refuse the change.'
      : 'The operator would write nothing at first.';
    this.#result.replaceChildren(
      ...changes.flatMap((change) => this.#change(change)),
      ...(first.length === 0
        ? [htmlElement('p', { class: 'empty', text: none })]
        : longTable('The first writes of the operator', ['Action', 'Object', 'Reason', 'Note'], first)),
      ...(notes.length === 0
        ? []
        : [htmlElement('ul', { class: 'notes', children: notes.map((text) => htmlElement('li', { text })) })]),
    );
    if (apply !== undefined) this.#result.append(this.#applyButton(apply));
    const refused = changes.find((change) => change.refused !== undefined)?.refused;
    if (refused?.line !== undefined) this.#goTo(refused.line);
    const isChanged = refused === undefined && changes.some(({ outcome }) => outcome !== 'unchanged');
    this.#options.onTried(isChanged ? trial : undefined);
  }

  #applyButton(id: string): HTMLElement {
    const apply = button('Apply …', { onClick: () => this.#options.onApply(id) });
    return htmlElement('div', { class: 'find', children: [apply] });
  }

  #change({ object, outcome, fields, refused }: TriedChange): readonly Node[] {
    const title = htmlElement('h3', { text: `${object}: ${outcome}` });
    if (refused !== undefined) return [title, this.#problem(refused)];
    if (fields.length === 0) return [title];
    const rows = fields.map((field) => () => fieldRow(field));
    return [title, ...longTable(`Changed fields of ${object}`, ['Field', 'Before', 'After'], rows)];
  }
}
