import type { PageAnswer, PreparedWrite } from '#lib/foresight/page/live/trial.ts';
import { button, htmlElement } from '../dom.ts';
import { askServer } from './ask-server.ts';

/** A dialog that shows what a write would change, and writes it after the consent of the user. */
export class WriteDialog {
  readonly node = htmlElement('dialog', { attributes: { 'aria-labelledby': 'write-title' } });
  readonly #result = htmlElement('div', { class: 'result', attributes: { role: 'status' } });

  /** Asks the server what it would write, and shows this. */
  async open(wish: object): Promise<void> {
    const title = htmlElement('h2', { text: 'One moment …', attributes: { id: 'write-title' } });
    this.#result.replaceChildren();
    this.node.replaceChildren(title, this.#result, this.#buttons());
    this.node.showModal();
    const answer = await askServer<{ write: PreparedWrite }>('prepare', wish);
    if ('problem' in answer) {
      title.textContent = 'This cannot be written';
      this.#problem(answer.problem.message);
    } else this.#ask(answer.write);
  }

  #ask({ id, title, parts }: PreparedWrite): void {
    const shown = parts.flatMap(({ object, action, text }) => [
      htmlElement('h3', { text: `${action} ${object}` }),
      htmlElement('pre', {
        text,
        attributes: { tabindex: '0', role: 'region', 'aria-label': `What is written to ${object}` },
      }),
    ]);
    const confirm = button('Write this', { onClick: () => void this.#write(id) });
    confirm.className = 'play';
    this.node.replaceChildren(
      htmlElement('h2', { text: title, attributes: { id: 'write-title' } }),
      htmlElement('p', { class: 'hint', text: 'This will be written to the cluster:' }),
      ...shown,
      this.#result,
      this.#buttons(confirm),
    );
    confirm.focus();
  }

  async #write(id: string): Promise<void> {
    this.node.querySelector('.find')?.replaceWith(this.#buttons());
    this.#result.replaceChildren(htmlElement('p', { class: 'empty', text: 'Writing …' }));
    const answer: PageAnswer<{ done: readonly string[] }> = await askServer('confirm', { id });
    if ('problem' in answer) return this.#problem(answer.problem.message);
    this.#result.replaceChildren(...answer.done.map((text) => htmlElement('p', { class: 'done', text })));
  }

  #problem(message: string): void {
    this.#result.replaceChildren(htmlElement('p', { class: 'problem', text: message }));
  }

  #buttons(...more: readonly HTMLButtonElement[]): HTMLElement {
    const close = button(more.length === 0 ? 'Close' : 'Cancel', { onClick: () => this.node.close() });
    return htmlElement('div', { class: 'find', children: [...more, close] });
  }
}
