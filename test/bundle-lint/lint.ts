import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Yaml } from 'cdk8s';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';
import { committedBundle } from '#test/control-plane/install.ts';
import { faultsIn } from './exceptions.ts';
import { checkov, kubeconform, kubeScore } from './findings.ts';
import { writeSchemas } from './schemas.ts';
import { provideLinters, quickLinters } from './tools.ts';

/** The samples as they are committed. */
export const committedSamples = fileURLToPath(new URL('../../synth-out/samples.k8s.yaml', import.meta.url));

interface Manifest {
  readonly apiVersion: string;
}

const manifestsIn = (file: string): Manifest[] => Yaml.load(file) as Manifest[];

/**
 * Findings of kube-score and kubeconform without exceptions, and the number of objects that conform to the server's
 * schemas.
 */
export interface LintReport {
  readonly faults: readonly string[];
  readonly valid: number;
  readonly all: number;
}

/**
 * Checks the committed bundle with kube-score, and bundle and samples against the schemas of a server with kubeconform.
 *
 * @param plane - a server with the bundle installed
 */
export const lintBundle = async (
  plane: Pick<ControlPlaneClient, 'request'>,
  bundle: string = committedBundle,
): Promise<LintReport> => {
  const tools = await provideLinters(quickLinters);
  const folder = await mkdtemp(join(tmpdir(), 'schemas-'));
  try {
    const files = [bundle, committedSamples];
    const manifests = files.flatMap(manifestsIn);
    const apiVersions = [...new Set(manifests.map(({ apiVersion }) => apiVersion))].toSorted();
    const schemas = await writeSchemas(plane, { apiVersions, folder });
    const { valid, findings } = await kubeconform(tools.get('kubeconform') ?? '', { files, schemas });
    const scored = await kubeScore(tools.get('kube-score') ?? '', bundle);
    return { faults: faultsIn([...findings, ...scored], quickLinters), valid, all: manifests.length };
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** Findings of checkov for the committed bundle, without exceptions. */
export const lintWithCheckov = async (bundle: string = committedBundle): Promise<string[]> => {
  const tools = await provideLinters(['checkov']);
  return faultsIn(await checkov(tools.get('checkov') ?? '', bundle), ['checkov']);
};
