import { parseArgs } from 'node:util';
import { writeCampaignPage } from './page.ts';
import type { CampaignPart } from './part.ts';
import { campaignParts } from './parts.ts';
import { casesOf, cleanCommit, runPart } from './run-part.ts';

const MAX_MINUTES = 60;

const USAGE = `Usage: npm run campaign -- --part <name> [options]

Runs a long suite, and writes its result to test/campaign/results and docs/campaign.md. A part that was stopped, or whose time
ended, continues with the next call on the same commit.

  --part <name>   one of the parts below; can be given several times
  --minutes <n>   no new step begins after this time; 1 to ${MAX_MINUTES}, default ${MAX_MINUTES}
  --page          only write docs/campaign.md
  --help          this text

Parts:
${campaignParts.map(({ name, shows }) => `  ${name.padEnd(28)}${shows}`).join('\n')}`;

const options = {
  part: { type: 'string', multiple: true },
  minutes: { type: 'string', default: String(MAX_MINUTES) },
  page: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const partNamed = (name: string): CampaignPart => {
  const part = campaignParts.find((one) => one.name === name);
  if (part) return part;
  throw new TypeError(`--part is "${name}": expected one of ${campaignParts.map((one) => one.name).join(', ')}`);
};

const minutesOf = (text: string): number => {
  const minutes = Number(text);
  if (minutes >= 1 && minutes <= MAX_MINUTES) return minutes;
  throw new TypeError(`--minutes is "${text}": expected a number from 1 to ${MAX_MINUTES}`);
};

const runParts = async (names: readonly string[], minutes: number): Promise<void> => {
  const parts = names.map(partNamed);
  const commit = cleanCommit();
  for (const part of parts) {
    const { done, failed } = await runPart(part, { commit, minutes });
    writeCampaignPage();
    const rest = done < casesOf(part) ? `; run it again to continue` : '';
    print(`\n${part.name}: ${done} of ${casesOf(part)} done, ${failed.length} failures${rest}`);
    for (const text of failed) print(`  ${text}`);
    if (failed.length > 0) process.exitCode = 1;
  }
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options });
  if (values.help) return print(USAGE);
  if (values.page) return writeCampaignPage();
  if (values.part === undefined) throw new TypeError('--part is missing: expected the name of a part');
  await runParts(values.part, minutesOf(values.minutes));
};

try {
  await main();
} catch (error) {
  print((error as Error).message);
  process.exitCode = 1;
}
