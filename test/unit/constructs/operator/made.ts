import { App, Chart, Testing } from 'cdk8s';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';

/** A manifest, with the fields that a test expects. */
export interface Made<Spec> {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Spec;
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
  readonly data: Readonly<Record<string, string>>;
}

/** The objects of one kind that an Operator creates. */
export const made = <Spec = never>(kind: string, props: Partial<OperatorProps> = {}): Made<Spec>[] => {
  const chart = new Chart(new App(), 'chart');
  new Operator(chart, 'operator', { kinds: [podSet], image: 'registry.example.com/operator:1', name: 'op', ...props });
  return (Testing.synth(chart) as Made<Spec>[]).filter((manifest) => manifest.kind === kind);
};
