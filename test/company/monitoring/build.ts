import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildStep, buildMissing } from '#test/control-plane/build.ts';
import { findGo, runGo } from '#test/control-plane/go.ts';
import { type GoTool, provideGoTool } from '#test/control-plane/go-tool.ts';
import { createProgress } from '#test/control-plane/progress.ts';

/**
 * A program with a Go module of its own, because the programs need different versions of libraries. Their only service
 * discovery is that of Kubernetes.
 */
const toolOf = (name: string, goPackage: string): GoTool => ({
  name,
  goPackage,
  goFolder: join(import.meta.dirname, 'go', name),
  flags: ['-mod=readonly', '-buildvcs=false', '-tags=remove_all_sd,enable_kubernetes_sd', '-ldflags=-s -w'],
});

/** Prometheus without its web interface, which is not part of the Go module: only the API is served. */
const prometheusTool = toolOf('prometheus', 'github.com/prometheus/prometheus/cmd/prometheus');
const kubeStateMetricsTool = toolOf('kube-state-metrics', 'k8s.io/kube-state-metrics/v2');
const OPERATOR_MODULE = 'github.com/prometheus-operator/prometheus-operator';
const prometheusOperatorTool = toolOf('prometheus-operator', `${OPERATOR_MODULE}/cmd/operator`);

/** The programs that monitoring needs. */
export interface MonitoringPrograms {
  readonly prometheus: string;
  readonly kubeStateMetrics: string;
  readonly prometheusOperator: string;
  /** The CRDs of the Prometheus Operator, in one file. */
  readonly definitions: string;
}

const definitions: BuildStep = {
  name: 'prometheus-operator.yaml',
  title: 'definitions of prometheus-operator',
  make: async (target) => {
    const places = { folder: prometheusOperatorTool.goFolder, scratch: dirname(target) };
    const answer = await runGo(await findGo(), ['mod', 'download', '-json', OPERATOR_MODULE], places);
    const { Dir } = JSON.parse(answer) as { readonly Dir: string };
    const folder = join(Dir, 'example/prometheus-operator-crd');
    const files = (await readdir(folder)).toSorted();
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    await writeFile(target, texts.join('\n---\n'));
  },
};

/**
 * Finds Prometheus, its operator and kube-state-metrics in the cache, or builds them from their modules: fifteen
 * minutes, once.
 *
 * @throws {ControlPlaneError} GO_MISSING, GO_TOO_OLD or BUILD_FAILED
 */
export const provideMonitoring = async (): Promise<MonitoringPrograms> => {
  const prometheus = await provideGoTool(prometheusTool);
  const kubeStateMetrics = await provideGoTool(kubeStateMetricsTool);
  const prometheusOperator = await provideGoTool(prometheusOperatorTool);
  const folder = dirname(prometheusOperator);
  await buildMissing([definitions], { folder, progress: createProgress() });
  return { prometheus, kubeStateMetrics, prometheusOperator, definitions: join(folder, definitions.name) };
};
