import { type PackedRun, unpackRun } from '#lib/foresight/page/packed-run.ts';
import type { ReportRun } from '#lib/foresight/page/report-run.ts';
import { Address } from './address.ts';
import { Controls } from './controls.ts';
import { EventPanel, ObjectPanel } from './details.ts';
import { htmlElement } from './dom.ts';
import { EventTable } from './event-table.ts';
import { Lanes, legend } from './lanes.ts';
import { ObjectTree } from './tree.ts';
import { PageView } from './view.ts';

const start = (page: HTMLElement, run: ReportRun): void => {
  const view = new PageView(run);
  const controls = new Controls(view);
  const table = new EventTable(view);
  const tree = new ObjectTree(view);
  const event = new EventPanel();
  const object = new ObjectPanel();
  const address = new Address(view);
  const keys = 'Keys: ← → previous and next event, Shift for ten events, Home and End, Space plays, / searches.';
  const parts: Node[] = [controls.node];
  view.add(controls, tree, event, object, table);
  if (run.objects.length > 0 && run.events.some(({ effect }) => effect !== undefined)) {
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
  page.replaceChildren(...parts);
  document.addEventListener('keydown', (pressed) => {
    if (pressed.key !== '/' || (pressed.target instanceof Element && pressed.target.closest('input, select') !== null))
      return;
    pressed.preventDefault();
    table.search.focus();
  });
  const first = run.events.find(({ object, effect }) => object !== undefined && effect !== undefined)?.object;
  view.selected = first ?? -1;
  if (!address.read()) view.goTo(run.events.length);
  view.add(address);
};

const page = document.querySelector<HTMLElement>('#page');
const data = document.querySelector('#run')?.textContent;
if (page !== null && data !== null && data !== undefined) start(page, unpackRun(JSON.parse(data) as PackedRun));
