import { secretSetting, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';
import { parseSender } from './addresses';

const PROTOCOLS = ['smtp:', 'smtps:'];

/** Only what says where and as whom: options in the address would be another way to set everything. */
function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  return PROTOCOLS.includes(protocol) && hostname !== '' && ['', '/'].includes(pathname) && search + hash === '';
}

/** What an operator can set on how mail is sent. */
export const mailSettings = {
  smtpUrl: secretSetting(
    'PLINTH_SMTP_URL',
    z
      .string()
      .refine(isServerUrl, 'takes smtp://user:password@host:port or smtps://user:password@host:port')
      .optional(),
    'Server that takes mail: smtps://user:password@host:port for TLS from the start, smtp:// for STARTTLS, which is required wherever a password is sent. Without it no mail is sent.',
  ),
  mailFrom: setting(
    'PLINTH_MAIL_FROM',
    z
      .string()
      .refine((text) => parseSender(text) !== undefined, 'takes an address, or Name <address>')
      .default('Plinth <plinth@localhost>'),
    'Whom mail comes from: an address that the server may send for, or Name <address>.',
  ),
};

export type MailConfig = ConfigOf<typeof mailSettings>;
