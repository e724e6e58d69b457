export { isAllowedAddress, type AddressPolicy } from './address-policy';
export { EgressError, guardedFetch, type EgressFailure, type EgressLimits, type EgressRequest } from './guarded-fetch';
