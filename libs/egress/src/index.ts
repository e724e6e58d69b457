export { addressBlocks, isAllowedAddress, type AddressPolicy } from './address-policy';
export { EgressError, type EgressFailure } from './egress-error';
export { guardConnections } from './guard-connections';
export { guardedFetch, type EgressLimits, type EgressRequest } from './guarded-fetch';
