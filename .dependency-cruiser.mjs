import { cruiseOptions, resolveOptions } from './test/architecture/cruise-options.ts';
import { importRules } from './test/architecture/import-rules.ts';

/** For `npx depcruise lib constructs apps`, also to draw the graph. What may import what: test/architecture/import-table.ts. */
// oxlint-disable-next-line import/no-default-export -- dependency-cruiser asks for it
export default {
  forbidden: [...importRules],
  options: { ...cruiseOptions, enhancedResolveOptions: resolveOptions },
};
