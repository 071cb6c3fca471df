import { readFile } from 'node:fs/promises';
import { App, Chart, Testing } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { Operator } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { type Family, type FamilyOptions, Registry } from '#lib/telemetry/metric.ts';
import { fillRegistry } from './fill-registry.ts';

/** Every metric of the process with a sample: name, type, and the labels in the order of the first sample. */
const registered = (): string[] => {
  const types = new Map<string, string>();
  class Types extends Registry {
    override family(options: FamilyOptions): Family {
      types.set(options.name, options.type);
      return super.family(options);
    }
  }
  const registry = new Types();
  fillRegistry(registry);
  const lines = registry.text().split('\n');
  const labelsOf = (name: string): string[] => {
    const line = lines.find((each) => new RegExp(`^${name}(_bucket)?[{ ]`).test(each)) ?? '';
    expect(`${name} has a sample: ${line !== ''}`).toBe(`${name} has a sample: true`);
    return [...line.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
  };
  return [...types].map(([name, type]) => [name, type, ...labelsOf(name)].join(' ')).toSorted();
};

const page = readFile('docs/metrics.md', 'utf8');

const codeIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

describe('docs/metrics.md', () => {
  it('names every metric that the process serves, with its type and labels, and nothing else', async () => {
    const rows = [...(await page).matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \| (.*?) ?\| /gm)];
    const documented = rows.map(([, name, type, labels = '']) => [name, type, ...codeIn(labels)].join(' '));
    expect(documented.toSorted()).toEqual(registered());
  });

  it('names every alert with its severity, and nothing else', async () => {
    const chart = new Chart(new App(), 'chart');
    // oxlint-disable-next-line no-new -- a construct belongs to its chart
    new Operator(chart, 'operator', {
      kinds: [podSet],
      image: 'op:1',
      monitoring: { alerts: true, kubeStateMetrics: true },
    });
    const manifests = Testing.synth(chart) as { kind: string; spec: { groups: { rules: Rule[] }[] } }[];
    const rules = manifests.find(({ kind }) => kind === 'PrometheusRule')?.spec.groups.flatMap((group) => group.rules);
    const rows = [...(await page).matchAll(/^\| `(\w+)` \| (warning|critical) \|/gm)];
    expect(rows.map(([, alert, severity]) => `${alert} ${severity}`)).toEqual(
      rules?.map(({ alert, labels }) => `${alert} ${labels.severity}`),
    );
  });
});

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
}
