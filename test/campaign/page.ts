import { readFileSync, writeFileSync } from 'node:fs';
import { markdownRow } from '#test/markdown-row.ts';
import { mutantChapter, mutantCount, survivorLines } from './mutants/table.ts';
import type { CampaignPart, PartResult } from './part.ts';
import { campaignParts } from './parts.ts';
import { readPartResult } from './results.ts';
import { soakChapter, writeSoakPictures } from './soak/table.ts';

const file = new URL('../../docs/campaign.md', import.meta.url);

/** The page as it is committed. */
export const readCampaignPage = (): string => readFileSync(file, 'utf8');

const number = (value: number): string => value.toLocaleString('en');

const extent = (part: CampaignPart, result: PartResult | undefined): string => {
  if (result === undefined || result.done === 0) return 'not run';
  if (part.cases === undefined) return `${number(result.passed + result.failed.length)} tests`;
  const { all, unit } = part.cases;
  const cases = result.done < all ? `${number(result.done)} of ${number(all)} ${unit}` : `${number(all)} ${unit}`;
  return result.mutants ? `${number(mutantCount(result))} mutants of ${cases}` : cases;
};

const outcome = (result: PartResult | undefined): string => {
  if (result === undefined) return '';
  return result.failed.length === 0 ? 'no failure' : `**${result.failed.length} failed**`;
};

const resultRow = (part: CampaignPart): string => {
  const result = readPartResult(part.name);
  const { commit = '', date = '', minutes } = result ?? {};
  return markdownRow([
    `\`${part.name}\``,
    part.shows,
    extent(part, result),
    outcome(result),
    minutes?.toFixed(1) ?? '',
    date,
    commit,
  ]);
};

const results = (): readonly PartResult[] => campaignParts.flatMap(({ name }) => readPartResult(name) ?? []);

const failures = (): readonly string[] => {
  const all = results().flatMap((result) =>
    result.mutants ? survivorLines(result) : result.failed.map((text) => `- \`${result.part}\`: ${text}`),
  );
  return all.length === 0 ? [] : ['', '## Failures', '', ...all];
};

const versions = (): string => {
  const all = results().map(({ versions: { kubernetes, node } }) => `Kubernetes ${kubernetes} and Node.js ${node}`);
  return all.length === 0 ? '' : `The runs are on two cores, with ${[...new Set(all)].join('; ')}.`;
};

/** The results as a page. */
export const campaignPage = (): string =>
  `${[
    '# Long test runs',
    '',
    'The tests of each commit run a small number of random cases, because `npm test` has 20 minutes.',
    'This page has the results of the long runs of the same tests: the number of cases, the failures, and the tested commit.',
    'A result is valid for its commit only. Later commits passed the short versions of these tests.',
    '',
    '`npm run campaign -- --part <name>` runs a part for at most 60 minutes and writes its result; run it again to continue.',
    `[test/campaign](../test/campaign/README.md) describes the method. ${versions()}`,
    '',
    markdownRow(['part', 'shows', 'extent', 'result', 'minutes', 'date', 'commit']),
    markdownRow(['---', '---', '---', '---', '---:', '---', '---']),
    ...campaignParts.map(resultRow),
    ...mutantChapter(results()),
    ...soakChapter(results()),
    ...failures(),
    '',
    'Three other long runs have pages of their own: [conformance](conformance.md), [versions of Kubernetes and Node.js](compatibility.md) and [benchmarks](benchmarks.md).',
  ].join('\n')}\n`;

/** Writes the page and its pictures. */
export const writeCampaignPage = (): void => {
  writeFileSync(file, campaignPage());
  writeSoakPictures(results(), new URL('pictures/', file));
};
