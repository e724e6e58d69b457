import type { Command } from 'commander';
import { examine } from './doctor/examination';

/** `plinth doctor`: looks at all that an installation needs, and says what to do about what is missing. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'Look at all that the installation needs, a line each with what to do; exit code 1 when something fails',
    )
    .action(async () => {
      for await (const { name, state, found, todo } of examine()) {
        const advice = todo === undefined ? '' : ` -> ${todo}`;
        process.stdout.write(`${state.padEnd(5)} ${name.padEnd(11)} ${found}${advice}\n`);
        if (state === 'fail') process.exitCode = 1;
      }
    });
}
