import { operatorProgram, reasonOf } from './program';

operatorProgram()
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`plinth: ${reasonOf(error)}\n`);
    process.exit(1);
  });
