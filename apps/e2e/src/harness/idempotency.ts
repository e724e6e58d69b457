import type { ApiReply } from './api-client';

/** Options of a request with that key. */
export const key = (value: string) => ({ headers: { 'idempotency-key': value } });

/** A whole request for a deployment. */
export const creation = (name: string) => ({
  name,
  cloudProvider: 'cubecloud' as const,
  region: 'local',
  targetPlatform: 'aws',
  isManaged: true,
  creationStep: 'project' as const,
});

/** Whether the reply is that of an earlier request with the same key. */
export const isReplay = ({ headers }: ApiReply): boolean => headers['idempotent-replayed'] === 'true';
