import { App, Chart } from 'cdk8s';
import { CustomResource, Operator } from 'cdk8s-reconcile/constructs';
import { website } from './website.ts';

export class Website extends CustomResource(website) {}

const app = new App();

// What a cluster administrator applies, once for each version of the operator.
const operator = new Operator(new Chart(app, 'operator'), 'operator', {
  kinds: [website],
  name: 'website-operator',
  image: 'registry.example.com/website-operator:3',
});
for (const warning of operator.warnings) console.error(`warning: ${warning}`);

// What a team applies.
const sites = new Chart(app, 'sites', { namespace: 'default' });
new Website(sites, 'hello', {
  metadata: { name: 'hello' },
  spec: {
    index: '<h1>Hello</h1>',
    pages: [{ file: 'about.html', html: '<h1>About</h1>' }],
  },
});

app.synth();
