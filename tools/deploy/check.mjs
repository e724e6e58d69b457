// Checks what is deployed as far as that is possible without a container engine: npm run deploy:check
import { chartProblems } from './chart-check.mjs';
import { composeProblems } from './compose-check.mjs';
import { dockerfileProblems, readStages } from './dockerfile-check.mjs';
import { engineProblems } from './engine-check.mjs';
import { grafanaProblems } from './grafana-check.mjs';
import { documentedMetricsProblems } from './metrics-check.mjs';
import { natsProblems } from './nats-check.mjs';

const note = (text) => console.log(text);
const stages = readStages();
const problems = [
  ...dockerfileProblems(stages),
  ...composeProblems(stages),
  ...(await natsProblems(note)),
  ...chartProblems(note),
  ...engineProblems(),
  ...grafanaProblems(),
  ...documentedMetricsProblems(),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(
  'deploy: the Dockerfile, the compose file, the NATS permissions, the chart, the engines and the dashboards hold together',
);
