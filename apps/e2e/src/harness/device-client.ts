import { setTimeout as pause } from 'node:timers/promises';

/** What the device authorization endpoint answers (RFC 8628, 3.2). */
export interface DeviceAuthorization {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

/** What the token endpoints answer in the command-line client's spelling. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  tenantUrl: string;
}

export interface FormReply<Body> {
  status: number;
  body: Body;
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Signs in as the command-line client does: forms, no `Authorization` header, and its own paths. */
export class DeviceClient {
  constructor(
    private readonly baseUrl: string,
    private readonly clientId = 'cube-cli',
  ) {}

  authorize(): Promise<FormReply<DeviceAuthorization>> {
    return this.post('/auth/device/code', { client_id: this.clientId });
  }

  poll<Body = { error: string }>(deviceCode: string): Promise<FormReply<Body>> {
    return this.post('/auth/device/token', {
      grant_type: DEVICE_GRANT,
      device_code: deviceCode,
      client_id: this.clientId,
    });
  }

  refresh<Body = Tokens>(refreshToken: string): Promise<FormReply<Body>> {
    return this.post('/auth/oauth2/refresh', {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: this.clientId,
    });
  }

  /** Revokes an access or refresh token (RFC 7009). */
  async revoke(token: string): Promise<number> {
    const body = new URLSearchParams({ token, client_id: this.clientId });
    return (await fetch(`${this.baseUrl}/auth/revoke`, { method: 'POST', body })).status;
  }

  /** Polls, at the agreed interval from the first time on, until the answer is another one than that of waiting. */
  async waitForTokens({ device_code, interval }: DeviceAuthorization): Promise<FormReply<Tokens & { error: string }>> {
    for (; ; await pause(interval * 1_000)) {
      const reply = await this.poll<Tokens & { error: string }>(device_code);
      if (reply.body.error !== 'authorization_pending' && reply.body.error !== 'slow_down') return reply;
    }
  }

  async post<Body>(path: string, fields: Record<string, string>): Promise<FormReply<Body>> {
    const reply = await fetch(`${this.baseUrl}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
    return { status: reply.status, body: (await reply.json()) as Body };
  }
}
