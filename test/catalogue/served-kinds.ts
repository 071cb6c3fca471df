import { resourceName } from '#lib/kind/handles/reference.ts';
import { type MemoryCluster, servedResources } from '#lib/sim/served-kinds.ts';

const INTRO = `# Built-in kinds of the clusters in memory

<!-- Written by \`npm run errors\`. -->

The virtual cluster runs \`plan\`, \`simulate\`, \`check\` and \`cdk8s-reconcile/testing\`; the embedded cluster runs \`dev\` and \`npm start\`.
Both serve every kind whose CustomResourceDefinition they have.
The table shows the kinds of Kubernetes itself that they serve.
They refuse every other kind by name (501 \`NotImplemented\`): a kind of yours that owns it runs on a real API server alone.

| resource | kind | virtual | embedded |
|---|---|---|---|
`;

const mark = (servedBy: readonly MemoryCluster[], cluster: MemoryCluster): string =>
  servedBy.includes(cluster) ? 'yes' : '–';

/** The page docs/served-kinds.md: every resource of Kubernetes 1.36, and which clusters in memory serve it. */
export const servedKindsText = (): string => {
  const rows = servedResources()
    .map(({ group, version, plural, kind = '', servedBy }) => {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const [virtual, embedded] = [mark(servedBy, 'virtual'), mark(servedBy, 'embedded')];
      return `| \`${resourceName({ apiVersion, plural })}\` ${version} | ${kind} | ${virtual} | ${embedded} |\n`;
    })
    .toSorted();
  return `${INTRO}${rows.join('')}`;
};
