import { Controls } from './controls.ts';
import { EventPanel, ObjectPanel } from './details.ts';
import { htmlElement, isForField } from './dom.ts';
import { EventTable } from './event-table.ts';
import { Lanes, legend } from './lanes.ts';
import { ObjectTree } from './tree.ts';
import type { PageView } from './view.ts';

/** Options for {@link pageParts}. */
interface PagePartsOptions {
  /** Whether the run grows while the page is open. */
  readonly isLive: boolean;
}

/** Makes the parts of a page, adds them to its view, and returns their nodes in order. */
export const pageParts = (view: PageView, { isLive }: PagePartsOptions): readonly Node[] => {
  const { run } = view;
  const controls = new Controls(view, { isLive });
  const table = new EventTable(view);
  const tree = new ObjectTree(view);
  const event = new EventPanel();
  const object = new ObjectPanel();
  const keys = 'Keys: ← → previous and next event, Shift for ten events, Home and End, Space plays, / searches.';
  const parts: Node[] = [controls.node];
  view.add(controls, tree, event, object, table);
  if (isLive || (run.objects.length > 0 && run.events.some(({ effect }) => effect !== undefined))) {
    const lanes = new Lanes(view);
    view.add(lanes);
    parts.push(
      htmlElement('section', {
        class: 'panel',
        children: [htmlElement('h2', { text: 'Timeline' }), lanes.node, legend()],
      }),
    );
    parts.push(htmlElement('div', { class: 'columns', children: [tree.node, event.node, object.node] }));
  } else parts.push(event.node);
  parts.push(table.node, htmlElement('p', { class: 'keys', text: keys }));
  document.addEventListener('keydown', (pressed) => {
    if (pressed.key !== '/' || isForField(pressed)) return;
    pressed.preventDefault();
    table.search.focus();
  });
  return parts;
};
