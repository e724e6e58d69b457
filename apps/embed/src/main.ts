import { runProcess } from '@plinth/host';
import { embed } from './index';

void runProcess(embed);
