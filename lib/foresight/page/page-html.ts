import { createHash } from 'node:crypto';
import { clockText } from '#lib/foresight/simulate/script/time-text.ts';
import client from './client.json' with { type: 'json' };
import { packRun } from './packed-run.ts';
import { type ReportEvent, type ReportRun, reportObjectText } from './report-run.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control characters that HTML does not allow; the page shows a replacement character. */
const FORBIDDEN = /(?![\t\n])\p{Cc}/gu;

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character).replaceAll(FORBIDDEN, '\uFFFD');

/** JSON for a script element. Each `<` is escaped, so that no text ends the element or begins a comment. */
const embedded = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

/** The content security policy: the page loads nothing, and only its own script and style apply. */
const policy = (): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(client.script)}`,
    `style-src ${hashOf(client.style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const list = (sentences: readonly string[], name: string): string =>
  sentences.length === 0
    ? ''
    : `<ul class="${name}">${sentences.map((sentence) => `<li>${escaped(sentence)}</li>`).join('')}</ul>`;

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
  ].map((cell) => `<td>${escaped(cell)}</td>`);
  return `<tr><th scope="row">${index + 1}</th><td>${time}</td>${cells.join('')}<td class="fields">${escaped(fields)}</td></tr>`;
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
export const pageHtml = (run: ReportRun): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(run.title)} · ${escaped(run.verb)}</title>
<style>${client.style}</style>
</head>
<body>
<header>
<p class="verb">${escaped(run.verb)}</p>
<h1>${escaped(run.title)}</h1>
${list(run.facts, 'facts')}
${list(run.notes, 'notes')}
</header>
<main id="page">
<noscript>${tableOf(run)}</noscript>
</main>
<script type="application/json" id="run">${embedded(packRun(run))}</script>
<script>${client.script}</script>
</body>
</html>
`;
