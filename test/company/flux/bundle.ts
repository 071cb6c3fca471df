import { App, Chart, Testing, Yaml } from 'cdk8s';
import { Operator } from '#constructs/operator/operator.ts';
import { type Manifest, withoutPodNetwork } from '#test/cluster/conversion-service.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { RELEASES, type ReleaseName } from './kinds.ts';

/** The output of synth for a release, as text; `port` is the port of the conversion webhook on this machine. */
export const bundleOf = (release: ReleaseName, port: number): string => {
  const chart = new Chart(new App(), 'chart');
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', { kinds: RELEASES[release], image: `example.com/own:${release}`, name: OPERATOR });
  return Yaml.stringify(...withoutPodNetwork(Testing.synth(chart) as Manifest[], { operator: OPERATOR, port }));
};
