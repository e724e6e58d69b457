import { integer, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';

/** Settings of the audit log. */
export const auditSettings = {
  auditCheckpointEvents: setting(
    'PLINTH_AUDIT_CHECKPOINT_EVENTS',
    integer(1, 1_000_000).default(1_000),
    "New events of a tenant's audit log after which its end is signed.",
  ),
  auditCheckpointSeconds: setting(
    'PLINTH_AUDIT_CHECKPOINT_SECONDS',
    integer(1, 86_400).default(300),
    "Longest time that a new event of a tenant's audit log waits for a signature, in seconds.",
  ),
  auditCheckpointFile: setting(
    'PLINTH_AUDIT_CHECKPOINT_FILE',
    z.string().min(1).optional(),
    'File that signed ends of audit logs are appended to, best on storage that only takes what is added. They are in the log of the process as well.',
  ),
};

export type AuditConfig = ConfigOf<typeof auditSettings>;
