import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutantReasons } from '#test/campaign/mutants/reasons.ts';
import { campaignPage, readCampaignPage } from '#test/campaign/page.ts';
import { campaignParts } from '#test/campaign/parts.ts';

it('docs/campaign.md has the committed results', () => {
  expect(readCampaignPage(), 'run `npm run campaign -- --page`').toBe(campaignPage());
});

it('the parts of the campaign have names and existing files of their own', () => {
  const names = campaignParts.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(campaignParts.flatMap(({ files }) => files).filter((file) => !existsSync(file))).toEqual([]);
});

/** Enough of a piece of code to find it. The rest can be cut, see `code` of a survivor. */
const SHOWN = 100;

it('each reason for a mutant that survives is about code that exists', () => {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const text = texts.get(file) ?? readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ');
    texts.set(file, text);
    return text;
  };
  const gone = mutantReasons().filter(({ file, code }) => !textOf(file).includes(code.slice(0, SHOWN)));
  expect(gone).toEqual([]);
});
