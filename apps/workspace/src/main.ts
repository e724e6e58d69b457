import { runProcess } from '@plinth/host';
import { workspace } from './index';

void runProcess(workspace);
