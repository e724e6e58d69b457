export * from './remote-error';
export type { RemoteAccess, RemoteCredential } from './remote-access';
export { RemoteTransport, upstreamRef } from './remote-transport';
export type {
  RemoteFetch,
  RemoteListing,
  RemotePush,
  RemoteSnapshot,
  RemoteTransportSettings,
  SnapshotRequest,
} from './remote-transport';
export { InvalidRemoteUrlError, parseRemoteUrl } from './remote-url';
export type { RemoteUrl } from './remote-url';
export { generateSshKeyPair, sshFingerprint } from './ssh-key';
export type { SshKeyPair } from './ssh-key';
