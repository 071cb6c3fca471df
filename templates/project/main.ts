import { App, Chart } from 'cdk8s';
import { CustomResource, Operator } from 'cdk8s-reconcile/constructs';
import { kinds } from './kinds/index.ts';
import { __kind__ } from './kinds/__file__.ts';

const app = new App();

// What a cluster administrator applies: definitions, rights, and the Deployment of the operator.
const operator = new Operator(new Chart(app, 'operator'), 'operator', {
  kinds,
  name: '__project__',__operatorProps__
  // The pushed image with its digest, as `npm run image -- --push` prints it: IMAGE=registry.example.com/__project__@sha256:… npm run synth
  image: process.env['IMAGE'] ?? 'registry.example.com/__project__:0.1.0',
});
for (const warning of operator.warnings) console.error(`warning: ${warning}`);

// What a team applies: one resource of each kind. `cdk8s-reconcile add kind` adds another one.
const samples = new Chart(app, 'samples', { namespace: 'default' });

class __Kind__ extends CustomResource(__kind__) {}

new __Kind__(samples, '__file__', {
  metadata: { name: 'example' },
  spec: { text: 'Hello' },
});

app.synth();
