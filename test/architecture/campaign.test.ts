import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
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
