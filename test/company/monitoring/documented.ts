import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const read = async (page: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../../docs/${page}`, import.meta.url)), 'utf8');

/** The first YAML block with these words on a page. */
const blockWith = async (page: string, words: string): Promise<string> => {
  const found = [...(await read(page)).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
  const block = found.find((yaml) => yaml.includes(words));
  if (block === undefined) throw new Error(`docs/${page} has no block of YAML with "${words}"`);
  return block;
};

interface Step {
  readonly percent: number;
  readonly sleep: number;
  readonly metrics: readonly object[];
}

/** The first step on docs/checks.md: its sleep and its metric. */
export const documentedStep = async (): Promise<Step> => {
  const { spec } = parse(await blockWith('checks.md', 'metrics:')) as {
    readonly spec: { readonly steps: readonly Step[] };
  };
  const [{ percent, sleep, metrics } = { percent: 0, sleep: 0, metrics: [] }] = spec.steps;
  return { percent, sleep, metrics };
};

/**
 * The scrape configuration on docs/monitoring.md for a Prometheus without its operator, for an operator with this name.
 */
export const documentedScrape = async (name: string): Promise<string> =>
  (await blockWith('monitoring.md', 'scrape_configs:')).replaceAll('rollout-operator', name);
