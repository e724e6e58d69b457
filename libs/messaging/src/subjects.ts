/**
 * The subjects of the bus, and so the permissions that a service's credential needs on a NATS server:
 *
 * | a service named S  | publishes              | subscribes                                        |
 * | ------------------ | ---------------------- | ------------------------------------------------- |
 * | requests           | `rpc.<callee>.>`       | `rpc.S.>` in queue group S                        |
 * | replies            | by `allow_responses`   | `_INBOX.S.>`                                      |
 * | notices, presence  | `evt.S.>`              | `evt.>`                                           |
 * | byte streams       | `stream.>`             | `stream.S.>`                                      |
 *
 * `allow_responses` must last as long as the slowest operation (`expires`), with one response a request (`max: 1`).
 */
export const requestSubject = (service: string, operationId: string): string => `rpc.${service}.${operationId}`;

/** Reaches one worker of a service instead of any. */
export const ownerSubject = (service: string, workerId: string, operationId: string): string =>
  `rpc.${service}.${workerId}.${operationId}`;

export const noticeSubject = (topic: string): string => `evt.${topic}`;

/** Where one connection receives the frames of its streams; each stream adds its number as the last token. */
export const streamSubject = (service: string, connectionId: string): string => `stream.${service}.${connectionId}`;

export const inboxPrefix = (service: string): string => `_INBOX.${service}`;
