import { execFile } from 'node:child_process';
import type { Linter } from './tools.ts';

/** A finding of a linter. */
export interface Finding {
  readonly linter: Linter;
  readonly check: string;
  /** `Kind/name`. */
  readonly object: string;
  readonly text: string;
}

/** The output of a linter as JSON. Linters exit with a code of their own for findings, so the exit code is not read. */
const outputOf = async (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
    execFile(program, [...args], options, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error(`${program} printed no JSON: ${stdout.slice(0, 500)} ${stderr.slice(-2000)}`));
      }
    });
  });

interface Scored {
  readonly type_meta: { readonly kind: string };
  readonly object_meta: { readonly name: string };
  readonly checks: readonly {
    readonly check: { readonly id: string };
    readonly grade: number;
    readonly skipped: boolean;
    readonly comments: readonly { readonly summary: string }[] | null;
  }[];
}

/** The grade of a check without findings. */
const ALL_OK = 10;

/** kube-score with all of its checks, the optional ones included. */
export const kubeScore = async (program: string, file: string): Promise<Finding[]> => {
  const args = ['score', '--all-default-optional', '--kubernetes-version=v1.36', '--output-format=json', file];
  return ((await outputOf(program, args)) as Scored[]).flatMap(({ type_meta, object_meta, checks }) =>
    checks
      .filter(({ grade, skipped }) => grade < ALL_OK && !skipped)
      .map(({ check, comments }) => ({
        linter: 'kube-score' as const,
        check: check.id,
        object: `${type_meta.kind}/${object_meta.name}`,
        text: (comments ?? []).map(({ summary }) => summary).join('; '),
      })),
  );
};

interface Conformity {
  readonly summary: { readonly valid: number; readonly skipped: number };
  readonly resources?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly status: string;
    readonly msg: string;
  }[];
}

/**
 * Runs kubeconform in strict mode, with schemas in a folder. @returns the number of valid objects, and the faults of invalid
 * ones
 */
export const kubeconform = async (
  program: string,
  { files, schemas }: { readonly files: readonly string[]; readonly schemas: string },
): Promise<{ readonly valid: number; readonly findings: readonly Finding[] }> => {
  const args = ['-strict', '-summary', '-output=json', `-schema-location=${schemas}`, ...files];
  const { summary, resources = [] } = (await outputOf(program, args)) as Conformity;
  const findings = resources
    .filter(({ status }) => status !== 'statusValid')
    .map(({ kind, name, status, msg }) => ({
      linter: 'kubeconform' as const,
      check: status,
      object: `${kind}/${name}`,
      text: msg,
    }));
  return { valid: summary.valid, findings };
};

interface Scan {
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly resource: string;
    }[];
  };
}

/** Runs checkov's checks of Kubernetes, without its online service. @param packages - where it is installed */
export const checkov = async (packages: string, file: string): Promise<Finding[]> => {
  const args = ['-m', 'checkov.main', '--framework=kubernetes', '--skip-download', '--output=json', '--file', file];
  const scan = (await outputOf('python3', args, { PYTHONPATH: packages })) as Scan;
  return scan.results.failed_checks.map(({ check_id, check_name, resource }) => {
    const [kind = '', , name = ''] = resource.split('.');
    return { linter: 'checkov', check: check_id, object: `${kind}/${name}`, text: check_name };
  });
};
