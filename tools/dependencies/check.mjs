// Checks what the platform is made of: npm run dependencies:check
import { advisoryProblems } from './advisories.mjs';
import { engineProblems } from './engines.mjs';

const problems = [...engineProblems(), ...advisoryProblems((text) => console.log(text))];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log('dependencies: all of them run on every supported Node');
