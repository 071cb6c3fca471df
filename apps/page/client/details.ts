import type { ReportEvent } from '#lib/foresight/page/report-run.ts';
import { button, htmlElement, redrawn } from './dom.ts';
import { fieldRow, longTable, tableOf } from './tables.ts';
import type { PagePart, PageView } from './view.ts';

const CONDITION = /^status\.conditions\[type=([^\]]+)\]\.(status|reason|message|lastTransitionTime)$/;

const item = (term: string, ...content: readonly (Node | string)[]): readonly HTMLElement[] => {
  const definition = htmlElement('dd');
  definition.append(...content);
  return [htmlElement('dt', { text: term }), definition];
};

/** Shows the last event before the moment: its object, actor, reason, cause, and changed fields. */
export class EventPanel implements PagePart {
  readonly node = htmlElement('section', { class: 'panel event', attributes: { 'aria-labelledby': 'event-title' } });
  #shown: ReportEvent | 'nothing' | undefined;

  update(view: PageView): void {
    const event = view.run.events[view.moment - 1];
    if (this.#shown === (event ?? 'nothing')) return;
    this.#shown = event ?? 'nothing';
    const title = htmlElement('h2', { text: 'Event', attributes: { id: 'event-title' } });
    const none = htmlElement('p', { class: 'empty', text: 'No event has happened yet.' });
    const content = event === undefined ? [none] : this.#content(view, event);
    redrawn(this.node, () => this.node.replaceChildren(title, ...content));
  }

  #content(view: PageView, event: ReportEvent): readonly Node[] {
    const { what, why, who, object, cause, fields = [], effect, sort } = event;
    const caused = cause === undefined ? undefined : view.run.events[cause];
    const link =
      cause !== undefined && caused !== undefined
        ? button(`${view.placeText(view.history.placeOf(cause))} ${view.objectText(caused.object)} ${caused.what}`, {
            onClick: () => view.goTo(cause + 1),
          })
        : undefined;
    if (link !== undefined) {
      link.className = 'link';
      link.dataset['focus'] = 'cause';
    }
    const subject =
      object === undefined ? undefined : button(view.objectText(object), { onClick: () => view.select(object) });
    if (subject !== undefined) subject.className = 'link';
    const list = htmlElement('dl', {
      children: [
        ...(subject === undefined ? [] : item('Object', subject)),
        ...item(effect !== undefined ? 'Change' : sort === 'event' ? 'Kubernetes Event' : 'What', what),
        ...(who === '' ? [] : item('Actor', who)),
        ...(why === undefined ? [] : item('Reason', why)),
        ...(link === undefined ? [] : item('Cause', link)),
      ],
    });
    const rows = fields.map((field) => () => fieldRow(field));
    return [list, ...(rows.length === 0 ? [] : longTable('Changed fields', ['Field', 'Before', 'After'], rows))];
  }
}

/** Shows the selected object as it was at the selected moment of the run: a table of its conditions, and its other fields. */
export class ObjectPanel implements PagePart {
  readonly node = htmlElement('section', { class: 'panel object', attributes: { 'aria-labelledby': 'object-title' } });
  #shown: readonly [object: number, event: ReportEvent | undefined] = [-2, undefined];

  update(view: PageView): void {
    const { selected, moment, history, run } = view;
    const last = history.eventsOf(selected, moment).at(-1) ?? -1;
    const event = run.events[last];
    if (this.#shown[0] === selected && this.#shown[1] === event) return;
    this.#shown = [selected, event];
    const text = selected === -1 ? 'Object' : view.objectText(selected);
    const title = htmlElement('h2', { text, attributes: { id: 'object-title' } });
    redrawn(this.node, () => this.node.replaceChildren(title, ...this.#content(view, last)));
  }

  #content({ history, selected, moment, run }: PageView, last: number): readonly Node[] {
    if (selected === -1)
      return [htmlElement('p', { class: 'empty', text: 'Select an object in the lanes or in the tree.' })];
    if (last === -1) return [htmlElement('p', { class: 'empty', text: 'The object does not exist yet.' })];
    if (run.events[last]?.effect === 'deleted')
      return [htmlElement('p', { class: 'empty', text: 'The object does not exist any more.' })];
    const fields = history.fieldsAt(selected, moment);
    const conditions = new Map<string, Record<string, string>>();
    const others: (() => HTMLElement)[] = [];
    for (const [path, value] of fields) {
      const [, type, member = ''] = CONDITION.exec(path) ?? [];
      if (type !== undefined) conditions.set(type, { ...conditions.get(type), [member]: value });
      else if (!path.startsWith('status.conditions['))
        others.push(() =>
          htmlElement('tr', {
            children: [
              htmlElement('th', { text: path, attributes: { scope: 'row' } }),
              htmlElement('td', { text: value }),
            ],
          }),
        );
    }
    const rows = [...conditions].map(([type, { status = '', reason = '', message = '' }]) =>
      htmlElement('tr', {
        children: [
          htmlElement('th', { text: type, attributes: { scope: 'row' } }),
          htmlElement('td', { text: status }),
          htmlElement('td', {
            children: [htmlElement('strong', { text: reason }), htmlElement('p', { text: message })],
          }),
        ],
      }),
    );
    const shown = rows.length === 0 ? [] : [tableOf('Conditions', ['Type', 'Status', 'Reason and message'], rows)];
    return [...shown, ...(others.length === 0 ? [] : longTable('Fields', ['Field', 'Value'], others))];
  }
}
