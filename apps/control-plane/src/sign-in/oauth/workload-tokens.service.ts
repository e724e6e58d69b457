import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TenantAddresses } from '../../tenancy';
import { SigningKeys } from './signing-keys.service';

/** What a token says; the issuer, its id and its times are added. */
export interface WorkloadClaims {
  sub: string;
  aud: string;
  [name: string]: unknown;
}

export interface WorkloadToken {
  token: string;
  issuedAt: Date;
  expiresAt: Date;
}

const LIFETIME_SECONDS = 3_600;

/** Tokens by which workloads of a tenant prove to clouds who they are (OpenID Connect, RS256, one hour). */
@Injectable()
export class WorkloadTokens {
  constructor(
    private readonly keys: SigningKeys,
    private readonly addresses: TenantAddresses,
  ) {}

  /** Address that tokens of the tenant name as their issuer. */
  issuer(tenantId: number): Promise<string> {
    return this.addresses.baseUrl(tenantId);
  }

  /** A token with the claims; whether the tenant issues tokens at all is the caller's to check. */
  async sign(tenantId: number, claims: WorkloadClaims): Promise<WorkloadToken> {
    const keyId = await this.keys.currentId(tenantId);
    const iat = Math.floor(Date.now() / 1_000);
    const exp = iat + LIFETIME_SECONDS;
    const iss = await this.issuer(tenantId);
    const payload = { ...claims, iss, iat, nbf: iat, exp, jti: randomUUID() };
    const data = `${encoded({ alg: 'RS256', typ: 'JWT', kid: keyId })}.${encoded(payload)}`;
    const token = `${data}.${await this.keys.sign(tenantId, keyId, data)}`;
    return { token, issuedAt: new Date(iat * 1_000), expiresAt: new Date(exp * 1_000) };
  }
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
