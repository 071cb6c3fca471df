import { resourceName } from '#lib/kind/handles/reference.ts';
import { type MemoryCluster, servedResources } from '#lib/sim/served-kinds.ts';

const INTRO = `# Built-in kinds of the clusters in memory

<!-- Written by \`npm run errors\`. -->

\`plan\`, \`simulate\`, \`check\` and \`cdk8s-reconcile/testing\` use the [virtual cluster](virtual-cluster.md); \`dev\` and \`npm start\` use the [embedded cluster](embedded.md).
Both serve every custom resource whose CustomResourceDefinition is installed.
The table shows the kinds of Kubernetes itself that they serve.
They answer requests for every other kind with the status 501 \`NotImplemented\`. If one of your kinds owns such a kind, it runs only on a real API server.

| resource | kind | virtual | embedded |
|---|---|---|---|
`;

const mark = (servedBy: readonly MemoryCluster[], cluster: MemoryCluster): string =>
  servedBy.includes(cluster) ? 'yes' : '–';

/** The page docs/served-kinds.md: every resource of Kubernetes 1.36, and which clusters in memory serve it. */
export const servedKindsText = (): string => {
  const rows = servedResources()
    .map(({ group, version, plural, kind, servedBy }) => {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const [virtual, embedded] = [mark(servedBy, 'virtual'), mark(servedBy, 'embedded')];
      return `| \`${resourceName({ apiVersion, plural })}\` ${version} | ${kind} | ${virtual} | ${embedded} |\n`;
    })
    .toSorted();
  return `${INTRO}${rows.join('')}`;
};
