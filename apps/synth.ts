import { App, Chart } from 'cdk8s';
import { Operator } from '#constructs/operator/operator.ts';
import { kinds } from './kinds.ts';
import { addSamples } from './samples.ts';

/**
 * The image of the operator. The default does not exist in a registry. Build an image that runs `apps/operator.ts`, and set its
 * name and digest: `IMAGE=name@sha256:… npm run synth`.
 */
const image = process.env['IMAGE'] ?? 'registry.example.com/cdk8s-reconcile/operator:0.1.0';

const app = new App();
const operator = new Operator(new Chart(app, 'operator'), 'operator', { kinds, image, name: 'cdk8s-reconcile' });
for (const edge of operator.escalations) console.error(`note: ${edge}`);
for (const warning of operator.warnings) console.error(`warning: ${warning}`);
// The namespace is set, because Flux applies no object of a Kustomization if one object has no namespace.
addSamples(new Chart(app, 'samples', { namespace: 'default' }));
app.synth();
