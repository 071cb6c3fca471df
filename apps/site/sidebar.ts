/**
 * A group of pages in the sidebar, in reading order. An entry that ends in `/**` means all pages of a folder that no other
 * entry names.
 */
export interface SidebarGroup {
  readonly title: string;
  readonly pages: readonly string[];
  /** Whether the group shows only its title until the user opens the group. @default false */
  readonly isClosed?: boolean;
}

/** The groups of the sidebar. `test/architecture/site.test.ts` checks that each page is in exactly one group. */
export const sidebarGroups: readonly SidebarGroup[] = [
  { title: 'Start', pages: ['README.md', 'docs/tutorial.md', 'docs/comparison.md', 'docs/limits.md', 'CHANGELOG.md'] },
  {
    title: 'Concepts',
    pages: [
      'docs/glossary.md',
      'docs/authors.md',
      'docs/function.md',
      'docs/extensions.md',
      'docs/versions.md',
      'docs/testing.md',
      'docs/guarantees.md',
      'docs/pitfalls.md',
    ],
  },
  { title: 'Kinds', pages: ['docs/kinds/README.md', 'docs/kinds/**', 'docs/checks.md'] },
  {
    title: 'Operate',
    pages: [
      'docs/install.md',
      'docs/operator.md',
      'docs/monitoring.md',
      'docs/gitops.md',
      'docs/disaster-recovery.md',
      'docs/policies.md',
      'docs/upgrading.md',
      'docs/troubleshooting.md',
      'SECURITY.md',
    ],
  },
  {
    title: 'Foresight',
    pages: [
      'docs/plan.md',
      'docs/pull-requests.md',
      'docs/simulate.md',
      'docs/report.md',
      'docs/ui.md',
      'docs/replay.md',
      'docs/virtual-cluster.md',
      'docs/embedded.md',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'docs/cli.md',
      'docs/metrics.md',
      'docs/errors.md',
      'docs/served-kinds.md',
      'docs/package.md',
      'docs/compatibility.md',
      'docs/campaign.md',
      'docs/conformance.md',
      'docs/benchmarks.md',
    ],
  },
  { title: 'Decisions', pages: ['docs/decisions/**'], isClosed: true },
  { title: 'Contribute', pages: ['CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'ARCHITECTURE.md'] },
  { title: 'Rooms of the sources', pages: ['lib/**', 'constructs/**', 'apps/**', 'test/**'], isClosed: true },
];

const isIn = (page: string, entry: string): boolean =>
  entry.endsWith('/**') ? page.startsWith(entry.slice(0, -2)) : page === entry;

/** The pages of a group, in the order of its entries. */
export const pagesIn = (group: SidebarGroup, pages: readonly string[]): readonly string[] => {
  const named = new Set(sidebarGroups.flatMap((each) => each.pages).filter((entry) => !entry.endsWith('/**')));
  return group.pages.flatMap((entry) =>
    pages.filter((page) => isIn(page, entry) && (page === entry || !named.has(page))),
  );
};
