export { addressBlocks, isAllowedAddress, type AddressPolicy } from './address-policy';
export { EgressError, type EgressFailure } from './egress-error';
export { guardConnections } from './guard-connections';
export { guardedFetch, requireAllowed, type EgressLimits, type EgressRequest } from './guarded-fetch';
export { guardedStream } from './guarded-stream';
