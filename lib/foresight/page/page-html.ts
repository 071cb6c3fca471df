import { clockText } from '#lib/foresight/simulate/script/time-text.ts';
import client from './client.json' with { type: 'json' };
import { packRun } from './packed-run.ts';
import { escapedHtml, pageDocument, pagePolicy, policyText } from './page-document.ts';
import { type ReportEvent, type ReportHistogram, type ReportRun, reportObjectText } from './report-run.ts';

/** JSON for a script element. Each `<` is escaped, so that no text ends the element or begins a comment. */
const embedded = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);

const list = (sentences: readonly string[], name: string): string =>
  sentences.length === 0
    ? ''
    : `<ul class="${name}">${sentences.map((sentence) => `<li>${escapedHtml(sentence)}</li>`).join('')}</ul>`;

/** Width of the longest bar of a histogram, in pixels. */
const BAR_WIDTH = 160;

/** A table, so that each bar also is a number. The bars have no style, because the policy of the page allows no style of its own. */
const histogramTable = ({ title, heads, bars }: ReportHistogram): string => {
  const most = Math.max(1, ...bars.map(([, count]) => count));
  const rows = bars.map(([value, count]) => {
    const bar = `<rect width="${Math.round((count / most) * BAR_WIDTH)}" height="12" fill="currentColor"/>`;
    const drawn = `<svg width="${BAR_WIDTH}" height="12" aria-hidden="true">${bar}</svg>`;
    return `<tr><th scope="row">${escapedHtml(value)}</th><td>${count}</td><td>${drawn}</td></tr>`;
  });
  const head = heads.map((name) => `<th scope="col">${escapedHtml(name)}</th>`).join('');
  return `<table class="histogram"><caption>${escapedHtml(title)}</caption><thead><tr>${head}<td></td></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
};

const fieldsText = ({ fields = [] }: ReportEvent): string =>
  fields.map(([path, before, after]) => `${path}: ${before ?? '(none)'} → ${after ?? '(none)'}`).join('\n');

/** Maximum number of fields of an event in the table without JavaScript. */
const MAX_LISTED = 12;

const tableRow = ({ objects, durationMs }: ReportRun, event: ReportEvent, index: number): string => {
  const object = event.object === undefined ? undefined : objects[event.object];
  const time = durationMs > 0 ? clockText(event.atMs) : String(index + 1);
  const all = event.fields ?? [];
  const more = all.length > MAX_LISTED ? `\nand ${all.length - MAX_LISTED} more fields` : '';
  const fields = `${fieldsText({ ...event, fields: all.slice(0, MAX_LISTED) })}${more}`;
  const cells = [
    object === undefined ? '' : reportObjectText(object),
    event.who,
    event.what,
    event.why ?? '',
    event.cause === undefined ? '' : `event ${event.cause + 1}`,
  ].map((cell) => `<td>${escapedHtml(cell)}</td>`);
  return `<tr><th scope="row">${index + 1}</th><td>${time}</td>${cells.join('')}<td class="fields">${escapedHtml(fields)}</td></tr>`;
};

const COLUMNS = ['Event', 'Time', 'Object', 'Actor', 'Change', 'Reason', 'Cause', 'Fields'];

const tableOf = (run: ReportRun): string => {
  const head = COLUMNS.map((column) => `<th scope="col">${column}</th>`).join('');
  const rows = run.events.map((event, index) => tableRow(run, event, index)).join('\n');
  return `<div class="scroll"><table><caption>All events, in order</caption><thead><tr>${head}</tr></thead><tbody>\n${rows}\n</tbody></table></div>`;
};

/**
 * Makes a report page: one HTML file that loads nothing. With JavaScript, the page shows the timeline; without JavaScript, it
 * shows a table with all events.
 *
 * Guarantees: equal runs give equal bytes. No text of a run becomes markup or script.
 */
export const pageHtml = (run: ReportRun): string =>
  pageDocument({
    client,
    verb: run.verb,
    title: run.title,
    policy: policyText(pagePolicy(client)),
    header: [list(run.facts, 'facts'), list(run.notes, 'notes'), ...(run.histograms ?? []).map(histogramTable)].join(
      '\n',
    ),
    main: `<main id="page">\n<noscript>${tableOf(run)}</noscript>\n</main>`,
    data: embedded(packRun(run)),
  });
