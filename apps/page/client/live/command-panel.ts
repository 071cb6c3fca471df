import { ROLLOUT_COMMANDS } from '#lib/foresight/page/live/trial.ts';
import type { ReportObject } from '#lib/foresight/page/report-run.ts';
import { button, htmlElement, setText } from '../dom.ts';
import type { PagePart, PageView } from '../view.ts';

/** The commands for the rollout of the selected object; hidden for other objects. */
export class CommandPanel implements PagePart {
  readonly node: HTMLElement;
  readonly #title = htmlElement('h2', { attributes: { id: 'commands-title' } });
  #steered: ReadonlySet<string> = new Set();
  #object: ReportObject | undefined;
  /** Whether the page shows something else than the live cluster, so that commands make no sense. */
  isOff = false;

  /** @param onCommand - called with the wish to send a command to an object */
  constructor(onCommand: (wish: { readonly object: ReportObject; readonly command: string }) => void) {
    const buttons = Object.entries(ROLLOUT_COMMANDS).map(([command, text]) =>
      button(text, {
        onClick: () => {
          if (this.#object !== undefined) onCommand({ object: this.#object, command });
        },
      }),
    );
    this.node = htmlElement('section', {
      class: 'panel commands',
      attributes: { 'aria-labelledby': 'commands-title' },
      children: [this.#title, htmlElement('div', { class: 'find', children: buttons })],
    });
    this.node.hidden = true;
  }

  /** Sets the kinds with rollouts that can be steered, each as `<kind>.<group>`. */
  steers(kinds: readonly string[], view: PageView | undefined): void {
    this.#steered = new Set(kinds);
    if (view !== undefined) this.update(view);
  }

  update({ run, selected }: PageView): void {
    const object = run.objects[selected];
    const kind = `${object?.kind}.${object?.group ?? ''}`;
    this.#object = !this.isOff && this.#steered.has(kind) ? object : undefined;
    this.node.hidden = this.#object === undefined;
    if (this.#object !== undefined) setText(this.#title, `Rollout of ${this.#object.kind} ${this.#object.name}`);
  }
}
