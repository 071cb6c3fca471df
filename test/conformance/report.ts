import { readFile } from 'node:fs/promises';

/** The result of one test in one run. `unrun`: the run ended before the test, or the test reported itself as not applicable. */
export interface Outcome {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'unrun';
  /** Message of a failure. */
  readonly message: string;
  readonly seconds: number;
}

/** A test of the program, with its labels. */
export interface Spec {
  readonly name: string;
  readonly labels: readonly string[];
}

/**
 * The fields of Ginkgo's JSON report that are read here. @see github.com/onsi/ginkgo/v2 v2.28.1 types/types.go
 * (`SpecReport`)
 */
interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly ContainerHierarchyLabels: readonly (readonly string[] | null)[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeLabels: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly State: string;
  /** In nanoseconds. */
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string };
}

const nameOf = ({ ContainerHierarchyTexts: containers, LeafNodeText: leaf }: SpecReport): string =>
  [...(containers ?? []), leaf].join(' ');

const labelsOf = ({ ContainerHierarchyLabels: containers, LeafNodeLabels: leaf }: SpecReport): readonly string[] => [
  ...(containers ?? []).flatMap((labels) => labels ?? []),
  ...(leaf ?? []),
];

const specReportsIn = async (path: string): Promise<readonly SpecReport[]> => {
  const suites = JSON.parse(await readFile(path, 'utf8')) as readonly { readonly SpecReports: readonly SpecReport[] }[];
  return suites.flatMap(({ SpecReports }) => SpecReports ?? []);
};

const isTest = ({ LeafNodeType }: SpecReport): boolean => LeafNodeType === 'It';

const stateOf = (state: string): Outcome['state'] => {
  if (state === 'passed') return 'passed';
  return state === 'skipped' || state === 'pending' ? 'unrun' : 'failed';
};

/** All tests of a report, whether they ran or not. */
export const specsIn = async (path: string): Promise<readonly Spec[]> => {
  const reports = await specReportsIn(path);
  return reports.filter(isTest).map((report) => ({ name: nameOf(report), labels: labelsOf(report) }));
};

/** The results of the tests of a report, and failures outside of tests, such as in the preparation of the run. */
export const outcomesIn = async (path: string): Promise<readonly Outcome[]> => {
  const reports = await specReportsIn(path);
  return reports
    .filter((report) => isTest(report) || stateOf(report.State) === 'failed')
    .map((report) => ({
      name: isTest(report) ? nameOf(report) : `(${report.LeafNodeType})`,
      state: stateOf(report.State),
      message: report.Failure?.Message ?? '',
      seconds: report.RunTime / 1e9,
    }));
};
