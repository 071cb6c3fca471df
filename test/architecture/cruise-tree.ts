import { cruise, type ICruiseResult, type IViolation } from 'dependency-cruiser';
import { cruisedFolders, cruiseOptions, resolveOptions } from './cruise-options.ts';
import { importRules } from './import-rules.ts';

/** One import that a file has, as it is written and as it resolves. */
export interface Edge {
  readonly from: string;
  readonly specifier: string;
  readonly to: string;
}

/** A forbidden import, with every rule that forbids it. */
export interface Violation {
  readonly from: string;
  readonly to: string;
  /** The two files of the import, by their paths in the repository; for a cycle all of its files. */
  readonly edge: string;
  readonly rules: readonly string[];
  readonly reasons: readonly string[];
}

/** The imports of a tree, without node_modules. */
export interface Cruise {
  readonly modules: readonly string[];
  readonly edges: readonly Edge[];
  readonly violations: readonly Violation[];
}

const comments = new Map(importRules.map(({ name, comment }) => [name, comment]));

const edgeOf = ({ from, to, unresolvedTo, cycle }: IViolation): string =>
  cycle === undefined ? `${from} → ${unresolvedTo ?? to}` : [from, ...cycle.map(({ name }) => name)].join(' → ');

const toViolation = ([edge, same]: readonly [string, readonly IViolation[]]): readonly Violation[] => {
  const [first] = same;
  if (first === undefined) return [];
  const rules = [...new Set(same.map(({ rule }) => rule.name))];
  const reasons = rules.map((name) => `[${name}] ${comments.get(name)}`);
  return [{ from: first.from, to: first.to, edge, rules, reasons }];
};

const toCruise = ({ modules, summary }: ICruiseResult): Cruise => {
  const own = modules.filter(({ source }) => cruisedFolders.some((folder) => source.startsWith(`${folder}/`)));
  return {
    modules: own.map(({ source }) => source),
    edges: own.flatMap(({ source, dependencies }) =>
      dependencies.map(({ module, resolved }) => ({ from: source, specifier: module, to: resolved })),
    ),
    violations: [...Map.groupBy(summary.violations, edgeOf)].flatMap(toViolation),
  };
};

/** Judges every import of a tree by the import table. */
export const cruiseTree = async (root: string): Promise<Cruise> => {
  const ruleSet = { forbidden: [...importRules] };
  const { output } = await cruise(
    cruisedFolders,
    { ...cruiseOptions, baseDir: root, ruleSet, validate: true },
    resolveOptions,
  );
  if (typeof output === 'string')
    throw new TypeError('Cannot read what dependency-cruiser returned: expected an object');
  return toCruise(output);
};
