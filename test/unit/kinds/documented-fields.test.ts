import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';

const pages: Readonly<Record<string, string>> = {
  AppService: 'app-service',
  CanaryRollout: 'canary-rollout',
  Deployer: 'deployer',
  ImmortalContainer: 'immortal-container',
  PodSet: 'pod-set',
};

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

/** Names of fields, including those in objects and in lists of objects, to the depth of a page's tables. */
const fieldsOf = ({ properties = {} }: Node, depth = 2): readonly string[] =>
  Object.entries(properties).flatMap(([name, node]) => [
    name,
    // A template is a type of Kubernetes.
    ...(depth > 1 && name !== 'template' ? fieldsOf(node.items ?? node, depth - 1) : []),
  ]);

/** The text in backticks. */
const codeIn = (page: string): string => [...page.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code).join('\n');

describe('the page of a kind', () => {
  it.each(kinds.map((kind) => [kind.kind, kind] as const))('names every field of the spec: %s', async (name, kind) => {
    const page = await readFile(`docs/kinds/${pages[name]}.md`, 'utf8');
    const checks = page.includes('(../checks.md') ? await readFile('docs/checks.md', 'utf8') : '';
    const code = codeIn(page + checks);
    const missing = fieldsOf(kind.spec as Node).filter((field) => !new RegExp(`\\b${field}\\b`).test(code));
    expect(missing).toEqual([]);
  });
});
