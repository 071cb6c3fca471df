import type { PageAnswer, PreparedWrite } from '#lib/foresight/page/live/trial.ts';
import { button, htmlElement } from '../dom.ts';
import { askServer } from './ask-server.ts';

const problemText = (message: string): HTMLElement => htmlElement('p', { class: 'problem', text: message });

/** A dialog that shows what a write would change, and writes it after the consent of the user. */
export class WriteDialog {
  readonly node = htmlElement('dialog', { attributes: { 'aria-labelledby': 'write-title' } });
  /** Number of times that the dialog was opened. */
  #opened = 0;

  /**
   * Requests a preview of the write from the server, and shows the preview. A late response to an earlier request is ignored.
   */
  async open(wish: object): Promise<void> {
    this.#opened += 1;
    const number = this.#opened;
    const title = htmlElement('h2', { text: 'One moment …', attributes: { id: 'write-title' } });
    const result = htmlElement('div', { class: 'result', attributes: { role: 'status' } });
    this.node.replaceChildren(title, result, this.#buttons());
    this.node.showModal();
    const answer = await askServer<{ write: PreparedWrite }>('prepare', wish);
    if (number !== this.#opened || !this.node.open) return;
    if ('problem' in answer) {
      title.textContent = 'This cannot be written';
      result.replaceChildren(problemText(answer.problem.message));
    } else this.#ask(answer.write, result);
  }

  #ask({ id, title, parts }: PreparedWrite, result: HTMLElement): void {
    const shown = parts.flatMap(({ object, action, text }) => [
      htmlElement('h3', { text: `${action} ${object}` }),
      htmlElement('pre', {
        text,
        attributes: { tabindex: '0', role: 'region', 'aria-label': `What is written to ${object}` },
      }),
    ]);
    const confirm = button('Write this', { onClick: () => void this.#write(id, result, confirm) });
    confirm.className = 'play';
    this.node.replaceChildren(
      htmlElement('h2', { text: title, attributes: { id: 'write-title' } }),
      htmlElement('p', { class: 'hint', text: 'This will be written to the cluster:' }),
      ...shown,
      result,
      this.#buttons(confirm),
    );
    confirm.focus();
  }

  async #write(id: string, result: HTMLElement, confirm: HTMLButtonElement): Promise<void> {
    this.node.querySelector('.find')?.replaceWith(this.#buttons());
    result.replaceChildren(htmlElement('p', { class: 'empty', text: 'Writing …' }));
    const answer: PageAnswer<{ done: readonly string[] }> = await askServer('confirm', { id });
    if (!('problem' in answer)) {
      result.replaceChildren(...answer.done.map((text) => htmlElement('p', { class: 'done', text })));
      return;
    }
    result.replaceChildren(problemText(answer.problem.message));
    if (answer.problem.mayConfirm === true && result.isConnected)
      this.node.querySelector('.find')?.replaceWith(this.#buttons(confirm));
  }

  #buttons(...more: readonly HTMLButtonElement[]): HTMLElement {
    const close = button(more.length === 0 ? 'Close' : 'Cancel', { onClick: () => this.node.close() });
    return htmlElement('div', { class: 'find', children: [...more, close] });
  }
}
