import { App, Chart, Testing, Yaml } from 'cdk8s';
import { Operator } from '#constructs/operator/operator.ts';
import { type Manifest, withoutPodNetwork } from '#test/cluster/conversion-service.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { kindsOf, type ReleaseName } from './kinds.ts';

/** The image of a release. */
export const imageOf = (release: ReleaseName): string => `example.com/own:${release}`;

/** The output of synth for a release, for Argo CD; `port` is the port of the conversion webhook on this machine. */
export const bundleOf = (release: ReleaseName, port: number): string => {
  const chart = new Chart(new App(), 'chart');
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', { kinds: kindsOf(release), image: imageOf(release), name: OPERATOR, argoCd: true });
  const manifests = Testing.synth(chart) as (Manifest & { readonly spec?: { readonly conversion?: object } })[];
  return Yaml.stringify(
    ...manifests.map((manifest) => {
      const isConverted = manifest.kind === 'Service' || manifest.spec?.conversion !== undefined;
      return isConverted ? withoutPodNetwork([manifest], { operator: OPERATOR, port })[0] : manifest;
    }),
  );
};
