import { type ChildMessage, type CompileJob } from '../compile-result';
import { compile } from './compile';
import { sealProcess } from './seal-process';

const send = process.send?.bind(process);
// The inner half of process.exit, which models cannot reach once the process is sealed.
const { reallyExit } = process as unknown as { reallyExit(code: number): never };

function reply(message: ChildMessage): void {
  send?.(message);
}

process.on('disconnect', () => reallyExit.call(process, 0));
process.on('message', (job: CompileJob) => {
  void compile(job).then((result) => reply({ kind: 'result', id: job.id, result }));
});
sealProcess();
reply({ kind: 'ready' });
