import { runProcess } from '@plinth/host';
import { scim } from './index';

void runProcess(scim);
