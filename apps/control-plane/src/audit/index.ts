export { AuditCheckpointsRepository } from './audit-log/audit-checkpoints.repository';
export { AuditEventsRepository } from './audit-log/audit-events.repository';
export { parsePeriod } from './audit-log/audit-period';
export { AuditVerifier } from './audit-log/audit-verifier';
export { auditSettings } from './audit-log/audit.config';
export { type Checkpoint, type CheckpointPublicKey, CheckpointSigner } from './audit-log/checkpoint-signer';
export { AuditDomain } from './audit.module';
export { auditSchema } from './audit.schema';
