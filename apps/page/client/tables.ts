import type { ReportField } from '#lib/foresight/page/report-run.ts';
import { button, htmlElement } from './dom.ts';

/** Fields that are shown at once; the others follow a button. */
const SHOWN_FIELDS = 40;

/** A row of a table of changed fields: the path, the old and the new value. */
export const fieldRow = ([path, before, after]: ReportField): HTMLElement =>
  htmlElement('tr', {
    children: [
      htmlElement('th', { text: path, attributes: { scope: 'row' } }),
      before === null
        ? htmlElement('td', { class: 'none', text: '–' })
        : htmlElement('td', { children: [htmlElement('del', { text: before })] }),
      after === null
        ? htmlElement('td', { class: 'none', text: '–' })
        : htmlElement('td', { children: [htmlElement('ins', { text: after })] }),
    ],
  });

/** A table in a box that scrolls sideways. A box that scrolls must be reachable by the keyboard. */
export const tableOf = (caption: string, columns: readonly string[], rows: readonly HTMLElement[]): HTMLElement => {
  const head = columns.map((text) => htmlElement('th', { text, attributes: { scope: 'col' } }));
  const table = htmlElement('table', {
    children: [
      htmlElement('caption', { text: caption }),
      htmlElement('thead', { children: [htmlElement('tr', { children: head })] }),
      htmlElement('tbody', { children: rows }),
    ],
  });
  return htmlElement('div', {
    class: 'scroll',
    attributes: { tabindex: '0', role: 'region', 'aria-label': caption, 'data-focus': caption },
    children: [table],
  });
};

/** A table with the first rows, and a button that shows the others. */
export const longTable = (
  caption: string,
  columns: readonly string[],
  rows: readonly (() => HTMLElement)[],
): readonly Node[] => {
  const box = tableOf(
    caption,
    columns,
    rows.slice(0, SHOWN_FIELDS).map((row) => row()),
  );
  if (rows.length <= SHOWN_FIELDS) return [box];
  const more = button(`Show ${rows.length - SHOWN_FIELDS} more`, {
    onClick: () => {
      box.querySelector('tbody')?.append(...rows.slice(SHOWN_FIELDS).map((row) => row()));
      more.remove();
      box.focus();
    },
  });
  return [box, more];
};
